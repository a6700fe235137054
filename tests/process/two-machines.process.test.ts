import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCK } from '../../src/storage/lock-numbers.ts'
import { type ChildServer, firstWorldDatabase, startChildServer } from '../support/child-server.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { openStream } from '../support/read-stream.ts'
import { sign } from '../support/sign.ts'

// Two installations on one database stand for two machines: they share the database and the key, nothing else.
let first: ChildServer
let second: ChildServer

let databaseUrl: string

beforeAll(async () => {
  databaseUrl = await firstWorldDatabase()
  const flags = [
    '--database-url',
    databaseUrl,
    '--secret-key',
    TEST_SECRET_KEY,
    '--workers',
    '1',
    '--rate-limits',
    'off',
  ]
  first = await startChildServer({ flags })
  second = await startChildServer({ flags })
})
afterAll(async () => {
  await second?.stop()
  await first?.stop()
})

const keys = (server: ChildServer, username: string) => {
  const user = server.credentials.users.find((item) => item.username === username)!
  const app = server.credentials.apps[0]!
  return {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: user.access_token,
    tokenSecret: user.access_token_secret,
  }
}
const signed = (server: ChildServer, method: string, path: string, body?: unknown) =>
  fetch(server.baseUrl + path, {
    method,
    headers: {
      authorization: sign(method, server.baseUrl + path, keys(server, 'alice')),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  })
const read = (server: ChildServer, path: string) =>
  fetch(server.baseUrl + path, { headers: { authorization: `Bearer ${server.credentials.apps[0]!.bearer_token}` } })
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
const json = async (answer: Promise<Response>): Promise<any> => (await answer).json()

test('both machines have the same first world and the same credentials', () => {
  expect(second.credentials.apps).toEqual(first.credentials.apps)
  expect(second.credentials.users).toEqual(first.credentials.users)
  expect(second.credentials.admin_key).toBe(first.credentials.admin_key)
})

test('what one machine changes is seen by the other', async () => {
  const made = await json(signed(first, 'POST', '/2/posts', { text: `Over there ${process.pid}` }))
  const path = `/2/posts/${made.data.id}`
  expect((await json(read(second, path))).data.id).toBe(made.data.id)
  const author = `/2/users/${first.credentials.users[0]!.id}?user.fields=public_metrics`
  const before = (await json(read(second, author))).data.public_metrics.post_count
  expect((await signed(first, 'DELETE', path)).status).toBe(200)
  await expect.poll(async () => (await json(read(second, path))).data, { interval: 50 }).toBeUndefined()
  await expect
    .poll(async () => (await json(read(second, author))).data.public_metrics.post_count, {
      interval: 50,
    })
    .toBe(before - 1)
})

test('a token that one machine invalidates is refused by the other', async () => {
  expect((await signed(second, 'GET', '/2/users/me')).status).toBe(200)
  const path = '/1.1/oauth/invalidate_token'
  expect((await signed(first, 'POST', path)).status).toBe(200)
  await expect.poll(async () => (await signed(second, 'GET', '/2/users/me')).status, { interval: 50 }).toBe(401)
})

test('a signed request cannot be replayed on the other machine', async () => {
  const path = '/2/users/me'
  const pair = await (
    await fetch(`${first.baseUrl}/_rostra/commands/user.token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.credentials.admin_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'bob', app: (await apps())[0].id }),
    })
  ).json()
  const app = first.credentials.apps[0]!
  // Both answer for the same public host, as behind one address.
  const headers = {
    host: 'api.example.test',
    authorization: sign('GET', `http://api.example.test${path}`, {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }),
  }
  expect(await statusWithHost(first, path, headers)).toBe(200)
  expect(await statusWithHost(second, path, headers)).toBe(401)
})

async function apps() {
  const answer = await fetch(`${first.baseUrl}/_rostra/commands/app.list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.credentials.admin_key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return ((await answer.json()) as { apps: { id: string }[] }).apps as [{ id: string }]
}

// fetch does not let the Host header be chosen.
async function statusWithHost(server: ChildServer, path: string, headers: Record<string, string>): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    request(server.baseUrl + path, { headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

test('the numbers that keep the ids of machines apart are held again after their connections broke', async () => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const held = async (): Promise<{ n: number; pid: number }[]> => {
    const { rows } = await client.query(
      `select objid::int as n, pid from pg_locks where locktype = 'advisory' and classid::int = $1 and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database()) order by n`,
      [LOCK.machineNumber],
    )
    return rows
  }
  try {
    const before = await held()
    expect(before.map((row) => row.n)).toEqual([...new Set(before.map((row) => row.n))])
    expect(before).toHaveLength(4)
    const pids = new Set(before.map((row) => row.pid))
    for (const pid of pids) await client.query('select pg_terminate_backend($1)', [pid])
    await expect
      .poll(async () => (await held()).filter((row) => !pids.has(row.pid)).map((row) => row.n))
      .toEqual(before.map((row) => row.n))
  } finally {
    await client.end()
  }
})

test('a clock that one machine freezes stands still on the other, and for what is written there', async () => {
  const clock = async (args: object) =>
    json(
      fetch(`${first.baseUrl}/_rostra/commands/clock`, {
        method: 'POST',
        headers: { authorization: `Bearer ${first.credentials.admin_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      }),
    )
  const time = async () => (await json(fetch(`${second.baseUrl}/health`))).time
  const { now } = await clock({ set: '2033-03-03T03:03:03Z', freeze: true })
  expect(now).toBe('2033-03-03T03:03:03.000Z')
  await expect.poll(time, { interval: 20 }).toBe(now)
  const url = `${second.baseUrl}/2/posts`
  const made = await json(
    fetch(url, {
      method: 'POST',
      headers: { authorization: sign('POST', url, keys(second, 'bob')), 'content-type': 'application/json' },
      body: JSON.stringify({ text: `Frozen ${process.pid}` }),
    }),
  )
  expect((await json(read(first, `/2/posts/${made.data.id}?post.fields=created_at`))).data.created_at).toBe(now)
  await clock({ reset: true })
  await expect.poll(time, { interval: 20 }).not.toMatch(/^2033/)
})

const command = (server: ChildServer, name: string, args: object) =>
  json(
    fetch(`${server.baseUrl}/_rostra/commands/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.credentials.admin_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    }),
  )

test('a fault happens on both machines, as often as it says over both', async () => {
  const bob = '/2/users/by/username/bob'
  await command(first, 'fault.add', { match: bob, status: 503, times: 10 })
  let failed = 0
  const ask = async (server: ChildServer) => {
    const { status } = await read(server, bob)
    if (status === 503) failed += 1
    return status
  }
  await expect.poll(() => ask(second), { interval: 50 }).toBe(503)
  await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index % 2 === 0 ? first : second)))
  expect(failed).toBe(10)
})

test('a stream fault reaches the streams of the other machine', async () => {
  const stream = await openStream(second, '/2/posts/sample/stream')
  expect(stream.status).toBe(200)
  await command(first, 'stream.fault', { action: 'disconnect', disconnect_type: 'InternalError' })
  expect(await stream.next()).toMatchObject({ errors: [{ disconnect_type: 'InternalError' }] })
})
