import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LiveReader, openLive } from '../support/console.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { linkWebhook } from '../webhooks/linked-webhook.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
})
afterAll(() => server.close())

const readers: LiveReader[] = []
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})

async function live(topics: string, lastId?: string): Promise<LiveReader> {
  const reader = await openLive(`${server.baseUrl}/_rostra/live?topics=${topics}`, {
    authorization: `Bearer ${server.credentials.admin_key}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  })
  readers.push(reader)
  return reader
}

const ask = (word: string) => server.get(`/2/users/me?marked=${word}`)
const pathsOf = (reader: LiveReader) => reader.items('requests').map((item) => item.path.split('marked=')[1])

test('requests arrive as they are answered, each once and in order', async () => {
  const reader = await live('requests')
  for (const word of ['one', 'two', 'three']) await ask(word)
  await expect.poll(() => pathsOf(reader)).toEqual(['one', 'two', 'three'])
  expect(reader.items('requests')[0]).toMatchObject({ method: 'GET', operation: 'getUsersMe', app: expect.any(String) })
})

test('a reader that was cut off gets what it missed, and nothing twice', async () => {
  const first = await live('requests,events')
  await ask('before')
  const { body: post } = await server.post('/2/posts', { text: 'Before the cut' }, { user: 'alice' })
  await expect.poll(() => first.items('events').map((item) => item.post_id)).toContain(post.data.id)
  await expect.poll(() => first.items('requests').length).toBe(2)
  first.close()
  await ask('meanwhile')
  const { body: missed } = await server.post('/2/posts', { text: 'During the cut' }, { user: 'alice' })
  const second = await live('requests,events', first.lastId())
  await ask('after')
  await expect.poll(() => pathsOf(second).at(-1)).toBe('after')
  expect(pathsOf(second).filter((word) => word !== undefined)).toEqual(['meanwhile', 'after'])
  await expect.poll(() => second.items('events').map((item) => item.post_id)).toEqual([missed.data.id])
})

test('readers that come back together each get every event once and in order', async () => {
  const together = await Promise.all(Array.from({ length: 40 }, () => live('events', 'events=0')))
  const posts = []
  for (const text of ['While they', 'catch up'])
    posts.push((await server.post('/2/posts', { text }, { user: 'alice' })).body.data.id)
  for (const reader of together) {
    await expect.poll(() => reader.items('events').map((item) => item.post_id)).toEqual(expect.arrayContaining(posts))
    const places = reader.items('events').map((item) => Number(item.place))
    expect(places).toEqual(places.map((_, at) => at + 1))
  }
})

test('a reader that never got anything is resumed from where it began', async () => {
  const first = await live('requests')
  first.close()
  await ask('unseen')
  const second = await live('requests', first.lastId())
  await expect.poll(() => pathsOf(second)).toEqual(['unseen'])
})

test('an id that is not one of ours begins anew', async () => {
  for (const id of ['x', 'requests=1.events=-5', 'requests=.events=99999999999999999999', '=', 'events=9999999999']) {
    const reader = await live('requests,events,deliveries,life', id)
    expect(reader.items('requests')).toEqual([])
    reader.close()
  }
})

test('topics that do not exist are refused by name', async () => {
  const answer = await server.get('/_rostra/live?topics=requests,news', { bearer: server.credentials.admin_key })
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0].message).toContain('topics is not a list of [requests,events,deliveries,life]')
  expect((await server.get('/_rostra/live')).status).toBe(401)
})

test('deliveries arrive as they change, and again for a reader that missed them', async () => {
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  const hook = await linkWebhook(send, server.credentials.apps[0]!.api_key_secret, 'kiwi')
  try {
    const reader = await live('deliveries')
    await server.post('/2/posts', { text: 'A kiwi' }, { user: 'alice' })
    const states = (from: LiveReader) => from.items('deliveries').map((item) => item.state)
    await expect.poll(() => states(reader)).toContain('delivered')
    expect(reader.items('deliveries').at(-1)).toMatchObject({ webhook_id: hook.webhookId, event_type: 'post.create' })
    reader.close()
    const { body } = await server.post('/2/posts', { text: 'Another kiwi' }, { user: 'alice' })
    await expect.poll(() => hook.deliveries.length).toBe(2)
    const second = await live('deliveries', reader.lastId())
    await expect.poll(() => JSON.stringify(second.items('deliveries'))).toContain(body.data.id)
    await expect.poll(() => states(second)).toContain('delivered')
  } finally {
    await hook.close()
  }
})

test('the life of a population is told as it goes on, and its last state to a reader that comes back', async () => {
  const reader = await live('life')
  await server.command('live.start', { personas: 20, for: '30m', speed: 'max' })
  await expect.poll(() => reader.items('life').at(-1)?.state).toBe('ended')
  reader.close()
  const again = await live('life', reader.lastId())
  await expect.poll(() => again.items('life')).toMatchObject([{ state: 'ended', ticks: 30 }])
  again.close()
})
