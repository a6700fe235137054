import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ChildServer, emptyDatabase, runRostra, startChildServer } from '../support/child-server.ts'
import { findNatsServer, NATS_PASSWORD, type NatsServer, prepareNats } from '../support/nats-server.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { sign } from '../support/sign.ts'

const program = findNatsServer()
const RULES = '/2/posts/search/stream/rules'

describe.runIf(program)('two machines with NATS between them', () => {
  let nats: NatsServer
  let client: pg.Client
  let servers: ChildServer[]
  let streams: ReadStream[] = []

  beforeAll(async () => {
    nats = await prepareNats(program!)
    await nats.start()
    const databaseUrl = await emptyDatabase()
    const flags = [
      ...['--database-url', databaseUrl, '--secret-key', randomBytes(32).toString('hex')],
      ...['--workers', '1', '--rate-limits', 'off', '--log-level', 'info'],
    ]
    servers = [
      await startChildServer({ flags: [...flags, '--nats-url', nats.url] }),
      await startChildServer({ flags, env: { NATS_URL: nats.url } }),
    ]
    client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
  })
  afterAll(async () => {
    for (const stream of streams) stream.close()
    await client?.end()
    for (const server of servers ?? []) await server.stop()
    await nats?.remove()
  })

  async function write(server: ChildServer, text: string): Promise<string> {
    const app = server.credentials.apps[0]!
    const user = server.credentials.users[1]!
    const url = `${server.baseUrl}/2/posts`
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: sign('POST', url, {
          consumerKey: app.api_key,
          consumerSecret: app.api_key_secret,
          token: user.access_token,
          tokenSecret: user.access_token_secret,
        }),
      },
      body: JSON.stringify({ text }),
    })
    expect(answer.status).toBe(201)
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const heard: string[][] = [[], []]
  /** Posts on both machines in turn, and waits until each of their streams has delivered all of it. */
  async function writeOnBoth(name: string, count: number, withinMs: number): Promise<void> {
    const before = heard.map((ids) => ids.length)
    for (let number = 0; number < count; number++) await write(servers[number % 2]!, `machinery ${name} ${number}`)
    await vi.waitFor(() => expect(heard.map((ids) => ids.length)).toEqual(before.map((known) => known + count)), {
      timeout: withinMs,
    })
  }
  /** Connections on which the tails of workers listen for PostgreSQL. */
  const ears = async () =>
    (
      await client.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'rostra log tail'`,
      )
    ).rowCount

  test('a stream of either machine delivers the events of both, once and in order, while NATS stops and starts', async () => {
    const made = await fetch(servers[0]!.baseUrl + RULES, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${servers[0]!.credentials.apps[0]!.bearer_token}`,
      },
      body: JSON.stringify({ add: [{ value: 'machinery' }] }),
    })
    expect(made.status).toBe(201)
    streams = await Promise.all(servers.map((server) => openStream(server, '/2/posts/search/stream')))
    expect(streams.map((stream) => stream.status)).toEqual([200, 200])
    for (const [index, stream] of streams.entries())
      void (async () => {
        for (;;) {
          const line = await stream.next(60_000)
          if (!line) return
          heard[index]!.push(line.data.id)
        }
      })().catch(() => {})
    await vi.waitFor(async () => expect(await ears()).toBe(0), { timeout: 60_000 })
    await writeOnBoth('with NATS', 20, 3_000)
    expect(await ears()).toBe(0)

    await nats.kill()
    await writeOnBoth('without NATS', 20, 6_000)
    expect(await ears()).toBe(2)

    await nats.start()
    await writeOnBoth('while it comes back', 20, 6_000)
    await vi.waitFor(async () => expect(await ears()).toBe(0), { timeout: 60_000 })
    await writeOnBoth('with NATS again', 20, 3_000)

    const { rows } = await client.query(
      `select e.post_id as id from event_log e join post p on p.id = e.post_id
        where e.type = 'post.create' and p.text like 'machinery %' order by e.place`,
    )
    const logged = rows.map((row) => row.id)
    expect(logged).toHaveLength(80)
    expect(heard).toEqual([logged, logged])
  })

  test('the log names the address of NATS and not its password', async () => {
    await wait(100)
    for (const server of servers) {
      expect(server.log()).toMatch(/connected to NATS at 127\.0\.0\.1:\d+"/)
      expect(server.log()).toContain('events come from PostgreSQL until it is back')
      expect(server.log()).not.toContain(NATS_PASSWORD)
    }
  })

  test('a machine starts and serves while NATS cannot be reached', async () => {
    await nats.kill()
    const third = await startChildServer({
      flags: ['--workers', '1', '--rate-limits', 'off', '--nats-url', `nats://rostra:${NATS_PASSWORD}@127.0.0.1:1`],
    })
    await write(third, 'all the same')
    await vi.waitFor(() => expect(third.log()).toContain('NATS at 127.0.0.1:1 cannot be reached'), {
      timeout: 60_000,
    })
    expect(third.log()).not.toContain(NATS_PASSWORD)
    expect(await third.stop()).toBe(0)
  })
})

test.each(['localhost:4222', 'http://name:hidden-word@nats.example', 'nats://', 'nats://a:%zz-hidden-word@b'])(
  'the NATS address %s is refused in one paragraph that does not repeat it',
  async (address) => {
    const refused = await runRostra(['start', '--port', '0', '--nats-url', address])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr.trimEnd()).toMatch(
      /^--nats-url \(NATS_URL\) is "\(hidden\)", but must be an address that begins with nats:\/\//,
    )
    expect(refused.stderr.trimEnd()).not.toContain('\n')
    expect(refused.stderr).not.toContain('hidden-word')
  },
)
