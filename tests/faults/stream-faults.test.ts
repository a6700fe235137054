import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DISCONNECT_TYPES } from '../../src/api-kit/writing/problem-words.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const STREAM = '/2/posts/search/stream'
let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  for (const as of ['app', 'second-app'] as const)
    await server.post('/2/posts/search/stream/rules', { add: [{ value: '#fault' }] }, as)
})
afterAll(() => server.close())

let written = 0
async function write(): Promise<string> {
  written += 1
  const text = `Post ${written} #fault`
  expect((await server.post('/2/posts', { text }, { user: 'alice' })).status).toBe(201)
  return text
}
async function connect(as: 'app' | 'second-app' = 'app'): Promise<ReadStream> {
  const stream = await openStream(server, STREAM, as)
  expect(stream.status, stream.text).toBe(200)
  return stream
}
const act = (action: string, more: object = {}) => server.command('stream.fault', { action, ...more })

test('disconnect ends streams with each type of the interface', async () => {
  for (const disconnect_type of DISCONNECT_TYPES) {
    const stream = await connect()
    expect(await act('disconnect', { disconnect_type })).toEqual({ streams: 1 })
    expect(await stream.next()).toMatchObject({ errors: [{ title: 'operational-disconnect', disconnect_type }] })
    expect(await stream.next()).toBeUndefined()
  }
  const stream = await connect()
  await act('disconnect')
  expect(await stream.next()).toMatchObject({ errors: [{ disconnect_type: 'OperationalDisconnect' }] })
})

test('drop cuts the connection without a last line, and the history says so', async () => {
  const stream = await connect()
  expect(await act('drop')).toEqual({ streams: 1 })
  expect(await stream.next()).toBeUndefined()
  expect(stream.text).toBe('')
  const history = '/2/connections?status=inactive&connection.fields=disconnect_reason'
  await expect
    .poll(async () => (await server.get(history)).body.data?.[0]?.disconnect_reason)
    .toBe('connection_dropped')
})

test('a stalled stream sends nothing until it is resumed; others go on', async () => {
  const [stalled, other] = [await connect(), await connect('second-app')]
  const name = server.credentials.apps[0]!.name
  expect(await act('stall', { app: name })).toEqual({ streams: 1 })
  const text = await write()
  expect((await other.next()).data.text).toBe(text)
  await pause(100)
  expect(stalled.text).toBe('')
  expect(await act('resume', { endpoint: 'filtered_stream' })).toEqual({ streams: 2 })
  expect((await stalled.next()).data.text).toBe(text)
  const next = await write()
  expect((await stalled.next()).data.text).toBe(next)
  stalled.close()
  other.close()
})

test('a stalled stream that is disconnected gets only the last line', async () => {
  const stream = await connect()
  await act('stall')
  await write()
  await pause(100)
  await act('disconnect', { disconnect_type: 'SlowReader' })
  expect(await stream.next()).toMatchObject({ errors: [{ disconnect_type: 'SlowReader' }] })
})

test('a reset resumes stalled streams', async () => {
  const stream = await connect()
  await act('stall')
  const text = await write()
  await pause(100)
  await server.post('/_rostra/reset', {}, { bearer: server.credentials.admin_key })
  expect((await stream.next()).data.text).toBe(text)
  stream.close()
})

test.each([
  [{ action: 'break' }, 'drop'],
  [{ action: 'disconnect', disconnect_type: 'Tired' }, 'SlowReader'],
  [{ action: 'stall', disconnect_type: 'SlowReader' }, 'disconnect_type'],
  [{ action: 'drop', endpoint: 'my_stream' }, 'filtered_stream'],
  [{ action: 'drop', app: 'No such app' }, 'No such app'],
])('%j is refused with what is allowed', async (args, words) => {
  const { status, text } = await server.tryCommand('stream.fault', args)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(text).toContain(words)
})
