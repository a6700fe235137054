import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { readEvents, readHead, startLogTail } from '../../src/events/log-tail.ts'
import { startConsumer } from '../../src/events/reader.ts'
import { createLogger } from '../../src/process/logger.ts'
import { type ConnectionOptions, type Database, openDatabase } from '../../src/storage/database.ts'
import { type ChildServer, startChildServer } from '../support/child-server.ts'
import { postmasterOf, processesBelow, workersOf } from '../support/processes.ts'
import { sign } from '../support/sign.ts'

const WRITERS = 8
const READERS = ['reading-one', 'reading-two']
const log = createLogger('silent', 'tests')

let server: ChildServer
let database: Database

const killAll = (pids: number[]) => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended with its parent.
    }
  }
}
/** Ends database connections by their purpose, as soon as there are some; returns how many. */
const terminate = (condition: string): Promise<number> =>
  vi.waitFor(
    async () => {
      const { rowCount } = await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity a where ${condition}`,
      )
      expect(rowCount).toBeGreaterThan(0)
      return rowCount ?? 0
    },
    { timeout: 60_000 },
  )
const LEADING = `a.pid in (select l.pid from pg_locks l where l.locktype = 'advisory' and l.objid = 7462303 and l.granted)`

function call(method: string, path: string, writer: number, body?: object): Promise<{ status: number; id?: string }> {
  const { base_url, apps, users } = server.credentials
  const user = users[writer % 4]!
  const authorization = sign(method, base_url + path, {
    consumerKey: apps[0]!.api_key,
    consumerSecret: apps[0]!.api_key_secret,
    token: user.access_token,
    tokenSecret: user.access_token_secret,
  })
  return new Promise((resolve, reject) => {
    const headers = { authorization, ...(body ? { 'content-type': 'application/json' } : {}) }
    const request = http.request(base_url + path, { method, agent: false, headers }, (answer) => {
      let read = ''
      answer.on('data', (chunk) => {
        read += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, id: JSON.parse(read).data?.id }))
      answer.on('error', reject)
    })
    // A connection that was being passed to a worker when it was killed gets no answer and no end.
    request.setTimeout(2_000, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(body ? JSON.stringify(body) : undefined)
  })
}

/** Users in turn write posts and delete every third one. Keeps what was acknowledged, in order. */
function startWriters() {
  const acknowledged: string[][] = Array.from({ length: WRITERS }, () => [])
  let stopped = false
  const write = async (kept: string[], writer: number) => {
    for (let number = 0; !stopped; number++) {
      const made = await call('POST', '/2/posts', writer, { text: `${writer}/${number} of ${process.pid}` }).catch(
        () => undefined,
      )
      if (made?.status !== 201) continue
      kept.push(`post.create ${made.id}`)
      if (number % 3 !== 0) continue
      const gone = await call('DELETE', `/2/posts/${made.id}`, writer).catch(() => undefined)
      if (gone?.status === 200) kept.push(`post.delete ${made.id}`)
    }
  }
  const all = Promise.all(acknowledged.map(write))
  return {
    acknowledged,
    count: () => acknowledged.flat().length,
    stop: async () => {
      stopped = true
      await all
    },
  }
}

const readerPlaces = async (): Promise<string[]> =>
  (await database.pool.query('select place from event_reader where name = any ($1)', [READERS])).rows.map(
    (row) => row.place,
  )
const nameOf = (event: LoggedEvent) => `${event.type} ${event.post_id}`

// Only Linux has /proc, from which the processes are read.
describe.runIf(process.platform === 'linux')('many writers while workers, leaders and the database are killed', () => {
  let acknowledged: string[][]
  let begin: string
  let logged: LoggedEvent[]
  const delivered: LoggedEvent[][] = [[], []]
  const killed = { workers: 0, leaders: 0, readers: 0, databases: 0, failedWork: 0 }

  beforeAll(async () => {
    server = await startChildServer({ flags: ['--workers', '3', '--rate-limits', 'off'] })
    const connection = server.connection as ConnectionOptions
    database = openDatabase(connection, { connections: 12, name: 'event log test' })
    await database.pool.query('create table told (reader text, number bigserial, place bigint, name text)')
    const running: { stop(): Promise<void> }[] = []
    for (const kept of delivered) {
      const tail = await startLogTail(database, connection, log)
      tail.listen((events) => kept.push(...events))
      running.push(tail)
      // Two consumers compete for each reader, as processes of two machines do. Some of the work fails after it wrote.
      for (const [index, name] of READERS.entries())
        running.push(
          startConsumer({
            name,
            database,
            connection,
            log,
            batch: 40,
            ...(index === 0 ? { tail } : {}),
            work: async (tx, events) => {
              await tx.query({
                text: 'insert into told (reader, place, name) select $1, * from unnest($2::bigint[], $3::text[])',
                values: [name, events.map((event) => event.sequence), events.map(nameOf)],
              })
              if (Math.random() < 0.9) return
              killed.failedWork += 1
              throw new Error('work that fails')
            },
          }),
        )
    }
    await vi.waitFor(
      async () => {
        expect(await readerPlaces()).toHaveLength(READERS.length)
      },
      { timeout: 60_000 },
    )
    begin = await readHead(database)

    const writers = startWriters()
    const writeOn = async (more: number) => {
      const before = writers.count()
      await vi.waitFor(() => expect(writers.count()).toBeGreaterThan(before + more), { timeout: 60_000, interval: 20 })
    }
    for (let round = 0; round < 3; round++) {
      await writeOn(40)
      killed.leaders += await terminate(LEADING)
      await writeOn(30)
      const victim = workersOf(server)[round]!
      killAll([victim])
      killed.workers += 1
      killed.readers += await terminate(`application_name like 'rostra reader reading-%'`)
      await writeOn(40)
      const main = postmasterOf(server)
      killAll([main, ...processesBelow(main).map(({ pid }) => pid)])
      killed.databases += 1
      await writeOn(30)
    }
    await writers.stop()
    acknowledged = writers.acknowledged

    const waiting = async () => Number((await database.pool.query('select count(*) as n from event_outbox')).rows[0].n)
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 60_000 })
    await vi.waitFor(
      async () => {
        // Read each time: a request whose client gave up may still be stored a moment later.
        const head = await readHead(database)
        expect(await readerPlaces()).toEqual(READERS.map(() => head))
        expect(delivered.map((events) => events.at(-1)?.sequence)).toEqual([head, head])
      },
      { timeout: 60_000 },
    )
    for (const item of running) await item.stop()
    logged = []
    for (;;) {
      const events = await readEvents(database, logged.at(-1)?.sequence ?? begin)
      if (events.length === 0) break
      logged.push(...events)
    }
  })
  afterAll(async () => {
    await database?.close()
    await server?.stop()
  })

  test('enough was killed while enough was written', () => {
    expect(killed).toMatchObject({ workers: 3, databases: 3 })
    expect(killed.leaders).toBe(3)
    expect(killed.readers).toBeGreaterThanOrEqual(3)
    expect(killed.failedWork).toBeGreaterThan(0)
    expect(acknowledged.flat().length).toBeGreaterThan(400)
  })

  test('every acknowledged write is in the log exactly once', () => {
    const times = new Map<string, number>()
    for (const event of logged) times.set(nameOf(event), (times.get(nameOf(event)) ?? 0) + 1)
    expect(acknowledged.flat().filter((name) => times.get(name) !== 1)).toEqual([])
    expect([...times].filter(([, count]) => count !== 1)).toEqual([])
  })

  test('the log has a post exactly when it was stored, even when no client got the answer', async () => {
    const { rows } = await database.pool.query('select id from post where text like $1', [`%/% of ${process.pid}`])
    const made = new Set(logged.filter((event) => event.type === 'post.create').map((event) => event.post_id))
    const gone = new Set(logged.filter((event) => event.type === 'post.delete').map((event) => event.post_id))
    expect([...gone].filter((id) => !made.has(id))).toEqual([])
    expect(rows.map((row) => row.id).sort()).toEqual([...made].filter((id) => !gone.has(id)).sort())
  })

  test('sequences have no gap', () => {
    expect(logged.map((event) => event.sequence)).toEqual(
      logged.map((_, index) => String(BigInt(begin) + BigInt(index) + 1n)),
    )
  })

  test('the order is that of each writer', () => {
    const sequenceOf = new Map(logged.map((event) => [nameOf(event), Number(event.sequence)]))
    for (const names of acknowledged) {
      const sequences = names.map((name) => sequenceOf.get(name)!)
      expect(sequences).toEqual([...sequences].sort((left, right) => left - right))
    }
  })

  test('both tails delivered all of it once and in order, although the database ended meanwhile', () => {
    for (const events of delivered) expect(events).toEqual(logged)
  })

  test.each(READERS)('what the reader %s wrote is all of it once and in order', async (reader) => {
    const { rows } = await database.pool.query('select place, name from told where reader = $1 order by number', [
      reader,
    ])
    expect(rows.map((row) => `${row.place} ${row.name}`)).toEqual(
      logged.map((event) => `${event.sequence} ${nameOf(event)}`),
    )
  })
})
