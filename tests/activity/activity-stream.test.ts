import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import type { TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'

const SUBSCRIPTIONS = '/2/activity/subscriptions'
const STREAM = '/2/activity/stream'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
const open: ReadStream[] = []

beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver([], { events: true }))
})
afterAll(() => close())
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

async function connect(path = STREAM, as: 'app' | 'second-app' = 'app'): Promise<ReadStream> {
  const stream = await openStream(server, path, as)
  expect(stream.status, JSON.stringify(stream.body)).toBe(200)
  open.push(stream)
  return stream
}

async function subscribe(body: Record<string, unknown>, as: 'app' | 'second-app' = 'app'): Promise<string> {
  const made = await server.post(SUBSCRIPTIONS, body, as)
  expect(made.status, made.text).toBe(200)
  return made.body.data.subscription.subscription_id
}

describe('the activity stream', () => {
  test('sends only activity that the app subscribed to', async () => {
    await subscribe({ event_type: 'post.create', filter: { user_id: server.userId('bob') }, tag: 'posts of bob' })
    const [mine, theirs] = [await connect(), await connect(STREAM, 'second-app')]
    await subscribe({ event_type: 'post.create', filter: { user_id: server.userId('alice') } }, 'second-app')
    await server.post('/2/posts', { text: 'Chika writes something else' }, { user: 'chika' })
    const bobs = await server.post('/2/posts', { text: 'Bob speaks' }, { user: 'bob' })
    const alices = await server.post('/2/posts', { text: 'Alice speaks' }, { user: 'alice' })
    expect(await mine.next()).toMatchObject({
      data: {
        event_uuid: expect.stringMatching(/^\d{1,19}$/),
        event_type: 'post.create',
        filter: { user_id: server.userId('bob') },
        tag: 'posts of bob',
        payload: { id: bobs.body.data.id, text: 'Bob speaks' },
      },
    })
    expect((await theirs.next()).data.payload.id).toBe(alices.body.data.id)
  })

  test('backfills earlier activity', async () => {
    await subscribe({ event_type: 'post.delete', filter: { user_id: server.userId('dario') } })
    const post = await server.post('/2/posts', { text: 'Soon gone' }, { user: 'dario' })
    await server.delete(`/2/posts/${post.body.data.id}`, { user: 'dario' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    const stream = await connect(`${STREAM}?backfill_minutes=1`)
    let line = await stream.next()
    while (line.data.event_type !== 'post.delete') line = await stream.next()
    expect(line.data.payload).toEqual({ id: post.body.data.id, author_id: server.userId('dario') })
  })

  test('does not backfill activity from before the subscription', async () => {
    const write = async (text: string) => (await server.post('/2/posts', { text }, { user: 'alice' })).body.data.id
    await write('Before anybody asked')
    await subscribe({ event_type: 'post.create', filter: { user_id: server.userId('alice') }, tag: 'later' })
    const after = await write('After somebody asked')
    const stream = await connect(`${STREAM}?backfill_minutes=5`)
    let line = await stream.next()
    while (line.data.tag !== 'later') line = await stream.next()
    expect(line.data.payload.id).toBe(after)
  })
})

test('a webhook gets no activity from before the subscription', async () => {
  const webhook = await server.post('/2/webhooks', { url: receiver.url('/late') })
  const bio = (description: string) => server.command('user.update', { user: 'bob', description })
  // Blocks the dispatch while events happen and the subscriptions are created.
  const client = await server.runtime.database.pool.connect()
  await client.query('begin')
  await client.query(`select from event_reader where name = 'webhooks' for update`)
  await bio('Before')
  await server.post('/2/posts', { text: 'Bob before' }, { user: 'bob' })
  await subscribe({
    event_type: 'profile.update.bio',
    filter: { user_id: server.userId('bob') },
    webhook_id: webhook.body.id,
  })
  const path = `/2/account_activity/webhooks/${webhook.body.id}/subscriptions/all`
  expect((await server.request('POST', path, { as: { user: 'bob' } })).status).toBe(200)
  await bio('After')
  await server.post('/2/posts', { text: 'Bob after' }, { user: 'bob' })
  await client.query('commit')
  client.release()
  const delivered = () => receiver.deliveries.filter((delivery) => delivery.path === '/late').map(({ body }) => body)
  await expect.poll(() => delivered().length).toBe(2)
  expect(delivered()[0].data.payload).toMatchObject({ before: 'Before', after: 'After' })
  expect(delivered()[1].post_create_events[0].text).toBe('Bob after')
  await server.delete(`/2/webhooks/${webhook.body.id}`)
  receiver.deliveries.length = 0
})

test('activity of a subscription with a webhook goes to the webhook and the stream with the same event id', async () => {
  const webhook = await server.post('/2/webhooks', { url: receiver.url() })
  await subscribe({
    event_type: 'profile.update.bio',
    filter: { user_id: server.userId('chika') },
    webhook_id: webhook.body.id,
  })
  const stream = await connect()
  await server.command('user.update', { user: 'chika', description: 'A new life' })
  const line = await stream.next()
  expect(line.data).toMatchObject({ event_type: 'profile.update.bio', payload: { after: 'A new life' } })
  const [delivery] = await receiver.received(1)
  expect(delivery!.body).toEqual(line)
})

test('the start of a space reaches stream and webhook', async () => {
  receiver.deliveries.length = 0
  const webhook = await server.post('/2/webhooks', { url: receiver.url('/spaces') })
  const filter = { user_id: server.userId('dario'), keyword: 'ferns' }
  await subscribe({ event_type: 'spaces.start', filter, webhook_id: webhook.body.id })
  const stream = await connect()
  const { id } = await server.command('spaces.create', { user: 'dario', title: 'Ferns and moss' })
  const line = await stream.next()
  expect(line.data).toMatchObject({
    event_type: 'spaces.start',
    filter,
    payload: { broadcast_id: id, event_type: 'spaces_start', user: { data: { username: 'dario' } } },
  })
  const [delivery] = await receiver.received(1)
  expect(delivery!.path).toBe('/spaces')
  expect(delivery!.body).toEqual(line)
})
