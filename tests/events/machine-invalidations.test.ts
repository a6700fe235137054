import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { singletons } from '../../src/app.ts'
import { inMessages } from '../../src/events/machine-invalidations.ts'
import { natsLine } from '../../src/events/runtime-tail.ts'
import { startSequencer } from '../../src/events/sequencer.ts'
import { accountPart } from '../../src/identity/credentials.parts.ts'
import { createLogger } from '../../src/process/logger.ts'
import { createLocalBus } from '../../src/process/process-bus.ts'
import { readSettings } from '../../src/settings.ts'
import { createRuntime, type ProcessRuntime } from '../../src/start/create-runtime.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { findNatsServer, type NatsServer, prepareNats } from '../support/nats-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const SHARED = ['--database-url', 'postgresql://somewhere/else']
const log = createLogger('fatal', 'tests')

/** The runtime of another machine on the same database. */
function otherMachine(server: TestServer, flags: string[]): ProcessRuntime {
  return createRuntime({
    settings: readSettings(['--secret-key', TEST_SECRET_KEY, ...SHARED, ...flags], {}),
    database: openDatabase(server.runtime.database.connection, { connections: 2, name: 'another machine' }),
    bus: createLocalBus(),
    log,
    machine: 2,
    secretKey: TEST_SECRET_KEY,
    singletons,
  })
}

const listeners = {
  text: `select count(*)::int as count from pg_stat_activity where query = 'listen rostra_invalidate'`,
}
const isListening = async (server: TestServer) =>
  (await server.runtime.database.query<{ count: number }>(listeners)).rows[0]!.count

/** Every change is seen by the other machine although no entry grows old: time stands still for the caches. */
async function seesChanges(server: TestServer, other: ProcessRuntime): Promise<void> {
  const id = server.userId('bob')
  const isSuspended = async () => (await other.parts.one(accountPart, id))?.suspended
  vi.useFakeTimers({ toFake: ['performance'] })
  for (const suspended of [true, false, true, false]) {
    expect(await isSuspended()).toBe(!suspended)
    await server.command('user.update', { user: 'bob', suspended })
    await expect.poll(isSuspended, { interval: 5 }).toBe(suspended)
  }
}
afterEach(() => void vi.useRealTimers())

describe('messages about changes', () => {
  test('have the sender, and the ids by kind in their order', () => {
    expect(inMessages('me', [])).toEqual([])
    const texts = inMessages('me', [
      ['post', ['1', '2']],
      ['post', ['3']],
      ['user', ['4']],
      ['post', ['5']],
    ])
    expect(texts.map((text) => JSON.parse(text))).toEqual([
      [
        'me',
        [
          ['post', ['1', '2', '3']],
          ['user', ['4']],
          ['post', ['5']],
        ],
      ],
    ])
  })

  test('are divided so that each fits into a notification, and none is lost or empty', () => {
    const ids = Array.from({ length: 2_000 }, (_, number) => `é${number}`)
    const texts = inMessages('me', [
      ['post', ids],
      ['user', ids],
    ])
    expect(texts.length).toBeGreaterThan(4)
    for (const text of texts) {
      expect(Buffer.byteLength(text)).toBeLessThan(8_000)
      // Nearly full, but for the last one.
      if (text !== texts.at(-1)) expect(Buffer.byteLength(text)).toBeGreaterThan(2_500)
    }
    const read = texts.flatMap((text) => (JSON.parse(text) as [string, [string, string[]][]])[1])
    for (const kind of ['post', 'user'])
      expect(read.filter(([name]) => name === kind).flatMap(([, some]) => some)).toEqual(ids)
  })
})

describe('without NATS', () => {
  let server: TestServer
  let other: ProcessRuntime
  beforeAll(async () => {
    server = await startTestServer(SHARED, { newDatabase: true })
    other = otherMachine(server, [])
  })
  afterAll(async () => {
    await other.close()
    await server.close()
  })

  test('a change invalidates what another machine has cached, by a notification of the database', async () => {
    await expect.poll(() => isListening(server)).toBeGreaterThanOrEqual(2)
    await seesChanges(server, other)
  })

  test('a change that was missed while the connection was lost is seen when it is back', async () => {
    const id = server.userId('chika')
    const isSuspended = async () => (await other.parts.one(accountPart, id))?.suspended
    vi.useFakeTimers({ toFake: ['performance'] })
    expect(await isSuspended()).toBe(false)
    await server.runtime.database.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen rostra_invalidate'`,
    })
    await server.command('user.update', { user: 'chika', suspended: true })
    await expect.poll(isSuspended).toBe(true)
    await server.command('user.update', { user: 'chika', suspended: false })
    await expect.poll(isSuspended).toBe(false)
  })

  test('a change of many objects is passed on in several messages', async () => {
    const id = server.userId('alice')
    const ids = Array.from({ length: 2_000 }, (_, at) => `1${String(at).padStart(18, '0')}`)
    vi.useFakeTimers({ toFake: ['performance'] })
    const before = await other.parts.one(accountPart, id)
    expect(await other.parts.one(accountPart, id)).toBe(before)
    server.runtime.passOn([['other kind', ids]])
    server.runtime.passOn([[accountPart.kind, [...ids, id]]])
    await expect.poll(async () => (await other.parts.one(accountPart, id)) === before).toBe(false)
  })
})

const program = findNatsServer()
describe.runIf(program)('with NATS', () => {
  let nats: NatsServer
  let server: TestServer
  let other: ProcessRuntime
  let sequencer: { stop(): Promise<void> }
  beforeAll(async () => {
    nats = await prepareNats(program!)
    await nats.start()
    const flags = ['--nats-url', nats.url]
    server = await startTestServer([...SHARED, ...flags], { newDatabase: true })
    other = otherMachine(server, flags)
    const { database } = server.runtime
    sequencer = startSequencer(() => database.connection, log, server.runtime.singleton(natsLine))
  })
  afterAll(async () => {
    await sequencer.stop()
    await other.close()
    await server.close()
    await nats.remove()
  })

  test('a change invalidates what another machine has cached, without a connection that listens', async () => {
    await expect.poll(() => other.singleton(natsLine)!.isLive()).toBe(true)
    await expect.poll(() => server.runtime.singleton(natsLine)!.isLive()).toBe(true)
    await expect.poll(() => isListening(server)).toBe(0)
    await seesChanges(server, other)
  })
})
