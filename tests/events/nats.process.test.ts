import { setTimeout as wait } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { emit } from '../../src/events/emit.ts'
import { databaseMark } from '../../src/events/log.statements.ts'
import { readEvents, readHead, startLogTail } from '../../src/events/log-tail.ts'
import { type NatsLine, openNatsLine } from '../../src/events/nats-line.ts'
import { type Sequencer, startSequencer } from '../../src/events/sequencer.ts'
import { createLogger } from '../../src/process/logger.ts'
import {
  type ConnectionOptions,
  type Database,
  type Db,
  openDatabase,
  transaction,
} from '../../src/storage/database.ts'
import { findNatsServer, type NatsServer, prepareNats } from '../support/nats-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const program = findNatsServer()
const log = createLogger('fatal', 'tests')
let server: TestServer
let connection: ConnectionOptions
let writing: Database
let nats: NatsServer
const running: (() => Promise<void>)[] = []

describe.runIf(program)('events by NATS', () => {
  beforeAll(async () => {
    server = await startTestServer()
    connection = server.runtime.database.connection
    writing = openDatabase(connection, { connections: 16, name: 'writers' })
  })
  beforeEach(async () => {
    await server.runtime.database.pool.query('truncate event_outbox, event_log')
    await server.runtime.database.pool.query('update event_head set place = 0')
    nats = await prepareNats(program!)
    running.push(() => nats.remove())
    await nats.start()
  })
  afterEach(async () => {
    for (const stop of running.splice(0).reverse()) await stop()
  })
  afterAll(async () => {
    await writing.close()
    await server.close()
  })

  /** A separate line, as another process has it. */
  function line(url = nats.url, db: Db = server.runtime.database): NatsLine {
    const made = openNatsLine({ url, db, secretBox: server.runtime.secretBox, log })
    running.push(() => made.close())
    return made
  }
  function sequencer(by?: NatsLine): Sequencer {
    const made = startSequencer(() => connection, log, by)
    running.push(() => made.stop())
    return made
  }
  /** A tail that keeps what it delivers; `reads` counts its reads of PostgreSQL. */
  async function tail(by?: NatsLine, db: Db = server.runtime.database, own = connection) {
    const delivered: LoggedEvent[] = []
    const counted = { reads: 0, db: 'up' as 'up' | 'down' }
    const counting: Db = {
      query: (query) => {
        counted.reads += 1
        if (counted.db === 'down') throw new Error('no database here')
        return db.query(query)
      },
    }
    const made = await startLogTail(counting, own, log, by)
    running.push(() => made.stop())
    made.listen((events) => delivered.push(...events))
    return { delivered, counted }
  }
  const write = (count: number, writer = 1, begin = 0, payload = {}) =>
    transaction(writing, (tx) =>
      emit(
        tx,
        server.runtime,
        ...Array.from({ length: count }, (_, index) => ({
          type: 'like.create' as const,
          actorId: String(writer),
          payload: { like_id: `${writer}:${begin + index}`, ...payload },
        })),
      ),
    )
  const sequences = (events: LoggedEvent[]) => events.map((event) => event.sequence)
  const counted = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))
  /** How many connections of tails listen for wake-ups of PostgreSQL. */
  const listening = async () =>
    (
      await server.runtime.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'rostra log tail'`,
      )
    ).rowCount
  const live = (...lines: NatsLine[]) =>
    vi.waitFor(() => expect(lines.map((item) => item.isLive())).toEqual(lines.map(() => true)), { timeout: 60_000 })

  test('a tail has every event as the log has it, without a connection that listens and without asking the log', async () => {
    const [leading, following] = [line(), line()]
    const moving = sequencer(leading)
    const { delivered, counted: asked } = await tail(following)
    await live(leading, following)
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 60_000 })
    asked.reads = 0
    for (let number = 0; number < 20; number++) {
      await write(3, 1, number * 3)
      moving.wake()
      await wait(20)
    }
    await vi.waitFor(() => expect(delivered).toHaveLength(60), { timeout: 60_000 })
    expect(asked.reads).toBe(0)
    expect(delivered).toEqual(await readEvents(server.runtime.database, '0'))
    expect(sequences(delivered)).toEqual(counted(60))
  })

  test('events go on while the database of a machine cannot be reached', async () => {
    const following = line()
    const moving = sequencer(line())
    const { delivered, counted: asked } = await tail(following)
    await live(following)
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 60_000 })
    asked.db = 'down'
    await write(5)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(5)), { timeout: 60_000 })
  })

  test('NATS killed while many write, and started again: nothing is lost and the order is kept', async () => {
    const lines = [line(), line(), line(), line()]
    const both = [sequencer(lines[0]), sequencer(lines[1])]
    const tails = [await tail(lines[2]), await tail(lines[3]), await tail()]
    await live(...lines)
    let done = false
    const nudging = setInterval(() => both[Math.floor(Math.random() * 2)]!.wake(), 3)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      let number = 0
      while (!done) {
        await write(1 + Math.floor(Math.random() * 4), writer, number * 10)
        number += 1
        await wait(Math.random() * 20)
      }
    })
    const deliveredAll = () => Math.min(...tails.map((item) => item.delivered.length))
    for (let round = 0; round < 2; round++) {
      await wait(400)
      await nats.kill()
      // Delay is all that it costs: events go on to come while NATS is away.
      const before = deliveredAll()
      await vi.waitFor(() => expect(deliveredAll()).toBeGreaterThan(before + 100), { timeout: 60_000 })
      expect(lines.map((item) => item.isLive())).toEqual([false, false, false, false])
      await nats.start()
      await live(...lines)
    }
    await wait(400)
    done = true
    await Promise.all(writers)
    clearInterval(nudging)
    const total = async () =>
      Number((await server.runtime.database.pool.query('select count(*) as n from event_outbox')).rows[0].n)
    await vi.waitFor(async () => expect(await total()).toBe(0), { timeout: 60_000 })
    const head = Number(await readHead(server.runtime.database))
    await vi.waitFor(() => expect(deliveredAll()).toBe(head), { timeout: 60_000 })
    expect(head).toBeGreaterThan(500)
    for (const { delivered } of tails) {
      expect(sequences(delivered)).toEqual(counted(head))
      for (let writer = 0; writer < 8; writer++) {
        const numbers = delivered
          .filter((event) => event.actor_id === String(writer))
          .map((event) => Number((event.payload as { like_id: string }).like_id.split(':')[1]))
        expect(numbers).toEqual([...numbers].sort((left, right) => left - right))
      }
    }
    expect(tails[0]!.delivered).toEqual(tails[2]!.delivered)
    // With NATS back, only the tail without a line still listens on a connection.
    await vi.waitFor(async () => expect(await listening()).toBe(1), { timeout: 60_000 })
  })

  test('batches beyond what a message may hold are split, and an event that is too large alone is read from the log', async () => {
    const small = await prepareNats(program!, { maxPayload: 4_096 })
    running.push(() => small.remove())
    await small.start()
    const following = line(small.url)
    const moving = sequencer(line(small.url))
    const { delivered } = await tail(following)
    await live(following)
    await write(3_000)
    await write(1, 2, 0, { text: 'long '.repeat(2_000) })
    await write(1_000, 3)
    moving.wake()
    await vi.waitFor(() => expect(delivered).toHaveLength(4_001), { timeout: 60_000 })
    expect(sequences(delivered)).toEqual(counted(4_001))
    expect((delivered[3_000]!.payload as unknown as { text: string }).text).toHaveLength(10_000)
  })

  test('what fits into several messages is not read from the log', async () => {
    const small = await prepareNats(program!, { maxPayload: 2_048 })
    running.push(() => small.remove())
    await small.start()
    const following = line(small.url)
    const moving = sequencer(line(small.url))
    const { delivered, counted: asked } = await tail(following)
    await live(following)
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 60_000 })
    asked.reads = 0
    await write(200)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(200)), { timeout: 60_000 })
    expect(asked.reads).toBe(0)
  })

  test('an address with tls is not used without it', async () => {
    const plain = line()
    const secure = line(nats.url.replace('nats:', 'tls:'))
    sequencer(plain)
    await live(plain)
    await wait(300)
    expect(secure.isLive()).toBe(false)
  })

  test('a message that was lost is noticed', async () => {
    const following = line()
    const silent = line()
    const { publishEvents } = silent
    const moving = sequencer(silent)
    const { delivered } = await tail(following)
    await live(following)
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 60_000 })
    silent.publishEvents = () => {}
    await write(4)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(4)), { timeout: 60_000 })
    silent.publishEvents = publishEvents
    await write(1)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(5)), { timeout: 60_000 })
  })

  test('one who stands by calls the leader by NATS and not by PostgreSQL', async () => {
    const [first, second] = [line(), line()]
    sequencer(first)
    await live(first, second)
    const standing = sequencer(second)
    const listener = await server.runtime.database.pool.connect()
    let notified = 0
    listener.on('notification', () => {
      notified += 1
    })
    await listener.query('listen rostra_outbox')
    const delays: number[] = []
    for (let number = 1; number <= 9; number++) {
      await write(1)
      const writtenAt = performance.now()
      standing.wake()
      while (Number(await readHead(server.runtime.database)) < number) await wait(2)
      delays.push(performance.now() - writtenAt)
    }
    await listener.query('unlisten rostra_outbox')
    listener.release(true)
    expect(notified).toBe(0)
    // Without the call they would wait for the leader's next round: up to a quarter of a second.
    expect(delays.sort((left, right) => left - right)[4]).toBeLessThan(80)
  })

  test('messages of other installations and of a forger on the same NATS are ignored', async () => {
    const other = await startTestServer()
    running.push(() => other.close())
    const following = line()
    const leading = line()
    const elsewhere = line(nats.url, other.runtime.database)
    sequencer(leading)
    const here = await tail(following)
    const there = await tail(elsewhere, other.runtime.database, other.runtime.database.connection)
    await live(leading, following)
    expect(elsewhere.isLive()).toBe(false)
    const stranger = await connect({
      servers: new URL(nats.url).host,
      user: 'rostra',
      pass: decodeURIComponent(new URL(nats.url).password),
    })
    const { mark } = (await databaseMark.first(server.runtime.database))!
    const subject = `rostra.${server.runtime.secretBox.fingerprint}.${mark}.events`
    const forged = JSON.stringify([
      { place: '1', type: 'user.suspend', payload: {}, happened_at: '2026-01-01T00:00:00Z' },
    ])
    stranger.publish(subject, forged)
    stranger.publish(subject, `${server.runtime.secretBox.sign(forged)}${forged}`)
    stranger.publish(subject, 'x')
    await stranger.flush()
    await stranger.close()
    await write(2)
    await vi.waitFor(() => expect(here.delivered).toHaveLength(2), { timeout: 60_000 })
    expect(here.delivered.map((event) => event.type)).toEqual(['like.create', 'like.create'])
    expect(there.delivered).toEqual([])
  })

  test('of several addresses one that answers is used, whichever has the name and the password', async () => {
    const { host } = new URL(nats.url)
    const [first, second] = [line(`nats://127.0.0.1:1, ${nats.url}`), line(`${nats.url},nats://${host}`)]
    const moving = sequencer(first)
    const { delivered } = await tail(second)
    await live(first, second)
    await write(2)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(2)), { timeout: 60_000 })
  })

  test('a NATS that cannot be reached at the start is used once it can be', async () => {
    await nats.kill()
    const [leading, following] = [line(), line()]
    const moving = sequencer(leading)
    const { delivered } = await tail(following)
    await write(2)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(2)), { timeout: 60_000 })
    expect(await listening()).toBe(1)
    await nats.start()
    await live(leading, following)
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 60_000 })
    await write(2)
    moving.wake()
    await vi.waitFor(() => expect(sequences(delivered)).toEqual(counted(4)), { timeout: 60_000 })
  })
})
