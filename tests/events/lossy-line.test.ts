import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { type LogTail, startLogTail } from '../../src/events/log-tail.ts'
import type { NatsLine } from '../../src/events/nats-line.ts'
import { createLogger } from '../../src/process/logger.ts'
import type { Db } from '../../src/storage/database.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

type Listener = Parameters<NatsLine['subscribe']>[0]

let server: TestServer
let tail: LogTail
let delivered: string[]
let reads: number
/** What the tail waits for before each read of the log. */
let gate: Promise<void>
let listener: Required<Pick<Listener, 'events' | 'head' | 'disconnected'>>
let subscribers: number
let isLive: boolean

const sql = (text: string, values: unknown[] = []) => server.runtime.database.pool.query(text, values)

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

// A line that is live and carries what the test says, so what it loses is known.
beforeEach(async () => {
  await sql('truncate event_outbox, event_log')
  await sql('update event_head set place = 10')
  reads = 0
  gate = Promise.resolve()
  subscribers = 0
  isLive = true
  const counting: Db = {
    query: async (query) => {
      reads += 1
      await gate
      return server.runtime.database.query(query)
    },
  }
  const line = {
    isLive: () => isLive,
    subscribe: (added: Listener) => {
      listener = added as typeof listener
      subscribers += 1
      return () => {
        subscribers -= 1
      }
    },
  } as NatsLine
  tail = await startLogTail(counting, server.runtime.database.connection, createLogger('silent', 'tests'), line)
  delivered = []
  tail.listen((events) => delivered.push(...events.map(({ sequence }) => sequence)))
  // The head, and the first look at the log.
  await vi.waitFor(() => expect(reads).toBe(2), { timeout: 60_000 })
  await new Promise((resolve) => setTimeout(resolve, 50))
  reads = 0
})
afterEach(() => tail.stop())

const batch = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    sequence: String(from + at),
    type: 'like.delete',
    actor_id: null,
    target_id: null,
    post_id: null,
    hidden_users: null,
    payload: {},
    happened_at: new Date(),
  }))

/** Stores events in the log, as the leader does before it publishes them. */
async function stored(from: number, to: number): Promise<void> {
  await sql(
    `insert into event_log (place, type, payload, happened_at, logged_on)
     select place, 'like.delete', '{}', now(), current_date from generate_series($1::bigint, $2::bigint) as place`,
    [from, to],
  )
  await sql('update event_head set place = $1', [to])
}
const arrive = (...sequences: number[]) =>
  vi.waitFor(() => expect(delivered).toEqual(sequences.map(String)), { timeout: 60_000 })

describe('a tail of a line that loses messages', () => {
  test('takes what continues its sequence from the line, without a read', () => {
    listener.events(batch(11, 12))
    listener.events(batch(13, 13))
    expect(delivered).toEqual(['11', '12', '13'])
    expect(reads).toBe(0)
  })

  test('takes nothing twice, and of a batch that overlaps only what is new', () => {
    listener.events(batch(11, 13))
    listener.events(batch(12, 13))
    listener.events(batch(13, 15))
    listener.events(batch(9, 16))
    expect(delivered).toEqual(['11', '12', '13', '14', '15', '16'])
    expect(reads).toBe(0)
  })

  test('reads what is missing before a batch from the log', async () => {
    await stored(11, 14)
    listener.events(batch(14, 14))
    await arrive(11, 12, 13, 14)
    expect(reads).toBeGreaterThan(0)
    listener.events(batch(15, 15))
    await arrive(11, 12, 13, 14, 15)
  })

  test('reads what only a newer head shows, and nothing for a head that it has reached', async () => {
    listener.head('10')
    listener.head('9')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(reads).toBe(0)
    await stored(11, 12)
    listener.head('12')
    await arrive(11, 12)
  })

  test('reads the log when the line breaks, and follows it from there', async () => {
    await stored(11, 11)
    isLive = false
    listener.disconnected()
    await arrive(11)
    await stored(12, 12)
    await sql(`notify rostra_log`)
    await arrive(11, 12)
  })

  test('takes batches that come during a read after it, whatever the read has found', async () => {
    await stored(11, 13)
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    listener.head('13')
    await vi.waitFor(() => expect(reads).toBe(1), { timeout: 60_000 })
    listener.events(batch(13, 14))
    listener.events(batch(15, 15))
    expect(delivered).toEqual([])
    open()
    await arrive(11, 12, 13, 14, 15)
  })

  test('reads again when more batches come during a read than it keeps', async () => {
    await stored(11, 11)
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    listener.head('11')
    await vi.waitFor(() => expect(reads).toBe(1), { timeout: 60_000 })
    for (let sequence = 12; sequence <= 90; sequence++) listener.events(batch(sequence, sequence))
    await stored(12, 90)
    open()
    await vi.waitFor(() => expect(delivered).toHaveLength(80), { timeout: 60_000 })
    expect(delivered).toEqual(Array.from({ length: 80 }, (_, at) => String(at + 11)))
  })

  test('ends its subscription when it stops', async () => {
    expect(subscribers).toBe(1)
    await tail.stop()
    expect(subscribers).toBe(0)
  })
})
