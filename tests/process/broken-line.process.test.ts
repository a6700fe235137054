import net from 'node:net'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ChildServer, firstWorldDatabase, startChildServer } from '../support/child-server.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { sign } from '../support/sign.ts'

// Between the server and its database is a proxy whose connections can be cut.
const connection = inject('connection')
const open = new Set<net.Socket>()
let isCut = false
/** Nothing passes, and nothing is closed: as of a machine without power. */
let isSilent = false
/** The next commit after this statement loses its answer, and the line with it. */
let losesCommitOf: string | undefined
const line = net.createServer((near) => {
  open.add(near)
  near.on('close', () => open.delete(near))
  near.on('error', () => {})
  // Accepted and closed at once, as by a load balancer without a server.
  if (isCut) return near.destroy()
  if (isSilent) return near.pause()
  const far = net.connect(`${connection.host}/.s.PGSQL.${connection.port}`)
  far.on('error', () => near.destroy())
  far.on('close', () => near.destroy())
  near.on('close', () => far.destroy())
  let isConcerned = false
  near.on('data', (bytes) => {
    isConcerned ||= losesCommitOf !== undefined && bytes.includes(losesCommitOf)
    if (!isConcerned || !bytes.includes('commit')) return
    isConcerned = false
    losesCommitOf = undefined
    far.unpipe(near)
    far.once('data', () => near.destroy()).resume()
  })
  near.pipe(far).pipe(near)
  silence.add(() => {
    near.unpipe(far).pause()
    far.unpipe(near).pause()
  })
})
const silence = new Set<() => void>()

let server: ChildServer
beforeAll(async () => {
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const name = new URL(await firstWorldDatabase()).pathname
  const { port } = line.address() as net.AddressInfo
  const databaseUrl = `postgresql://${connection.user}@127.0.0.1:${port}${name}`
  server = await startChildServer({
    flags: ['--database-url', databaseUrl, '--secret-key', TEST_SECRET_KEY, '--workers', '1'],
  })
})
afterAll(async () => {
  await server?.stop()
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => line.close(resolve))
})

test.runIf(connection.host.startsWith('/'))(
  'views are counted once when the answer to their commit is lost',
  async () => {
    const headers = { authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` }
    const alice = `${server.baseUrl}/2/users/${server.credentials.users[0]!.id}/posts`
    const [post] = ((await (await fetch(alice, { headers })).json()) as { data: { id: string }[] }).data
    const views = async () => {
      const read = await fetch(`${server.baseUrl}/2/posts/${post!.id}?post.fields=public_metrics`, { headers })
      return ((await read.json()) as { data?: Record<string, Record<string, number>> }).data?.public_metrics
        ?.impression_count
    }
    const look = async () => {
      const page = await fetch(`${server.baseUrl}/alice/status/${post!.id}`)
      expect(page.status).toBe(200)
      await page.text()
    }
    const before = (await views())!
    losesCommitOf = 'post_facts_add'
    await look()
    await expect.poll(() => losesCommitOf).toBeUndefined()
    // What comes later is stored after the views whose commit was not confirmed.
    await look()
    await expect.poll(views).toBeGreaterThan(before + 1)
    expect(await views()).toBe(before + 2)
  },
)

test.runIf(connection.host.startsWith('/'))(
  'a request with a price is counted once when the answer to its commit is lost',
  async () => {
    const { apps, users, admin_key } = server.credentials
    const url = `${server.baseUrl}/2/posts`
    const post = async (text: string) => {
      const authorization = sign('POST', url, {
        consumerKey: apps[0]!.api_key,
        consumerSecret: apps[0]!.api_key_secret,
        token: users[0]!.access_token,
        tokenSecret: users[0]!.access_token_secret,
      })
      const headers = { authorization, 'content-type': 'application/json' }
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify({ text }) })).status).toBe(201)
    }
    const bearer = { authorization: `Bearer ${apps[0]!.bearer_token}` }
    const usage = await (await fetch(`${server.baseUrl}/2/usage/posts`, { headers: bearer })).json()
    const counted = async () => {
      const shown = await fetch(`${server.baseUrl}/_rostra/commands/usage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ project: (usage as { data: { project_id: string } }).data.project_id }),
      })
      const { days } = (await shown.json()) as { days?: { kind: string; used: number }[] }
      return days?.find((day) => day.kind === 'createPosts')?.used
    }
    losesCommitOf = 'usage_requests_count'
    await post('Paid once')
    await expect.poll(() => losesCommitOf).toBeUndefined()
    await post('Paid too')
    await expect.poll(counted).toBeGreaterThan(1)
    expect(await counted()).toBe(2)
  },
)

test.runIf(connection.host.startsWith('/'))(
  'while the database is silent requests get 503, also those that wait for it; then it is used again',
  async () => {
    const { apps, users, admin_key } = server.credentials
    const ask = async (path: string, bearer: string) => {
      const answer = await fetch(server.baseUrl + path, {
        headers: { authorization: `Bearer ${bearer}` },
        signal: AbortSignal.timeout(45_000),
      })
      await answer.text()
      return [path, answer.status, answer.headers.get('retry-after')]
    }
    const paths: [string, string][] = [
      [`/2/users/${users[0]!.id}/posts`, apps[0]!.bearer_token!],
      ['/2/posts/search/recent?query=hello', apps[0]!.bearer_token!],
      ['/_rostra/events', admin_key],
    ]
    const askAll = () => Promise.all(paths.map(([path, bearer]) => ask(path, bearer)))
    await askAll()
    isSilent = true
    for (const fallSilent of silence) fallSilent()
    const refused = paths.map(([path]) => [path, 503, '5'])
    expect(await askAll()).toEqual(refused)
    // Once it is known, nobody waits for long.
    const started = performance.now()
    expect(await askAll()).toEqual(refused)
    expect(performance.now() - started).toBeLessThan(8_000)
    // The machine has power again, and knows nothing of the old connections.
    isSilent = false
    for (const socket of open) socket.destroy()
    const answered = paths.map(([path]) => [path, 200, null])
    await expect.poll(askAll, { interval: 500 }).toEqual(answered)
    // The leaders work again: a new post gets a sequence in the log.
    const trigger = async () => {
      const triggered = await fetch(`${server.baseUrl}/_rostra/commands/trigger`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ event_type: 'post.create' }),
      })
      return ((await triggered.json()) as { event_place: string | null }).event_place
    }
    await expect.poll(trigger, { interval: 500 }).toMatch(/^\d+$/)
  },
)

test.runIf(connection.host.startsWith('/'))(
  'while the database is unreachable requests get 503; then it is used again, without a flood of connections',
  async () => {
    const bearer = server.credentials.apps[0]!.bearer_token
    const read = async () =>
      (
        await fetch(`${server.baseUrl}/2/users/by/username/alice`, {
          headers: { authorization: `Bearer ${bearer}` },
          signal: AbortSignal.timeout(5_000),
        }).catch(() => undefined)
      )?.status
    expect(await read()).toBe(200)
    isCut = true
    let calls = 0
    line.on('connection', () => {
      calls += 1
    })
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    for (const [path, init] of [
      ['/health', {}],
      ['/2/users/by/username/bob', {}],
      ['/2/users/search?query=alice', {}],
      ['/_rostra/export/posts', {}],
      ['/oauth2/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) }],
    ] as const) {
      const answer = await fetch(server.baseUrl + path, {
        ...init,
        headers: {
          authorization: path.startsWith('/oauth2')
            ? `Basic ${btoa('key:secret')}`
            : `Bearer ${path.startsWith('/_rostra') ? server.credentials.admin_key : bearer}`,
        },
      })
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5'])
      expect(await answer.json()).toMatchObject({ title: 'Service Unavailable', status: 503, type: 'about:blank' })
    }
    const app = server.credentials.apps[0]!
    const user = server.credentials.users[0]!
    const url = `${server.baseUrl}/12/accounts`
    const authorization = sign('GET', url, {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: user.access_token,
      tokenSecret: user.access_token_secret,
    })
    const ads = await fetch(url, { headers: { authorization } })
    expect([ads.status, ads.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await ads.json()).toMatchObject({ errors: [{ code: 'SERVICE_UNAVAILABLE' }] })
    // Some parts try to connect several times a second; none of them in a tight loop.
    expect(calls).toBeGreaterThan(3)
    expect(calls).toBeLessThan(400)
    isCut = false
    await expect.poll(read).toBe(200)
    const health = await fetch(`${server.baseUrl}/health`)
    expect(health.status).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)
