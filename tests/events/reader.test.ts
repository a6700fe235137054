import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { emit } from '../../src/events/emit.ts'
import { readHead, readSequenceAt } from '../../src/events/log-tail.ts'
import { type ConsumerOptions, startConsumer } from '../../src/events/reader.ts'
import { type Sequencer, startSequencer } from '../../src/events/sequencer.ts'
import { createLogger } from '../../src/process/logger.ts'
import { transaction } from '../../src/storage/database.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const log = createLogger('silent', 'tests')
let server: TestServer
let sequencer: Sequencer
const running: { stop(): Promise<void> }[] = []

const db = () => server.runtime.database
const sql = async (text: string, values: unknown[] = []) => (await db().pool.query(text, values)).rows

beforeAll(async () => {
  server = await startTestServer()
  await sql('create table done (number bigserial, reader text, name text)')
})
beforeEach(async () => {
  await sql('truncate event_outbox, event_log, event_reader, done')
  await sql('update event_head set place = 0')
  sequencer = startSequencer(() => db().connection, log)
  running.push(sequencer)
})
afterEach(async () => {
  for (const item of running.splice(0).reverse()) await item.stop()
})
afterAll(() => server.close())

/** Writes events and waits until the log has them. */
async function happen(...names: string[]): Promise<void> {
  const before = Number(await readHead(db()))
  await transaction(db(), (tx) =>
    emit(tx, server.runtime, ...names.map((name) => ({ type: 'like.create' as const, payload: { like_id: name } }))),
  )
  sequencer.wake()
  await vi.waitFor(async () => expect(Number(await readHead(db()))).toBe(before + names.length), { timeout: 60_000 })
}

const nameOf = (event: LoggedEvent) => (event.payload as { like_id: string }).like_id
const sequenceOf = async (name: string) =>
  (await sql('select place from event_reader where name = $1', [name]))[0]?.place
const done = async (reader: string) =>
  (await sql('select name from done where reader = $1 order by number', [reader])).map((row) => row.name)

/** A reader that writes what it got; `after` may fail. */
function reader(name: string, options: Partial<ConsumerOptions> = {}, after: (names: string[]) => void = () => {}) {
  const made = startConsumer({
    name,
    database: db(),
    connection: db().connection,
    log,
    work: async (tx, events) => {
      const names = events.map(nameOf)
      await tx.query({ text: 'insert into done (reader, name) select $1, unnest($2::text[])', values: [name, names] })
      after(names)
    },
    ...options,
  })
  running.push(made)
  return made
}
const began = (name: string) =>
  vi.waitFor(async () => expect(await sequenceOf(name)).toBeDefined(), { timeout: 60_000 })

describe('a reader with a name', () => {
  test('begins at the head, and continues at its sequence when it is started again', async () => {
    await happen('before')
    const first = reader('a')
    await began('a')
    await happen('one', 'two')
    first.wake()
    await vi.waitFor(async () => expect(await done('a')).toEqual(['one', 'two']), { timeout: 60_000 })
    await first.stop()
    await happen('three')
    reader('a')
    await vi.waitFor(async () => expect(await done('a')).toEqual(['one', 'two', 'three']), { timeout: 60_000 })
    expect(await sequenceOf('a')).toBe('4')
  })

  test('gets at most as many events at once as it wants, in order', async () => {
    const sizes: number[] = []
    const made = reader('a', { batch: 4 }, (names) => sizes.push(names.length))
    await began('a')
    const names = Array.from({ length: 10 }, (_, index) => String(index))
    await happen(...names)
    made.wake()
    await vi.waitFor(async () => expect(await done('a')).toEqual(names), { timeout: 60_000 })
    expect(sizes).toEqual([4, 4, 2])
  })

  test('does work that failed again, keeps nothing of the failure and skips nothing', async () => {
    let failures = 0
    const made = reader('a', {}, () => {
      failures += 1
      if (failures <= 3) throw new Error('not yet')
    })
    await began('a')
    await happen('one', 'two')
    made.wake()
    await vi.waitFor(() => expect(failures).toBe(1), { timeout: 60_000 })
    expect([await done('a'), await sequenceOf('a')]).toEqual([[], '0'])
    await happen('three')
    await vi.waitFor(async () => expect(await done('a')).toEqual(['one', 'two', 'three']), { timeout: 60_000 })
    expect(failures).toBe(4)
  })

  test('says in the log that it failed, and why', async () => {
    const { log: recorded, lines } = recordedLog()
    let failures = 0
    reader('loud', { log: recorded }, () => {
      failures += 1
      if (failures === 1) throw new Error('not yet')
    })
    await began('loud')
    await happen('one')
    await vi.waitFor(async () => expect(await done('loud')).toEqual(['one']), { timeout: 60_000 })
    const errors = lines.filter(({ level }) => level === 'error')
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({
      msg: 'an event reader failed and tries the same events again',
      reader: 'loud',
      err: { message: 'not yet' },
    })
  })

  test('waits longer after each failure, whatever happens meanwhile', async () => {
    const at: number[] = []
    const made = reader('slow', {}, () => {
      at.push(performance.now())
      if (at.length <= 3) throw new Error('not yet')
    })
    await began('slow')
    await happen('one')
    for (let woken = 0; at.length < 4 && woken < 500; woken++) {
      made.wake()
      await wait(10)
    }
    await vi.waitFor(() => expect(at).toHaveLength(4), { timeout: 60_000 })
    const pauses = at.slice(1).map((time, index) => time - at[index]!)
    for (const [index, least] of [200, 400, 800].entries()) expect(pauses[index]).toBeGreaterThan(least - 20)
  })

  test('does something after the commit of its work, and nothing after a failure', async () => {
    const seen: unknown[] = []
    let tries = 0
    const made = reader('after', {
      work: async (tx, events) => {
        tries += 1
        await tx.query({ text: `insert into done (reader, name) values ('after', $1)`, values: [nameOf(events[0]!)] })
        if (tries === 1) throw new Error('not yet')
        return { committed: async () => void seen.push([tries, await done('after'), await sequenceOf('after')]) }
      },
    })
    await began('after')
    await happen('one')
    made.wake()
    await vi.waitFor(() => expect(seen).toEqual([[2, ['one'], '1']]), { timeout: 60_000 })
  })

  test('gets several events at once after a pause that its work asked for', async () => {
    const batches: string[][] = []
    const made = reader('resting', {
      work: async (_tx, events) => {
        batches.push(events.map(nameOf))
        return { restMs: 300 }
      },
    })
    await began('resting')
    await happen('one')
    made.wake()
    await vi.waitFor(() => expect(batches).toHaveLength(1), { timeout: 60_000 })
    for (const name of ['two', 'three', 'four']) {
      await happen(name)
      made.wake()
    }
    await vi.waitFor(() => expect(batches).toEqual([['one'], ['two', 'three', 'four']]), { timeout: 60_000 })
  })

  test('does not repeat what another holder has done meanwhile', async () => {
    reader('a')
    await began('a')
    await wait(100)
    await sql(`update event_reader set place = 2 where name = 'a'`)
    await happen('one', 'two', 'three')
    await vi.waitFor(async () => expect(await done('a')).toEqual(['three']), { timeout: 60_000 })
    expect(await sequenceOf('a')).toBe('3')
  })

  const holders = (name: string) =>
    sql(`select pid from pg_stat_activity where datname = current_database() and application_name = $1`, [
      `rostra reader ${name}`,
    ])

  test('is read by one of many, and by another one when that one loses its connection', async () => {
    const workedBy: number[] = []
    for (const number of [1, 2, 3]) reader('a', {}, (names) => workedBy.push(...names.map(() => number)))
    reader('b')
    await began('a')
    await began('b')
    await happen('one', 'two')
    await vi.waitFor(async () => expect(await done('a')).toEqual(['one', 'two']), { timeout: 60_000 })
    expect(new Set(workedBy).size).toBe(1)
    await vi.waitFor(async () => expect(await done('b')).toEqual(['one', 'two']), { timeout: 60_000 })
    // Processes that stand by have no connection of their own.
    await vi.waitFor(async () => expect(await holders('a')).toHaveLength(1), { timeout: 60_000 })
    const [held] = await holders('a')
    await sql('select pg_terminate_backend($1)', [held.pid])
    await happen('three')
    await vi.waitFor(async () => expect(await done('a')).toEqual(['one', 'two', 'three']), { timeout: 60_000 })
    expect((await holders('a')).map((row) => row.pid)).not.toContain(held.pid)
  })

  test('loses its work together with its connection, and its successor does it', async () => {
    let isStuck = true
    const made = reader('a', {
      work: async (tx, events) => {
        await tx.query({ text: `insert into done (reader, name) values ('a', $1)`, values: [nameOf(events[0]!)] })
        while (isStuck) await wait(20)
      },
    })
    await began('a')
    await happen('one')
    made.wake()
    const held = () =>
      sql(`select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
      and application_name = 'rostra reader a'`)
    const [working] = await vi.waitFor(
      async () => {
        const rows = await held()
        expect(rows).toHaveLength(1)
        return rows
      },
      { timeout: 60_000 },
    )
    await sql('select pg_terminate_backend($1)', [working.pid])
    reader('a')
    await vi.waitFor(async () => expect(await sequenceOf('a')).toBe('1'), { timeout: 60_000 })
    isStuck = false
    await made.stop()
    expect(await done('a')).toEqual(['one'])
  })
})

describe('the sequence at a moment', () => {
  const store = async (place: number, happened: string, logged = happened.slice(0, 10)) =>
    sql(
      `insert into event_log (place, type, payload, happened_at, logged_on) values ($1, 'like.create', '{}', $2, $3)`,
      [place, happened, logged],
    )
  const at = (moment: string) => readSequenceAt(db(), new Date(moment))

  test('is the last one before it: what happened at the moment itself comes after it', async () => {
    await store(1, '2026-03-01T23:59:59Z')
    await store(2, '2026-03-02T00:00:00Z')
    await store(3, '2026-03-02T00:00:01Z')
    await sql('update event_head set place = 3')
    expect(await at('2026-03-02T00:00:00Z')).toBe('1')
    expect(await at('2026-03-02T00:00:00.001Z')).toBe('2')
    expect(await at('2026-02-20T00:00:00Z')).toBe('0')
    expect(await at('2026-03-02T00:00:02Z')).toBe('3')
  })

  test('has everything later after it, even what was stored before something older', async () => {
    await store(1, '2026-03-02T10:00:00Z')
    await store(2, '2026-03-02T10:00:09Z')
    await store(3, '2026-03-02T10:00:05Z')
    await store(4, '2026-03-02T10:00:10Z')
    await sql('update event_head set place = 4')
    expect(await at('2026-03-02T10:00:06Z')).toBe('1')
  })

  test('is found where the clock was moved days ahead of the day on which events were stored', async () => {
    await server.command('clock', { advance_ms: 10 * 86_400_000 })
    await store(1, '2026-03-12T10:00:00Z', '2026-03-02')
    await store(2, '2026-03-12T10:05:00Z', '2026-03-02')
    await sql('update event_head set place = 2')
    expect(await at('2026-03-12T10:01:00Z')).toBe('1')
    await server.command('clock', { reset: true })
  })

  test('is the head of an empty log', async () => {
    await sql('update event_head set place = 7')
    expect(await at('2026-03-02T10:00:00Z')).toBe('7')
  })
})
