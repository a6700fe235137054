import { randomBytes } from 'node:crypto'
import http from 'node:http'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endPostmaster, findPostmaster } from '../../src/storage/embedded/postmaster.ts'
import { startEmbeddedPostgres } from '../../src/storage/embedded/server.ts'
import { type ChildServer, removeFolder, startChildServer, temporaryFolder } from '../support/child-server.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { sign } from '../support/sign.ts'

// Two installations on one database stand for two machines. The database is their own, so it can be killed.
let folder: string
let database: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let servers: [ChildServer, ChildServer]
let flags: string[]
const startDatabase = async () => {
  database = await startEmbeddedPostgres({ folder, log: () => {} })
}

beforeAll(async () => {
  folder = temporaryFolder()
  await startDatabase()
  const { host, port, user, password } = database.connection
  const query = new URLSearchParams({ host, port: String(port), user })
  if (password !== undefined) query.set('password', password)
  flags = [
    '--database-url',
    `postgresql://localhost/postgres?${query}`,
    '--secret-key',
    randomBytes(32).toString('hex'),
  ]
  flags.push('--workers', '1', '--rate-limits', 'off')
  servers = [await startChildServer({ flags }), await startChildServer({ flags })]
  const made = await call(servers[0], 'POST', '/2/posts/search/stream/rules', { add: [{ value: 'outage' }] })
  expect(made).toBe(201)
  // A database and two servers are started one after the other.
})
afterAll(async () => {
  for (const server of servers ?? []) await server.stop()
  await killDatabase()
  await database.stop()
  removeFolder(folder)
})

async function killDatabase(): Promise<void> {
  const postmaster = await findPostmaster(path.join(folder, 'data'))
  if (postmaster)
    await endPostmaster(postmaster, [
      { signal: 'SIGQUIT', patienceMs: 5_000 },
      { signal: 'SIGKILL', patienceMs: 5_000 },
    ])
}

/** Calls as the first app or, to write, as a user; returns the status, 0 without an answer. */
function call(server: ChildServer, method: string, route: string, body: unknown, user?: number): Promise<number> {
  const url = server.baseUrl + route
  const { apps, users } = server.credentials
  const [app, someone] = [apps[0]!, users[user ?? 0]!]
  const keys = {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: someone.access_token,
    tokenSecret: someone.access_token_secret,
  }
  const authorization = user === undefined ? `Bearer ${app.bearer_token}` : sign(method, url, keys)
  return new Promise((resolve) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const request = http.request(url, { method, agent: false, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    request.on('error', () => resolve(0))
    request.end(JSON.stringify(body))
  })
}

let written = 0
const stored: string[] = []
/** Writes posts on both machines, and remembers those that were confirmed. */
async function write(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      written += 1
      const text = `outage ${written}`
      if ((await call(servers[written % 2]!, 'POST', '/2/posts', { text }, written % 4)) === 201) stored.push(text)
    }),
  )
}

const textsOf = (stream: ReadStream): string[] =>
  stream.text
    .split('\r\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"data"'))
    .map((line) => JSON.parse(line).data.text)

const connect = async (server: ChildServer, query = ''): Promise<ReadStream> => {
  const stream = await openStream(server, `/2/posts/search/stream${query}`)
  expect(stream.status, JSON.stringify(stream.body)).toBe(200)
  return stream
}

/** Every confirmed post exactly once; a post whose answer was lost may be there too. */
const expectAll = (texts: () => string[]) =>
  expect.poll(() => stored.filter((text) => texts().filter((other) => other === text).length !== 1)).toEqual([])

test('open streams of both machines go on without a gap after the database was killed', async () => {
  const streams = [await connect(servers[0]), await connect(servers[1])]
  await write(20)
  // Killed while events are on their way to the streams.
  const during = write(20)
  await killDatabase()
  await during
  await write(4)
  await startDatabase()
  await expect.poll(() => call(servers[0], 'POST', '/2/posts', { text: `back ${Math.random()}` }, 0)).toBe(201)
  await expect.poll(() => call(servers[1], 'POST', '/2/posts', { text: `back ${Math.random()}` }, 1)).toBe(201)
  await write(20)
  for (const stream of streams) await expectAll(() => textsOf(stream))
  // A client that ends while the database is away can connect again at once, and gets everything by a backfill.
  await killDatabase()
  for (const stream of streams) stream.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
  await startDatabase()
  await expect.poll(() => call(servers[0], 'POST', '/2/posts', { text: `back ${Math.random()}` }, 0)).toBe(201)
  await expect.poll(() => call(servers[1], 'POST', '/2/posts', { text: `back ${Math.random()}` }, 1)).toBe(201)
  const again = [await connect(servers[0], '?backfill_minutes=5'), await connect(servers[1], '?backfill_minutes=5')]
  await write(4)
  for (const stream of again) await expectAll(() => textsOf(stream))
  for (const stream of again) stream.close()
})

test('connections of a machine that died do not count', async () => {
  const client = new pg.Client({ ...database.connection, database: 'postgres', ssl: false })
  await client.connect()
  await expect
    .poll(async () => (await client.query('select from stream_connection where disconnected_at is null')).rowCount)
    .toBe(0)
  // The limit of the app is two connections.
  const ghosts = [await connect(servers[1]), await connect(servers[1])]
  expect((await openStream(servers[0], '/2/posts/search/stream')).status).toBe(429)
  const pid = servers[1].pid
  process.kill(pid, 'SIGKILL')
  await servers[1].ended
  for (const ghost of ghosts) expect(await ghost.next()).toBeUndefined()
  const open = async () => (await openStream(servers[0], '/2/posts/search/stream')).status
  await expect.poll(open).toBe(200)
  await client.end()
})
