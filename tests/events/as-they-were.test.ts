import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { subscribe as subscribeUser } from '../account-activity/delivered-events.ts'
import { accessToken, makePost, rows } from '../social/acting.ts'
import { uploadWhole } from '../social/uploading.ts'
import { arrived } from '../streams/stream-lines.ts'
import { makePng } from '../support/make-media.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, startReceiver } from '../webhooks/receiver.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at members of bodies whose shape they assert.
type Body = any

let server: TestServer
// A receiver that is far behind gets several deliveries at once, in any order. So each product has its own.
let receivers: Record<'filtered' | 'activity' | 'account', Receiver>
const open: ReadStream[] = []

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  const started = () => startReceiver(answersCorrectly(server.credentials.apps[0]!.api_key_secret))
  receivers = { filtered: await started(), activity: await started(), account: await started() }
  const hook = async (receiver: Receiver): Promise<string> =>
    (await server.post('/2/webhooks', { url: receiver.url() })).body.id
  await server.post('/2/posts/search/stream/rules', { add: [{ value: 'otter', tag: 'otters' }] })
  const expansions = 'attachments.poll_ids,attachments.media_keys,referenced_posts.id'
  const linked = await hook(receivers.filtered)
  await server.request('POST', `/2/posts/search/webhooks/${linked}?expansions=${expansions}`, {})
  await subscribeUser(server, await hook(receivers.account), 'bob')
  const bearer = await accessToken(server, 'bob', ['like.read', 'post.read'])
  const webhook_id = await hook(receivers.activity)
  for (const event_type of ['post.create', 'post.delete', 'like.create', 'post.reply.create', 'post.repost.create']) {
    const body = { event_type, filter: { user_id: server.userId('bob') }, webhook_id }
    expect((await server.post('/2/activity/subscriptions', body, { bearer })).status).toBe(200)
  }
})
afterAll(async () => {
  for (const receiver of Object.values(receivers)) await receiver.close()
  await server.close()
})
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close()
  await server.command('user.update', { user: 'bob', protected: false, suspended: false })
  await settled()
  for (const receiver of Object.values(receivers)) receiver.deliveries.length = 0
})

async function connect(path: string): Promise<ReadStream> {
  const stream = await openStream(server, path)
  expect(stream.status, JSON.stringify(stream.body)).toBe(200)
  open.push(stream)
  return stream
}

/** Does all of `work` before the first of its events has a sequence, so no reader sees what it does in between. */
async function beforeAnybodyReads(work: () => Promise<unknown>): Promise<void> {
  const client = await server.runtime.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from event_head for update')
    await work()
  } finally {
    await client.query('commit')
    client.release()
  }
}

/** Waits until all deliveries of the events so far have ended. */
async function settled(): Promise<void> {
  const left = `select (select count(*) from event_outbox) + (select count(*) from webhook_delivery where state = 'pending')
     + (select place from event_head) - (select place from event_reader where name = 'webhooks') as open`
  while (Number((await rows(server, left))[0].open) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

const remove = async (id: string) =>
  expect((await server.delete(`/2/posts/${id}`, { user: 'bob' })).body).toEqual({ data: { deleted: true } })
const like = async (user: string, post_id: string) =>
  expect((await server.post(`/2/users/${server.userId(user)}/likes`, { post_id }, { user })).status).toBe(200)

const bodies = (receiver: Receiver): Body[] => receiver.deliveries.map((delivery) => delivery.body)

/** What the webhook of each product received. */
const received = {
  filtered: (): Body[] => bodies(receivers.filtered),
  activity: (type: string): Body[] =>
    bodies(receivers.activity)
      .map((body) => body.data)
      .filter((data) => data.event_type === type),
  account: (member: string): Body[] => bodies(receivers.account).flatMap((body) => body[member] ?? []),
}

test('of 16 posts, 15 of which are deleted at once, every creation and deletion is delivered in order', async () => {
  const filtered = await connect('/2/posts/search/stream')
  const activity = await connect('/2/activity/stream')
  const ids: string[] = []
  await beforeAnybodyReads(async () => {
    for (let number = 0; number < 16; number++) {
      ids.push(await makePost(server, 'bob', { text: `An otter swims ${number}` }))
      if (number > 0) await remove(ids[number]!)
    }
  })
  await settled()
  const [all, gone] = [ids, ids.slice(1)]
  expect(received.filtered().map((body) => body.data.id)).toEqual(all)
  expect(received.activity('post.create').map((data) => data.payload.id)).toEqual(all)
  expect(received.activity('post.delete').map((data) => data.payload.id)).toEqual(gone)
  expect(received.account('post_create_events').map((item) => item.id_str)).toEqual(all)
  expect(received.account('post_delete_events').map((item) => item.status.id)).toEqual(gone)
  expect(received.account('post_create_events').map((item) => item.text)).toEqual(
    all.map((_, number) => `An otter swims ${number}`),
  )
  expect((await arrived([filtered], 16)).map((line) => line.data.id)).toEqual(all)
  const lines = await arrived([activity], 31)
  expect(lines.map((line) => [line.data.event_type, line.data.payload.id])).toEqual([
    ['post.create', ids[0]],
    ...gone.flatMap((id) => [
      ['post.create', id],
      ['post.delete', id],
    ]),
  ])
  const again = await connect('/2/posts/search/stream?backfill_minutes=5')
  expect((await arrived([again], 16)).map((line) => line.data.id)).toEqual(all)
  expect((await server.get(`/2/posts/${ids[1]}`)).body.data).toBeUndefined()
})

test('a deleted post is delivered with its picture, its poll, and the posts that it refers to', async () => {
  const ids: Record<string, string> = {}
  const media = (await uploadWhole(server, makePng(), 'post_image', 'bob')).id
  await beforeAnybodyReads(async () => {
    ids.poll = await makePost(server, 'bob', {
      text: 'Which otter?',
      poll: { options: ['sea', 'river'], duration_minutes: 60 },
    })
    ids.picture = await makePost(server, 'bob', { text: 'Picture of an otter', media: { media_ids: [media] } })
    ids.quote = await makePost(server, 'bob', { text: 'Look, an otter', quote_post_id: ids.picture })
    for (const id of Object.values(ids)) await remove(id)
  })
  await settled()
  const [poll, picture, quote] = received.filtered()
  expect(poll.includes.polls[0].options.map((option: Body) => option.label)).toEqual(['sea', 'river'])
  expect(picture.includes.media).toEqual([{ media_key: picture.data.attachments.media_keys[0], type: 'photo' }])
  expect(quote.includes.posts.map((post: Body) => post.text)).toEqual([picture.data.text])
  expect(quote.errors).toBeUndefined()
  const [, pictureV1, quoteV1] = received.account('post_create_events')
  expect(pictureV1.extended_entities.media).toHaveLength(1)
  expect(quoteV1.quoted_status.id_str).toBe(ids.picture)
  expect(received.activity('post.create').at(-1).includes.posts[0].id).toBe(ids.picture)
})

test('likes, replies and reposts of a deleted post are delivered, also a like that was removed', async () => {
  const likes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      connect(`/2/likes/firehose/stream?partition=${index + 1}&expansions=liked_post_id`),
    ),
  )
  let [post, reply, repost] = ['', '', '']
  await beforeAnybodyReads(async () => {
    post = await makePost(server, 'bob', { text: 'A short life' })
    await like('alice', post)
    await like('dario', post)
    await server.delete(`/2/users/${server.userId('dario')}/likes/${post}`, { user: 'dario' })
    reply = await makePost(server, 'alice', { text: 'Indeed', reply: { in_reply_to_post_id: post } })
    repost = (await server.post(`/2/users/${server.userId('alice')}/reposts`, { post_id: post }, { user: 'alice' }))
      .body.data.id
    await remove(post)
  })
  await settled()
  const lines = await arrived(likes, 2)
  expect(lines.map((line) => [line.data.liked_post_id, line.includes.posts[0].text])).toEqual([
    [post, 'A short life'],
    [post, 'A short life'],
  ])
  expect(received.activity('like.create').map((data) => data.payload.liked_post_id)).toEqual([post, post])
  expect(received.activity('post.reply.create').map((data) => [data.payload.id, data.includes.posts[0].id])).toEqual([
    [reply, post],
  ])
  expect(received.activity('post.repost.create').map((data) => data.payload.id)).toEqual([repost])
  expect(received.account('favorite_events').map((item) => item.favorited_status.id_str)).toEqual([post, post])
  const shown = received.account('post_create_events').map((item) => [item.id_str, item.reposted_status?.id_str])
  expect(shown).toEqual([
    [post, undefined],
    [reply, undefined],
    [repost, post],
  ])
})

test('a like has its own time, not the time of its post', async () => {
  const post = await makePost(server, 'bob', { text: 'Old enough' })
  await server.command('clock', { advance_ms: 3600_000 })
  await like('alice', post)
  await settled()
  await server.command('clock', { reset: true })
  const [{ payload }] = received.activity('like.create')
  const seconds = Math.round((payload.timestamp_ms - Date.parse(payload.created_at)) / 1_000)
  expect([0, 1]).toContain(seconds)
})

test('a post that was edited at once is delivered with the versions of its moment', async () => {
  let [first, second] = ['', '']
  await beforeAnybodyReads(async () => {
    first = await makePost(server, 'alice', { text: 'The otter slep' })
    second = await makePost(server, 'alice', { text: 'The otter slept', edit_options: { previous_post_id: first } })
  })
  await settled()
  expect(received.filtered().map((body) => body.data.edit_history_post_ids)).toEqual([[first], [first, second]])
})

describe('what was not public when it happened', () => {
  test('is never delivered, even if its author is public a moment later', async () => {
    const stream = await connect('/2/posts/search/stream')
    await server.command('user.update', { user: 'bob', protected: true })
    await beforeAnybodyReads(async () => {
      await makePost(server, 'bob', { text: 'A secret otter' })
      await server.command('user.update', { user: 'bob', protected: false })
      await makePost(server, 'bob', { text: 'A public otter' })
    })
    await settled()
    expect(received.filtered().map((body) => body.data.text)).toEqual(['A public otter'])
    expect(received.activity('post.create').map((data) => data.payload.text)).toEqual(['A public otter'])
    expect((await arrived([stream], 1)).map((line) => line.data.text)).toEqual(['A public otter'])
    // Users get what they wrote themselves.
    expect(received.account('post_create_events').map((item) => item.text)).toEqual([
      'A secret otter',
      'A public otter',
    ])
    expect(await withheld()).toEqual([])
  })
})

/** The withheld deliveries that operators see, oldest first, since the last call. */
let seen = '0'
async function withheld(): Promise<{ kind: string; reason: string }[]> {
  const key = { bearer: server.credentials.admin_key }
  const { deliveries } = (await server.get(`/_rostra/deliveries?state=withheld&after=${seen}&limit=100`, key)).body
  seen = deliveries.at(-1)?.id ?? seen
  return deliveries.map((item: Body) => ({
    kind: item.kind,
    reason: item.record.at(-1).error,
    body: item.request.body,
  }))
}

describe('what became hidden after it happened', () => {
  const reasonFor = (name: string, state: string) =>
    `withheld: the account of user ${server.userId(name)} is ${state} now`

  test('is withheld with its reason', async () => {
    const stream = await connect('/2/posts/search/stream')
    await withheld()
    await beforeAnybodyReads(async () => {
      await makePost(server, 'bob', { text: 'An otter for a moment' })
      await server.command('user.update', { user: 'bob', protected: true })
    })
    await settled()
    const reason = reasonFor('bob', 'protected')
    expect(await withheld()).toEqual([
      { kind: 'activity:post.create', reason, body: null },
      { kind: 'filtered-stream', reason, body: null },
    ])
    expect(received.filtered()).toEqual([])
    expect(received.account('post_create_events').map((item) => item.text)).toEqual(['An otter for a moment'])
    await makePost(server, 'alice', { text: 'Another otter' })
    expect((await arrived([stream], 1)).map((line) => line.data.text)).toEqual(['Another otter'])
  })

  test('is logged where a stream should have got it, at the level that is logged by default', async () => {
    const logged = vi.spyOn(server.runtime.log, 'warn')
    await connect('/2/posts/search/stream')
    await beforeAnybodyReads(async () => {
      await makePost(server, 'bob', { text: 'An otter that no stream gets' })
      await server.command('user.update', { user: 'bob', protected: true })
    })
    const reason = new RegExp(
      `^withheld from streams: event \\d+: the account of user ${server.userId('bob')} is protected now`,
    )
    await expect.poll(() => logged.mock.calls.map(([, text]) => text)).toContainEqual(expect.stringMatching(reason))
    logged.mockRestore()
  })

  test('is withheld where a user was suspended', async () => {
    await withheld()
    await beforeAnybodyReads(async () => {
      await server.command('relation.add', { kind: 'follow', source: 'dario', target: 'bob' })
      await server.command('user.update', { user: 'dario', suspended: true })
    })
    await settled()
    await server.command('user.update', { user: 'dario', suspended: false })
    expect(await withheld()).toEqual([
      { kind: 'account-activity', reason: reasonFor('dario', 'suspended'), body: null },
    ])
  })

  test('is withheld from a receiver that did not take it before', async () => {
    await withheld()
    receivers.filtered.answerDeliveriesWith((response) => response.writeHead(500).end())
    await makePost(server, 'bob', { text: 'An otter at the door' })
    await receivers.filtered.received(1)
    await server.command('user.update', { user: 'bob', protected: true })
    receivers.filtered.answerDeliveriesWith((response) => response.writeHead(200).end())
    await rows(server, `update webhook_delivery set next_attempt_at = $1 where state = 'pending'`, [
      new Date(server.runtime.clock.now()),
    ])
    await settled()
    expect(received.filtered()).toHaveLength(1)
    expect((await withheld()).map(({ kind, reason }) => ({ kind, reason }))).toEqual([
      { kind: 'filtered-stream', reason: reasonFor('bob', 'protected') },
    ])
  })

  test('cannot be repeated', async () => {
    const [{ id }] = await rows(
      server,
      `select id from webhook_delivery where state = 'withheld' and body = '' limit 1`,
    )
    const answer = await server.tryCommand('delivery.repeat', { id })
    expect([answer.status, answer.body.detail]).toEqual([
      409,
      `Delivery ${id} cannot be repeated: it was withheld and has no body.`,
    ])
  })
})
