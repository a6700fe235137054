import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { databaseMark } from '../../src/events/log.statements.ts'
import { type NatsLine, openNatsLine, readAddress, splitEvents } from '../../src/events/nats-line.ts'
import { findNatsServer, type NatsServer, prepareNats } from '../support/nats-server.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const event = (sequence: number, text = ''): LoggedEvent => ({
  sequence: String(sequence),
  type: 'like.create',
  actor_id: '1',
  target_id: null,
  post_id: null,
  payload: { like_id: text },
  happened_at: new Date('2026-01-02T03:04:05.678Z'),
  hidden_users: null,
})

describe('the address of NATS', () => {
  test.each([
    ['nats://example.com', { host: 'example.com:4222', servers: ['example.com:4222'] }],
    ['nats://example.com:5222', { host: 'example.com:5222', servers: ['example.com:5222'] }],
    ['tls://example.com', { host: 'example.com:4222', servers: ['example.com:4222'], tls: {} }],
    ['nats://a:1, tls://b:2', { host: 'a:1, b:2', servers: ['a:1', 'b:2'], tls: {} }],
    ['nats://to%2Fken@a:1', { host: 'a:1', servers: ['a:1'], token: 'to/ken' }],
    ['nats://me:pass%40word@a:1', { host: 'a:1', servers: ['a:1'], user: 'me', pass: 'pass@word' }],
    ['nats://a:1,nats://me:word@b:2', { host: 'a:1, b:2', servers: ['a:1', 'b:2'], user: 'me', pass: 'word' }],
  ])('%s is read', (text, options) => {
    expect(readAddress(text)).toEqual(options)
  })
})

describe('events are split into messages', () => {
  const bytesOf = (text: string) => Buffer.byteLength(text)
  const sequencesOf = (body: string) => (JSON.parse(body) as { place: string }[]).map(({ place }) => place)
  const one = bytesOf(splitEvents([event(1)], 10_000)[0]!) - 2

  test('of one event, of all that fit, and of none', () => {
    expect(splitEvents([], 100)).toEqual([])
    expect(splitEvents([event(1), event(2)], 10_000).map(sequencesOf)).toEqual([['1', '2']])
  })

  test('that are full to the last byte', () => {
    // Each event takes a comma too.
    const room = 2 * (one + 1)
    expect(splitEvents([event(1), event(2), event(3)], room).map(sequencesOf)).toEqual([['1', '2'], ['3']])
    expect(splitEvents([event(1), event(2), event(3)], room - 1).map(sequencesOf)).toEqual([['1'], ['2'], ['3']])
    for (const body of splitEvents([event(1), event(2)], room)) expect(bytesOf(body)).toBeLessThanOrEqual(room + 1)
  })

  test('without an event that is too large, whose neighbours are sent', () => {
    const events = [event(1), event(2, 'x'.repeat(500)), event(3), event(4)]
    expect(splitEvents(events, 2 * (one + 1)).map(sequencesOf)).toEqual([['1'], ['3', '4']])
  })

  test('by bytes and not by characters', () => {
    const room = one + 1 + 30
    expect(splitEvents([event(1, 'é'.repeat(15))], room)).toHaveLength(1)
    expect(splitEvents([event(1, 'é'.repeat(16))], room)).toHaveLength(0)
  })
})

const program = findNatsServer()
describe.runIf(program)('a line', () => {
  let server: TestServer
  let nats: NatsServer
  const open: NatsLine[] = []
  beforeAll(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    nats = await prepareNats(program!)
    await nats.start()
  })
  afterEach(async () => {
    for (const line of open.splice(0)) await line.close()
    await nats.remove()
  })
  afterAll(() => server.close())

  const openLine = (url = nats.url, log = recordedLog()) => {
    const line = openNatsLine({ url, db: server.runtime.database, secretBox: server.runtime.secretBox, log: log.log })
    open.push(line)
    return { line, ...log }
  }
  /** The leader publishes its head until the others have received it. */
  const meet = async (leading: NatsLine, ...others: NatsLine[]) =>
    vi.waitFor(
      () => {
        leading.publishHead('7')
        for (const line of others) expect(line.isLive()).toBe(true)
      },
      { timeout: 60_000 },
    )

  test('carries events, heads, invalidations and calls to those who asked for them, and not to those who left', async () => {
    const [leading, following] = [openLine().line, openLine().line]
    const got: unknown[] = []
    const leave = following.subscribe({
      events: (events) => got.push(events),
      head: (head) => got.push(head),
      invalidations: (text) => got.push(text),
      wake: () => got.push('woken'),
    })
    await meet(leading, following)
    await vi.waitFor(() => expect(got).toContain('7'))
    got.length = 0
    leading.publishEvents([event(1), event(2)])
    leading.publishInvalidations('["a",[["post",["1"]]]]')
    leading.wakeLeader()
    leading.publishHead('8')
    await vi.waitFor(() => expect(got).toContain('8'), { timeout: 60_000 })
    // Messages of different kinds have no common order.
    await vi.waitFor(() => expect(got.filter((item) => item !== '7')).toHaveLength(4), { timeout: 60_000 })
    expect(got).toEqual(expect.arrayContaining([[event(1), event(2)], '["a",[["post",["1"]]]]', 'woken', '8']))
    leave()
    got.length = 0
    leading.publishEvents([event(3)])
    await meet(leading, following)
    expect(got).toEqual([])
  })

  test('is live only while the leader is heard: its own calls and invalidations do not count', async () => {
    const [leading, following] = [openLine().line, openLine().line]
    following.subscribe({ invalidations: () => {}, wake: () => {} })
    for (let sent = 0; sent < 20; sent++) {
      leading.publishInvalidations('["a",[]]')
      leading.wakeLeader()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(following.isLive()).toBe(false)
    await meet(leading, following)
    const now = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_100)
    expect(following.isLive()).toBe(false)
    later.mockRestore()
  })

  test('says in the log what happens to its connection, without the password', async () => {
    const { line, texts, lines } = openLine()
    const other = openLine().line
    const { host, password } = new URL(nats.url)
    let disconnections = 0
    line.subscribe({
      disconnected: () => {
        disconnections += 1
      },
    })
    await meet(other, line)
    await nats.kill()
    await vi.waitFor(() => expect(disconnections).toBe(1), { timeout: 60_000 })
    expect(line.isLive()).toBe(false)
    // Nothing is kept for later while there is no connection.
    line.publishHead('9')
    await nats.start()
    await vi.waitFor(() => expect(texts().at(-1)).toBe(`info connected to NATS at ${host} again`), { timeout: 60_000 })
    expect(texts().filter((text) => !text.includes('reports'))).toEqual([
      `info connected to NATS at ${host}`,
      `warn the connection to NATS at ${host} is lost; events come from PostgreSQL until it is back`,
      `info connected to NATS at ${host} again`,
    ])
    await meet(other, line)
    expect(JSON.stringify(lines)).not.toContain(decodeURIComponent(password))
  })

  test('says that NATS cannot be reached, and is used when it can be', async () => {
    await nats.kill()
    const { line, texts } = openLine()
    const { host } = new URL(nats.url)
    await vi.waitFor(() => expect(texts()).toHaveLength(1), { timeout: 60_000 })
    expect(texts()[0]).toMatch(/^warn NATS at \S+ cannot be reached \(.+\); events come from PostgreSQL until it can$/)
    await nats.start()
    await vi.waitFor(() => expect(texts().at(-1)).toBe(`info connected to NATS at ${host}`), { timeout: 60_000 })
    await line.close()
    expect(line.isLive()).toBe(false)
  })

  test('survives a listener that fails, and says so', async () => {
    const [leading, { line, lines }] = [openLine().line, openLine()]
    const heads: string[] = []
    const fail = line.subscribe({
      head: () => {
        throw new Error('a listener with a defect')
      },
    })
    await vi.waitFor(
      () => {
        leading.publishHead('1')
        expect(lines.some(({ msg }) => msg === 'a NATS message could not be handled')).toBe(true)
      },
      { timeout: 60_000 },
    )
    expect(lines.find(({ level }) => level === 'warn')?.err?.message).toBe('a listener with a defect')
    fail()
    line.subscribe({ head: (head) => heads.push(head) })
    leading.publishHead('2')
    await vi.waitFor(() => expect(heads.at(-1)).toBe('2'), { timeout: 60_000 })
  })

  test('warns once of messages that are not signed with its key', async () => {
    const [leading, { line, texts }] = [openLine().line, openLine()]
    const heads: string[] = []
    line.subscribe({ head: (head) => heads.push(head) })
    await meet(leading, line)
    heads.length = 0
    const url = new URL(nats.url)
    const stranger = await connect({ servers: url.host, user: url.username, pass: decodeURIComponent(url.password) })
    const { mark } = (await databaseMark.first(server.runtime.database))!
    const subject = `rostra.${server.runtime.secretBox.fingerprint}.${mark}.head`
    for (const body of ['"9"', `${'x'.repeat(43)}"9"`, '']) stranger.publish(subject, body)
    await stranger.flush()
    await stranger.close()
    leading.publishHead('8')
    await vi.waitFor(() => expect(heads.at(-1)).toBe('8'), { timeout: 60_000 })
    expect(heads).not.toContain('9')
    const warning = 'warn NATS messages that are not signed with the key of this installation are ignored'
    expect(texts().filter((text) => text.startsWith('warn'))).toEqual([warning])
  })
})
