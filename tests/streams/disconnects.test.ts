import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emit } from '../../src/events/emit.ts'
import { isInPartition } from '../../src/streams/share.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

// Each test has its own app, and all tests wait at the same time.
const LABELS = '/2/posts/label/stream'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

async function newApp(name: string): Promise<{ id: string; as: { bearer: string } }> {
  const made = await server.command('app.create', { name, owner: 'alice', tier: 'enterprise' })
  return { id: made.id, as: { bearer: made.bearer_token } }
}

async function connect(path: string, as: { bearer: string }): Promise<ReadStream> {
  const stream = await openStream(server, path, as)
  expect(stream.status, stream.text).toBe(200)
  return stream
}

const disconnectLine = (disconnect_type: string, detail: string, problemBase: string) => ({
  errors: [{ title: 'operational-disconnect', disconnect_type, detail, type: `${problemBase}/operational-disconnect` }],
})

const historyOf = async (as: { bearer: string }) =>
  (await server.get('/2/connections?status=inactive&connection.fields=disconnect_reason,disconnected_at', as)).body.data

test.concurrent('a stream without events gets a blank line within 20 seconds', async () => {
  const { as } = await newApp('Silent app')
  const stream = await connect(LABELS, as)
  const opened = performance.now()
  while (stream.text === '' && performance.now() - opened < 20_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
  expect(stream.text).toBe('\r\n')
  expect(performance.now() - opened).toBeGreaterThan(5_000)
  stream.close()
})

test.concurrent('a server that stops sends its streams a last line and ends them', async () => {
  const own = await startTestServer([], { events: true })
  const stream = await openStream(own, LABELS)
  const stopping = own.close()
  const detail = 'This stream has been disconnected for operational reasons.'
  expect(await stream.next()).toEqual(disconnectLine('OperationalDisconnect', detail, own.runtime.problemBase))
  expect(await stream.next()).toBeUndefined()
  await stopping
})

test.concurrent('the streams of a suspended app end within seconds, and it cannot open new ones', async () => {
  const { id, as } = await newApp('Suspended app')
  const stream = await connect(LABELS, as)
  await server.command('app.update', { app: id, suspended: true })
  const detail = 'This stream has been disconnected because the app may no longer use it.'
  expect(await stream.next()).toEqual(
    disconnectLine('ClientApplicationStateDegraded', detail, server.runtime.problemBase),
  )
  expect(await stream.next()).toBeUndefined()
  expect((await openStream(server, LABELS, as)).status).toBe(403)
  await server.command('app.update', { app: id, suspended: false })
  expect((await historyOf(as))[0].disconnect_reason).toBe('ClientApplicationStateDegraded')
})

test.concurrent('rules that a lower tier does not allow end the stream, and must be deleted before anything else', async () => {
  const { id, as } = await newApp('Lowered app')
  const RULES = '/2/posts/search/stream/rules'
  const STREAM = '/2/posts/search/stream'
  const long = `tea ${'a'.repeat(1_100)}`
  const added = await server.post(RULES, { add: [{ value: long }, { value: 'coffee' }] }, as)
  const stream = await connect(STREAM, as)
  await server.command('app.update', { app: id, tier: 'self-serve' })
  const detail = 'This stream has been disconnected because the rules of the app are not valid.'
  expect(await stream.next()).toEqual(disconnectLine('InvalidRules', detail, server.runtime.problemBase))
  const excess = '1 of the rules have more than the 1024 characters of the tier self-serve.'
  const again = await server.get(STREAM, as)
  expect([again.status, again.body.connection_issue, again.body.detail]).toEqual([
    409,
    'RulesInvalidIssue',
    `${excess} Delete rules before you connect.`,
  ])
  const refused = await server.post(RULES, { add: [{ value: 'milk' }] }, as)
  expect([refused.status, refused.body]).toEqual([
    422,
    {
      title: 'NonCompliantRules',
      detail: `${excess} Delete them before you add others.`,
      type: expect.stringMatching(/\/2\/problems\/noncompliant-rules$/),
    },
  ])
  const [rule] = added.body.data
  expect((await server.post(RULES, { delete: { ids: [rule.id] } }, as)).status).toBe(200)
  expect((await server.post(RULES, { add: [{ value: 'milk' }] }, as)).status).toBe(201)
  const opened = await connect(STREAM, as)
  opened.close()
})

test.concurrent('a stream is not opened while the server does not follow the events yet', async () => {
  const own = await startTestServer()
  const lock = await own.runtime.database.pool.connect()
  try {
    await lock.query('begin')
    await lock.query('lock table event_head in access exclusive mode')
    const refused = await own.get(LABELS)
    expect([refused.status, refused.body]).toEqual([
      503,
      {
        title: 'ConnectionException',
        detail: 'The stream is being set up on this server. Connect again in a few seconds.',
        connection_issue: 'ProvisioningSubscription',
        type: expect.stringMatching(/\/2\/problems\/streaming-connection$/),
      },
    ])
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  const opened = await openStream(own, LABELS)
  expect(opened.status).toBe(200)
  opened.close()
  await own.close()
})

test.concurrent('the streams of an app whose tier changes end within seconds, and it can connect again', async () => {
  const { id, as } = await newApp('Moving app')
  const stream = await connect(LABELS, as)
  await server.command('app.update', { app: id, tier: 'partner' })
  const detail = 'This stream has been disconnected because the app may no longer use it.'
  expect(await stream.next()).toEqual(
    disconnectLine('ClientApplicationStateDegraded', detail, server.runtime.problemBase),
  )
  const again = await openStream(server, LABELS, as)
  expect(again.status).toBe(200)
  again.close()
})

test.concurrent('a stream that its app ends gets a last line with the reason', async () => {
  const { as } = await newApp('Ending app')
  const stream = await connect(LABELS, as)
  expect((await server.delete('/2/connections/all', as)).body.data.successful_kills).toBe(1)
  const detail = 'This stream has been disconnected at the request of the app.'
  expect(await stream.next()).toEqual(disconnectLine('ForceDisconnect', detail, server.runtime.problemBase))
  expect(await stream.next()).toBeUndefined()
  expect((await historyOf(as))[0].disconnect_reason).toBe('operator_disconnect')
})

test.concurrent('a disconnect by the client is recorded as such', async ({ expect }) => {
  const { as } = await newApp('Leaving app')
  ;(await connect(LABELS, as)).close()
  await expect
    .poll(async () => (await historyOf(as))?.[0])
    .toMatchObject({
      endpoint_name: 'post_label_stream',
      disconnect_reason: 'client_disconnect',
      disconnected_at: expect.any(String),
    })
})

test.concurrent('a client that does not read is disconnected as a slow reader, and others get all lines', async ({
  expect,
}) => {
  const { as } = await newApp('Slow app')
  const made = await server.post('/2/posts', { text: 'A very long word. '.repeat(1_200) }, { user: 'chika' })
  expect(made.status, made.text).toBe(201)
  const id = made.body.data.id as string
  const partition = Array.from({ length: 20 }, (_, index) => index + 1).find((part) => isInPartition(id, part, 20))
  const path = `/2/posts/firehose/stream?partition=${partition}&post.fields=note_post&expansions=author_id`
  const reader = await connect(path, as)

  const socket = net.connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
  const head = `GET ${path} HTTP/1.1\r\nhost: ${new URL(server.baseUrl).host}\r\nauthorization: Bearer ${as.bearer}\r\n\r\n`
  socket.write(head)
  await new Promise<void>((resolve) => socket.once('readable', () => resolve()))

  // Repeats the event of one post, in bursts that exceed what may wait for a client.
  const event = { type: 'post.create', actorId: server.userId('chika'), postId: id, payload: {} } as const
  const repeat = async (count: number) => {
    await emit(server.runtime.database, server.runtime, ...Array.from({ length: count }, () => event))
    for (let seen = 0; seen < count; seen++) expect((await reader.next()).data.id).toBe(id)
  }
  for (let round = 0; round < 6; round++) await repeat(100)
  await expect
    .poll(
      async () => {
        await repeat(1)
        return (await historyOf(as))?.[0]?.disconnect_reason
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe('SlowReader')

  const active = (await server.get('/2/connections', as)).body.data
  expect(active).toHaveLength(1)
  socket.destroy()
  reader.close()
})
