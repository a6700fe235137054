import http from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildServer, onFirstWorld, startChildServer } from '../support/child-server.ts'
import { workersOf } from '../support/processes.ts'
import { sign } from '../support/sign.ts'

// Several workers, limits off: every connection may reach another worker.
const WORKERS = 3
const ROUNDS = 40
const READS = 6

let server: ChildServer
beforeAll(async () => {
  server = await startChildServer({
    flags: [...(await onFirstWorld()), '--workers', String(WORKERS), '--rate-limits', 'off'],
  })
})
afterAll(() => server.stop())

const url = (path: string) => server.credentials.base_url + path
const app = () => server.credentials.apps[0]!
const bearer = () => ({ authorization: `Bearer ${app().bearer_token}` })

/** One request on a connection of its own: another worker takes the next one. */
function fresh(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ status: number; body: Answer }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const request = http.request(
      url(path),
      {
        method,
        agent: false,
        headers: {
          ...headers,
          ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
        },
      },
      (answer) => {
        let read = ''
        answer.on('data', (chunk) => {
          read += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(read) }))
      },
    )
    request.on('error', reject)
    request.end(text)
  })
}
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
type Answer = any

const keys = (username: string) => {
  const user = server.credentials.users.find((item) => item.username === username)!
  return {
    consumerKey: app().api_key,
    consumerSecret: app().api_key_secret,
    token: user.access_token,
    tokenSecret: user.access_token_secret,
  }
}
const signed = (username: string, method: string, path: string) => ({
  authorization: sign(method, url(path), keys(username)),
})
const command = async (name: string, args: object) => {
  const answer = await fresh(
    'POST',
    `/_rostra/commands/${name}`,
    { authorization: `Bearer ${server.credentials.admin_key}` },
    args,
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
/** The same read through many connections, at once and one after the other: all workers answer some. */
const everywhere = async <T>(read: () => Promise<T>): Promise<T[]> => {
  const first = await Promise.all(Array.from({ length: READS }, read))
  return [...first, await read(), await read()]
}

test('a created post, its author’s count and the answered post’s count are seen by every worker at once', async () => {
  const readCount = async (id: string) =>
    (await fresh('GET', `/2/users/${id}?user.fields=public_metrics`, bearer())).body.data.public_metrics.post_count
  const alice = server.credentials.users.find((user) => user.username === 'alice')!.id
  const root = (await fresh('POST', '/2/posts', signed('alice', 'POST', '/2/posts'), { text: `A root ${process.pid}` }))
    .body.data.id
  let expected = (await readCount(alice)) as number
  for (let round = 0; round < ROUNDS; round++) {
    await everywhere(() => readCount(alice))
    const made = await fresh('POST', '/2/posts', signed('alice', 'POST', '/2/posts'), {
      text: `Round ${round} of ${process.pid}`,
      reply: { in_reply_to_post_id: root },
    })
    expect(made.status).toBe(201)
    expected += 1
    const reads = await everywhere(async () => {
      const [count, lookup] = await Promise.all([
        readCount(alice),
        fresh('GET', `/2/posts?ids=${made.body.data.id},${root}&post.fields=public_metrics`, bearer()),
      ])
      return [count, lookup.body.data.length, lookup.body.data[1].public_metrics.reply_count]
    })
    expect(new Set(reads.map(String))).toEqual(new Set([String([expected, 2, round + 1])]))
  }
})

test('a deleted post is gone for every worker at once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const made = await fresh('POST', '/2/posts', signed('bob', 'POST', '/2/posts'), {
      text: `To be deleted ${round} ${process.pid}`,
    })
    const { id } = made.body.data
    const read = async () => (await fresh('GET', `/2/posts/${id}`, bearer())).body.data?.id
    expect(new Set(await everywhere(read))).toEqual(new Set([id]))
    await fresh('DELETE', `/2/posts/${id}`, signed('bob', 'DELETE', `/2/posts/${id}`))
    expect(new Set(await everywhere(read))).toEqual(new Set([undefined]))
  }
})

test('protection and blocks hold for every worker at once', async () => {
  const made = await fresh('POST', '/2/posts', signed('dario', 'POST', '/2/posts'), {
    text: `Seen by some ${process.pid}`,
  })
  const path = `/2/posts?ids=${made.body.data.id}`
  const asApp = async () => (await fresh('GET', path, bearer())).body.data?.length ?? 0
  const asBob = async () => (await fresh('GET', path, signed('bob', 'GET', path))).body.data?.length ?? 0
  for (let round = 0; round < ROUNDS / 2; round++) {
    expect(new Set(await everywhere(asApp))).toEqual(new Set([1]))
    await command('user.update', { user: 'dario', protected: true })
    expect(new Set(await everywhere(asApp))).toEqual(new Set([0]))
    await command('user.update', { user: 'dario', protected: false })
    expect(new Set(await everywhere(asBob))).toEqual(new Set([1]))
    await command('relation.add', { kind: 'block', source: 'dario', target: 'bob' })
    expect(new Set(await everywhere(asBob))).toEqual(new Set([0]))
    await command('relation.remove', { kind: 'block', source: 'dario', target: 'bob' })
  }
})

test('an invalidated token, a lower tier and a suspended app are refused by every worker at once', async () => {
  const made = await command('app.create', { name: 'Short-lived', owner: 'alice', tier: 'enterprise' })
  for (let round = 0; round < ROUNDS / 2; round++) {
    const pair = await command('user.token', { user: 'chika', app: made.id })
    const own = {
      consumerKey: made.api_key,
      consumerSecret: made.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const read = async () =>
      (await fresh('GET', '/2/users/me', { authorization: sign('GET', url('/2/users/me'), own) })).status
    expect(new Set(await everywhere(read))).toEqual(new Set([200]))
    const path = '/1.1/oauth/invalidate_token.json'
    expect((await fresh('POST', path, { authorization: sign('POST', url(path), own) })).status).toBe(200)
    expect(new Set(await everywhere(read))).toEqual(new Set([401]))
  }
  const asApp = async () =>
    (await fresh('GET', '/2/users/by/username/alice', { authorization: `Bearer ${made.bearer_token}` })).status
  expect(new Set(await everywhere(asApp))).toEqual(new Set([200]))
  await command('app.update', { app: made.id, suspended: true })
  expect(new Set(await everywhere(asApp))).toEqual(new Set([403]))
  await command('app.update', { app: made.id, suspended: false })
  expect(new Set(await everywhere(asApp))).toEqual(new Set([200]))
  await command('app.rotate', { app: made.id })
  expect(new Set(await everywhere(asApp))).toEqual(new Set([401]))
})

test('the moved clock and the request log are the same for every worker', async () => {
  const moved = await command('clock', { advance_ms: 3_600_000 })
  const times = await everywhere(async () =>
    Math.round((Date.parse((await fresh('GET', '/health', {})).body.time) - Date.now()) / 600_000),
  )
  expect(moved.offset_ms).toBe(3_600_000)
  expect(new Set(times)).toEqual(new Set([6]))
  const frozen = await command('clock', { freeze: true })
  const stopped = await everywhere(async () => (await fresh('GET', '/health', {})).body.time)
  expect(new Set(stopped)).toEqual(new Set([frozen.now]))
  await command('clock', { reset: true })
  const path = `/2/users/by/username/nobody_${process.pid % 1000}`
  await everywhere(() => fresh('GET', path, bearer()))
  const record = await everywhere(async () => {
    const answer = await fresh('GET', '/_rostra/requests?limit=1000', {
      authorization: `Bearer ${server.credentials.admin_key}`,
    })
    return answer.body.requests.filter((item: { path: string }) => item.path === path).length
  })
  expect(new Set(record)).toEqual(new Set([READS + 2]))
})

test.runIf(process.platform === 'linux')(
  'a worker that stood still is not replaced, holds no change up for long, and shows nothing older afterwards',
  async () => {
    const before = workersOf(server)
    expect(before).toHaveLength(WORKERS)
    const made = await fresh('POST', '/2/posts', signed('alice', 'POST', '/2/posts'), {
      text: `Read everywhere ${process.pid}`,
    })
    const path = `/2/posts/${made.body.data.id}`
    const read = async () => (await fresh('GET', `/2/posts?ids=${made.body.data.id}`, bearer())).body.data?.length ?? 0
    expect(new Set(await everywhere(read))).toEqual(new Set([1]))
    process.kill(before[0]!, 'SIGSTOP')
    // Each has a connection of its own: one of them leads to a worker that still runs. The second finds nothing to delete.
    const removals = [1, 2].map(async () => {
      const { body } = await fresh('DELETE', path, signed('alice', 'DELETE', path))
      if (!body.data?.deleted) throw new Error('nothing was deleted')
    })
    await Promise.any(removals)
    process.kill(before[0]!, 'SIGCONT')
    expect(new Set(await everywhere(read))).toEqual(new Set([0]))
    expect(workersOf(server)).toEqual(before)
    await Promise.allSettled(removals)
  },
)
