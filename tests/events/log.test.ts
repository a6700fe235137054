import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { emit } from '../../src/events/emit.ts'
import { readEvents, readHead, startLogTail } from '../../src/events/log-tail.ts'
import type { NatsLine } from '../../src/events/nats-line.ts'
import { logTail, tailOf } from '../../src/events/runtime-tail.ts'
import { type Sequencer, startSequencer } from '../../src/events/sequencer.ts'
import { createLogger } from '../../src/process/logger.ts'
import {
  type ConnectionOptions,
  type Database,
  type Db,
  openDatabase,
  type Tx,
  transaction,
} from '../../src/storage/database.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const log = createLogger('fatal', 'tests')
let server: TestServer
let connection: ConnectionOptions
let writing: Database
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  server = await startTestServer()
  const { rows } = await server.runtime.database.pool.query('select current_database() as name')
  connection = { ...inject('connection'), database: rows[0].name, ssl: false } as ConnectionOptions
  writing = openDatabase(connection, { connections: 16, name: 'writers' })
})
beforeEach(async () => {
  await server.runtime.database.pool.query('truncate event_outbox, event_log')
  await server.runtime.database.pool.query('update event_head set place = 0')
})
afterEach(async () => {
  for (const item of running.splice(0)) await item.stop()
})
afterAll(async () => {
  await writing.close()
  await server.close()
})

function sequencer(): Sequencer {
  const made = startSequencer(() => connection, log)
  running.push(made)
  return made
}

const happening = (writer: number, number: number) => ({
  type: 'like.create' as const,
  actorId: String(writer),
  postId: String(number),
  payload: { like_id: `${writer}:${number}` },
})
const note = (tx: Tx, writer: number, number: number) => emit(tx, server.runtime, happening(writer, number))
const nameOf = (event: LoggedEvent) => (event.payload as { like_id: string }).like_id

async function readAll(): Promise<LoggedEvent[]> {
  const all: LoggedEvent[] = []
  for (;;) {
    const events = await readEvents(server.runtime.database, all.at(-1)?.sequence ?? '0')
    if (events.length === 0) return all
    all.push(...events)
  }
}

/** Ends the connections of this database that meet a condition; returns how many. */
async function terminate(condition: string): Promise<number> {
  const { rowCount } = await server.runtime.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity a where datname = current_database() and ${condition}`,
  )
  return rowCount ?? 0
}

const LEADING = `a.pid in (select l.pid from pg_locks l where l.locktype = 'advisory' and l.objid = 7462303 and l.granted)`
const LISTENING = `application_name = 'rostra log tail'`

const ROLLED_BACK = new Error('given up')

/** Writes transactions of random length, some rolled back; returns the committed names in order. */
async function write(writer: number, transactions: number): Promise<string[]> {
  const committed: string[] = []
  let number = 0
  for (let turn = 0; turn < transactions; turn++) {
    const names: string[] = []
    try {
      await transaction(writing, async (tx) => {
        for (let left = 1 + Math.floor(Math.random() * 4); left > 0; left--) {
          await note(tx, writer, number)
          names.push(`${writer}:${number}`)
          number += 1
          if (Math.random() < 0.5) await wait(Math.random() * 12)
        }
        if (Math.random() < 0.2) throw ROLLED_BACK
      })
      committed.push(...names)
    } catch (error) {
      if (error !== ROLLED_BACK) throw error
    }
  }
  return committed
}

describe('many writers, two sequencers whose leader is killed again and again, a tail whose connection is cut', () => {
  const WRITERS = 16
  let committed: string[][]
  let logged: LoggedEvent[]
  let delivered: LoggedEvent[]
  let leadersKilled = 0
  let earsKilled = 0

  beforeEach(async () => {
    if (logged) return
    const tail = await startLogTail(server.runtime.database, connection, log)
    running.push(tail)
    delivered = []
    tail.listen((events) => delivered.push(...events))
    const both = [sequencer(), sequencer()]
    let done = false
    const killing = (async () => {
      while (!done || leadersKilled < 4 || earsKilled < 3) {
        await wait(150)
        leadersKilled += await terminate(LEADING)
        if (leadersKilled % 2 === 1) earsKilled += await terminate(LISTENING)
      }
    })()
    const nudging = setInterval(() => both[Math.floor(Math.random() * 2)]!.wake(), 3)
    committed = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, 50)))
    done = true
    await killing
    clearInterval(nudging)
    const total = committed.flat().length
    await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe(String(total)), {
      timeout: 60_000,
    })
    await vi.waitFor(() => expect(delivered.length).toBeGreaterThanOrEqual(total), { timeout: 60_000 })
    logged = await readAll()
  })

  test('every committed event is in the log exactly once, and none that was rolled back', () => {
    expect(leadersKilled).toBeGreaterThanOrEqual(4)
    expect(logged.map(nameOf).sort()).toEqual(committed.flat().sort())
    expect(logged.length).toBeGreaterThan(WRITERS * 50)
  })

  test('sequences count from one without a gap', () => {
    expect(logged.map((event) => event.sequence)).toEqual(logged.map((_, index) => String(index + 1)))
  })

  test('the order is that of each writer', () => {
    for (const [writer, names] of committed.entries())
      expect(logged.filter((event) => event.actor_id === String(writer)).map(nameOf)).toEqual(names)
  })

  test('the tail delivered all of them once and in order', () => {
    expect(earsKilled).toBeGreaterThanOrEqual(3)
    expect(delivered.map((event) => event.sequence)).toEqual(logged.map((event) => event.sequence))
    expect(delivered.map(nameOf)).toEqual(logged.map(nameOf))
  })
})

test('an event is in the log soon after its commit, although the wake-up came before it', async () => {
  const leading = sequencer()
  const delays: number[] = []
  for (let number = 0; number < 7; number++) {
    await transaction(writing, async (tx) => {
      await note(tx, 1, number)
      leading.wake()
      await wait(15)
    })
    const committedAt = performance.now()
    while (Number(await readHead(server.runtime.database)) <= number) await wait(2)
    delays.push(performance.now() - committedAt)
  }
  // Without a second look it would be found at the next idle round, a quarter of a second later.
  expect(delays.sort((left, right) => left - right)[3]).toBeLessThan(120)
})

/** Starts a sequencer and waits until it leads. */
async function leader(): Promise<Sequencer> {
  const made = sequencer()
  await vi.waitFor(
    async () => {
      const { rows } = await server.runtime.database.pool.query(
        `select from pg_stat_activity a where datname = current_database() and ${LEADING}`,
      )
      expect(rows).toHaveLength(1)
    },
    { timeout: 60_000 },
  )
  return made
}

test('a sequencer that stands by passes a wake-up on to the leader, and no other takes it', async () => {
  await leader()
  const second = sequencer()
  sequencer()
  await vi.waitFor(
    async () => {
      const { rows } = await server.runtime.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'rostra sequencer' and state = 'idle'`,
      )
      expect(rows).toHaveLength(3)
    },
    { timeout: 60_000 },
  )
  const ear = new pg.Client(connection as pg.ClientConfig)
  await ear.connect()
  let calls = 0
  ear.on('notification', () => {
    calls += 1
  })
  await ear.query('listen rostra_outbox')
  second.wake()
  await vi.waitFor(() => expect(calls).toBe(1), { timeout: 60_000 })
  // Long enough for the third one to answer, if it was woken.
  await wait(200)
  await ear.end()
  expect(calls).toBe(1)
})

test('an event of a machine that stands by reaches the log', async () => {
  await leader()
  const second = sequencer()
  await transaction(writing, (tx) => note(tx, 1, 1))
  second.wake()
  await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('1'), { timeout: 60_000 })
  expect((await readAll()).map(nameOf)).toEqual(['1:1'])
})

test('a tail begins after the existing events, and a listener that fails costs the others nothing', async () => {
  sequencer()
  await transaction(writing, (tx) => note(tx, 1, 1))
  await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('1'), { timeout: 60_000 })
  const { log: recorded, lines } = recordedLog()
  const tail = await startLogTail(server.runtime.database, connection, recorded)
  running.push(tail)
  const delivered: string[] = []
  tail.listen(() => {
    throw new Error('a listener with a defect')
  })
  const end = tail.listen((events) => delivered.push(...events.map(nameOf)))
  await transaction(writing, (tx) => note(tx, 1, 2))
  await vi.waitFor(() => expect(delivered).toEqual(['1:2']), { timeout: 60_000 })
  expect(lines).toMatchObject([
    { level: 'error', msg: 'a listener of the event log failed', err: { message: 'a listener with a defect' } },
  ])
  end()
  await transaction(writing, (tx) => note(tx, 1, 3))
  await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('3'), { timeout: 60_000 })
  expect(delivered).toEqual(['1:2'])
})

test('a tail delivers more events at once than it reads in one statement', async () => {
  const tail = await startLogTail(server.runtime.database, connection, log)
  running.push(tail)
  const delivered: string[] = []
  tail.listen((events) => delivered.push(...events.map((event) => event.sequence)))
  await transaction(writing, (tx) =>
    emit(tx, server.runtime, ...Array.from({ length: 5_500 }, (_, number) => happening(1, number))),
  )
  sequencer()
  await vi.waitFor(() => expect(delivered).toHaveLength(5_500), { timeout: 60_000 })
  expect(delivered).toEqual(delivered.map((_, index) => String(index + 1)))
})

test('the log has an event as it was reported, at the time of the product', async () => {
  sequencer()
  await server.command('clock', { advance_ms: 3_600_000 })
  const [before, after] = await transaction(writing, async (tx) => {
    const from = server.runtime.clock.now()
    await emit(
      tx,
      server.runtime,
      {
        type: 'user.update',
        actorId: '1',
        targetId: '2',
        postId: '3',
        payload: { field: 'name', before: 'a', after: 'b' },
      },
      { type: 'like.delete', payload: {} },
    )
    return [from, server.runtime.clock.now()]
  })
  await server.command('clock', { reset: true })
  await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('2'), { timeout: 60_000 })
  const [first, second] = await readAll()
  expect(first).toMatchObject({
    sequence: '1',
    type: 'user.update',
    actor_id: '1',
    target_id: '2',
    post_id: '3',
    payload: { field: 'name', before: 'a', after: 'b' },
  })
  expect(second).toMatchObject({ type: 'like.delete', actor_id: null, target_id: null, post_id: null, payload: {} })
  expect(first!.happened_at.getTime()).toBeGreaterThanOrEqual(before!)
  expect(first!.happened_at.getTime()).toBeLessThanOrEqual(after!)
})

test('a tail follows a database that was restored to an earlier state from where its log ends', async () => {
  const moving = sequencer()
  const { log: recorded, texts } = recordedLog()
  const tail = await startLogTail(server.runtime.database, connection, recorded)
  running.push(tail)
  const delivered: string[] = []
  tail.listen((events) => delivered.push(...events.map(nameOf)))
  await transaction(writing, (tx) => emit(tx, server.runtime, ...[1, 2, 3].map((number) => happening(1, number))))
  moving.wake()
  await vi.waitFor(() => expect(delivered).toEqual(['1:1', '1:2', '1:3']), { timeout: 60_000 })
  await server.runtime.database.pool.query('truncate event_log')
  await server.runtime.database.pool.query('update event_head set place = 1')
  // The end of the log is looked for every ten seconds of the process.
  const now = performance.now.bind(performance)
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 11_000)
  try {
    await wait(1_500)
  } finally {
    later.mockRestore()
  }
  await transaction(writing, (tx) => note(tx, 2, 1))
  moving.wake()
  await vi.waitFor(() => expect(delivered).toEqual(['1:1', '1:2', '1:3', '2:1']), { timeout: 60_000 })
  expect(texts()).toEqual([
    'warn the event log ends at 1, before 3, which was delivered already; it is followed from its end',
  ])
})

test('a tail whose database fails says so, starts again, and misses nothing', async () => {
  const moving = sequencer()
  const { log: recorded, lines } = recordedLog()
  let isDown = false
  const failing: Db = {
    query: (query) => {
      if (isDown) throw new Error('no database here')
      return server.runtime.database.query(query)
    },
  }
  const tail = await startLogTail(failing, connection, recorded)
  running.push(tail)
  const delivered: string[] = []
  tail.listen((events) => delivered.push(...events.map(nameOf)))
  isDown = true
  await transaction(writing, (tx) => note(tx, 1, 1))
  moving.wake()
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 60_000 })
  expect(lines[0]).toMatchObject({ msg: 'the log tail failed and starts again', err: { message: 'no database here' } })
  isDown = false
  await vi.waitFor(() => expect(delivered).toEqual(['1:1']), { timeout: 60_000 })
})

describe('a leader with a line', () => {
  const lineOf = () => {
    const published = { events: [] as string[][], heads: [] as string[], calls: 0 }
    let waking: (() => void) | undefined
    const line = {
      isLive: () => true,
      publishEvents: (events: LoggedEvent[]) => published.events.push(events.map(({ sequence }) => sequence)),
      publishHead: (head: string) => published.heads.push(head),
      wakeLeader: () => {
        published.calls += 1
      },
      subscribe: (listener: { wake?(): void }) => {
        waking = listener.wake
        return () => {
          waking = undefined
        }
      },
    } as unknown as NatsLine
    return { line, published, wake: () => waking?.(), isSubscribed: () => waking !== undefined }
  }
  const lead = (line: NatsLine): Sequencer => {
    const made = startSequencer(() => connection, log, line)
    running.push(made)
    return made
  }

  test('publishes what it moved in order, and its head at once and every second', async () => {
    await transaction(writing, (tx) => emit(tx, server.runtime, ...[1, 2, 3].map((number) => happening(1, number))))
    const first = sequencer()
    await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('3'), { timeout: 60_000 })
    await first.stop()
    const { line, published, wake, isSubscribed } = lineOf()
    const leading = lead(line)
    await vi.waitFor(() => expect(published.heads).toEqual(['3']), { timeout: 60_000 })
    await transaction(writing, (tx) => emit(tx, server.runtime, ...[4, 5].map((number) => happening(1, number))))
    wake()
    await vi.waitFor(() => expect(published.events.flat()).toEqual(['4', '5']), { timeout: 60_000 })
    await vi.waitFor(() => expect(published.heads).toEqual(['3', '5', '5']), { timeout: 60_000 })
    // It leads, so it calls nobody.
    leading.wake()
    await wait(50)
    expect(published.calls).toBe(0)
    await leading.stop()
    expect(isSubscribed()).toBe(false)
  })

  test('is called by one who stands by, who is not woken by calls itself', async () => {
    lead(lineOf().line)
    await wait(300)
    const { line, published, wake } = lineOf()
    const standing = lead(line)
    await wait(300)
    wake()
    await wait(150)
    expect(published.calls).toBe(0)
    standing.wake()
    await vi.waitFor(() => expect(published.calls).toBe(1), { timeout: 60_000 })
    expect(published.events).toEqual([])
    expect(published.heads).toEqual([])
  })
})

test('a process has one tail, and one that could not start is started again for the next caller', async () => {
  const { runtime } = server
  expect(await tailOf(runtime)).toBe(await tailOf(runtime))
  let isDown = true
  const database = {
    connection,
    query: (...query: Parameters<Database['query']>) => {
      if (isDown) throw new Error('no database here')
      return runtime.database.query(...query)
    },
  } as Database
  // A runtime without NATS, whose database can be away: the type has no such part.
  const shared = logTail.create({ ...runtime, database, log, singleton: () => undefined } as never)
  await shared.stop()
  await expect(shared.get()).rejects.toThrow('no database here')
  isDown = false
  const tail = await shared.get()
  expect(await shared.get()).toBe(tail)
  const listening = async () =>
    (
      await runtime.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and ${LISTENING}`,
      )
    ).rowCount
  await vi.waitFor(async () => expect(await listening()).toBe(2), { timeout: 60_000 })
  await shared.stop()
  await vi.waitFor(async () => expect(await listening()).toBe(1), { timeout: 60_000 })
})

test('the days of today and tomorrow have partitions, old ones are dropped and younger ones kept', async () => {
  const partition = (days: number) => {
    const from = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const to = new Date(Date.now() + (days + 1) * 86_400_000).toISOString().slice(0, 10)
    return { name: `event_log_${from.replaceAll('-', '')}`, from, to }
  }
  const { pool } = server.runtime.database
  for (const days of [-30, -9, -3]) {
    const { name, from, to } = partition(days)
    await pool.query(`create table ${name} partition of event_log for values from ('${from}') to ('${to}')`)
  }
  sequencer()
  await transaction(writing, (tx) => note(tx, 1, 1))
  await vi.waitFor(async () => expect(await readHead(server.runtime.database)).toBe('1'), { timeout: 60_000 })
  const { rows } = await pool.query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'event_log'::regclass order by 1`,
  )
  expect(rows.map((row) => row.name)).toEqual([...[-3, 0, 1].map((days) => partition(days).name), 'event_log_other'])
  const stored = await pool.query('select tableoid::regclass::text as partition from event_log')
  expect(stored.rows).toEqual([{ partition: partition(0).name }])
})
