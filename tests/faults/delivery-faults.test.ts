import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
let webhookId: string
beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver([], { events: true }))
  await server.post('/2/posts/search/stream/rules', { add: [{ value: '#hook' }] })
  webhookId = (await server.post('/2/webhooks', { url: receiver.url() })).body.id
  await server.post(`/2/posts/search/webhooks/${webhookId}`, {})
})
afterAll(() => close())

let written = 0
async function write(): Promise<void> {
  written += 1
  const made = await server.post('/2/posts', { text: `Post ${written} #hook` }, { user: 'alice' })
  expect(made.status).toBe(201)
}
const newest = async () => {
  const admin = { bearer: server.credentials.admin_key }
  return (await server.get('/_rostra/deliveries?limit=1', admin)).body.deliveries[0]
}
const attempts = (count: number) => expect.poll(async () => (await newest())?.attempts ?? 0).toBe(count)

test('the next attempts fail like real ones, are retried, and the receiver gets nothing of them', async () => {
  const fault = await server.command('delivery.fail_next', { times: 2, webhook_id: webhookId })
  expect(fault).toMatchObject({ target: 'delivery', webhook_id: webhookId, status: 500, times: 2, used: 0 })
  await write()
  await attempts(1)
  expect(await newest()).toMatchObject({ state: 'pending', record: [{ status: 500, answer: '', fault: fault.id }] })
  await server.command('clock', { advance_ms: 3_000 })
  await attempts(2)
  expect(receiver.deliveries).toHaveLength(0)
  await server.command('clock', { advance_ms: 30_000 })
  await receiver.received(1)
  await attempts(3)
  expect(await newest()).toMatchObject({ state: 'delivered' })
  expect((await server.command('fault.list')).faults).toMatchObject([{ id: fault.id, used: 2, active: false }])
})

test.each([
  ['timeout', 'no answer within 10000 ms'],
  ['connection', 'the connection failed (ECONNRESET)'],
])('a failure of the kind %s has the words of a real one', async (kind, error) => {
  await server.command('delivery.fail_next', { kind })
  await write()
  await expect.poll(async () => (await newest()).record).toMatchObject([{ error }])
})

test('a failure for another webhook does not happen', async () => {
  receiver.deliveries.length = 0
  const other = (await server.post('/2/webhooks', { url: receiver.url('/other') })).body.id
  await server.command('delivery.fail_next', { webhook_id: other, status: 410 })
  await write()
  await receiver.received(1)
  expect(await server.command('fault.clear')).toMatchObject({ cleared: expect.any(Number) })
})

test.each([
  [{ status: 200 }, 'status'],
  [{ kind: 'tls' }, 'timeout'],
  [{ kind: 'timeout', status: 500 }, 'kind'],
  [{ times: 0 }, 'times'],
  [{ webhook_id: '1' }, 'webhook'],
])('%j is refused with what is allowed', async (args, words) => {
  const { status, text } = await server.tryCommand('delivery.fail_next', args)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(text).toContain(words)
})
