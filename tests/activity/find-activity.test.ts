import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { matchActivity, renderActivity } from '../../src/activity/find-activity.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { accessToken, makePost, rows } from '../social/acting.ts'
import type { TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'
import {
  clear,
  dataOf,
  delivered,
  eventsOf,
  firstApp,
  messagesOf,
  SUBSCRIBING,
  subscribe,
  subscribeAs,
} from './subscribed-activity.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver())
})
afterAll(() => close())
afterEach(() => clear(server))

const id = (name: string) => server.userId(name)
const subscribeTo = (eventType: string, username: string, filter: object = {}) =>
  subscribe(server, { event_type: eventType, filter: { user_id: id(username), ...filter } })
const like = (username: string, postId: string) =>
  server.post(`/2/users/${id(username)}/likes`, { post_id: postId }, { user: username })
const repost = (username: string, postId: string) =>
  server.post(`/2/users/${id(username)}/reposts`, { post_id: postId }, { user: username })
const relate = (command: 'add' | 'remove', kind: string, source: string, target: string) =>
  server.command(`relation.${command}`, { kind, source, target })
/** The texts of the delivered posts. */
const textsOf = (data: { payload: { text: string } }[]) => data.map((item) => item.payload.text)

let posts = 0
const newPost = (username: string, more: object = {}) => {
  posts += 1
  return makePost(server, username, { text: `Post number ${posts}`, ...more })
}

describe('post.mention.create', () => {
  test('is delivered for a mention in the text of a reply, but not for mentions that the server adds', async () => {
    const answered = await newPost('alice')
    await subscribeAs(server, 'alice', 'post.mention.create')
    const reply = { in_reply_to_post_id: answered, auto_populate_reply_metadata: true }
    const data = await delivered(server, async () => {
      await makePost(server, 'bob', { text: 'only words', reply })
      await makePost(server, 'bob', { text: 'words for @alice', reply: { in_reply_to_post_id: answered } })
      await makePost(server, 'chika', { text: 'and you, @alice?', reply })
    })
    expect(textsOf(data)).toEqual(['words for @alice', 'and you, @alice?'])
  })

  test('is delivered for a mention after those that the server adds to a reply', async () => {
    const answered = await newPost('alice')
    await subscribeAs(server, 'chika', 'post.mention.create')
    const reply = { in_reply_to_post_id: answered, auto_populate_reply_metadata: true }
    const data = await delivered(server, () => makePost(server, 'bob', { text: 'ask @chika', reply }))
    expect(textsOf(data)).toEqual(['@alice ask @chika'])
  })

  test('is delivered for a mention at the end of a long post', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    const data = await delivered(server, () => makePost(server, 'alice', { text: `${'word '.repeat(80)}@bob` }))
    expect(data).toHaveLength(1)
  })

  test('is not delivered for a mention of oneself or a repost, and only once for two mentions', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    const data = await delivered(server, async () => {
      await makePost(server, 'bob', { text: 'I am @bob' })
      await repost('chika', await makePost(server, 'bob', { text: 'repost me' }))
      await makePost(server, 'alice', { text: '@bob and again @bob' })
    })
    expect(textsOf(data)).toEqual(['@bob and again @bob'])
  })

  test('is not delivered if one of the two users blocks the other', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    await relate('add', 'block', 'bob', 'dario')
    await relate('add', 'block', 'chika', 'bob')
    const data = await delivered(server, async () => {
      await makePost(server, 'dario', { text: 'hey @bob' })
      await makePost(server, 'chika', { text: 'hey there @bob' })
      await makePost(server, 'alice', { text: 'hello @bob' })
    })
    await relate('remove', 'block', 'bob', 'dario')
    await relate('remove', 'block', 'chika', 'bob')
    expect(textsOf(data)).toEqual(['hello @bob'])
  })
})

test('replies, quotes and reposts of own posts are delivered only as posts', async () => {
  const own = await newPost('chika')
  for (const name of ['post.reply.create', 'post.quote.create', 'post.repost.create'])
    await subscribeAs(server, 'chika', name)
  await subscribeTo('post.create', 'chika')
  const data = await delivered(server, async () => {
    await newPost('chika', { reply: { in_reply_to_post_id: own } })
    await newPost('chika', { quote_post_id: own })
    await repost('chika', own)
  })
  expect(data.map((item) => item.event_type)).toEqual(['post.create', 'post.create', 'post.create'])
})

describe('the direction', () => {
  const directionsOf = (data: { filter: { direction?: string } }[]) => data.map((item) => item.filter.direction)

  test('of a like is outbound for the user who likes and inbound for the author, in both spellings', async () => {
    for (const direction of ['inbound', 'sent', undefined])
      await subscribeAs(server, 'bob', 'like.create', direction === undefined ? {} : { direction })
    const [ofBob, ofAlice] = [await newPost('bob'), await newPost('alice')]
    expect(directionsOf(await delivered(server, () => like('alice', ofBob))).sort()).toEqual(['inbound', undefined])
    expect(directionsOf(await delivered(server, () => like('bob', ofAlice))).sort()).toEqual(['sent', undefined])
  })

  test('of a like of an own post is both; without a direction filter it is delivered once', async () => {
    for (const direction of ['received', 'outbound', undefined])
      await subscribeAs(server, 'bob', 'like.create', direction === undefined ? {} : { direction })
    const own = await newPost('bob')
    const data = await delivered(server, () => like('bob', own))
    expect(directionsOf(data).sort()).toEqual(['outbound', 'received', undefined])
  })

  test('both is delivered for either side', async () => {
    await subscribeAs(server, 'bob', 'like.create', { direction: 'both' })
    const [ofBob, ofAlice] = [await newPost('bob'), await newPost('alice')]
    const data = await delivered(server, async () => {
      await like('alice', ofBob)
      await like('bob', ofAlice)
    })
    expect(data.map((item) => [item.filter.direction, item.payload.liked_post_id])).toEqual([
      ['both', ofBob],
      ['both', ofAlice],
    ])
  })

  test('of a follow is outbound for the follower and inbound for the followed user', async () => {
    await relate('remove', 'follow', 'dario', 'chika')
    await subscribeTo('follow.follow', 'chika', { direction: 'received' })
    await subscribeTo('follow.follow', 'chika', { direction: 'sent' })
    await subscribeTo('follow.follow', 'dario')
    const data = await delivered(server, () => relate('add', 'follow', 'dario', 'chika'))
    expect(data.map((item) => item.filter)).toEqual([
      { user_id: id('dario') },
      { user_id: id('chika'), direction: 'received' },
    ])
  })
})

describe('a keyword', () => {
  test('matches posts that contain all its words in any case, order and with any accents', async () => {
    await subscribeTo('post.create', 'bob', { keyword: 'Café tea' })
    const data = await delivered(server, async () => {
      await makePost(server, 'bob', { text: 'TEA in the cafe' })
      await makePost(server, 'bob', { text: 'Tea only' })
      await makePost(server, 'bob', { text: 'teatime in a café' })
    })
    expect(textsOf(data)).toEqual(['TEA in the cafe'])
  })

  test('is compared with the typed text, not with links or escapes', async () => {
    await subscribeTo('post.create', 'bob', { keyword: 'amp' })
    await subscribeTo('post.create', 'bob', { keyword: 'https' })
    const data = await delivered(server, () => makePost(server, 'bob', { text: 'salt & pepper https://example.com/a' }))
    expect(data).toEqual([])
  })

  test('is compared with the whole text of a long post and of a reposted post', async () => {
    await subscribeTo('post.create', 'alice', { keyword: 'needle' })
    await subscribeTo('post.create', 'bob', { keyword: 'needle' })
    const data = await delivered(server, async () => {
      await repost('bob', await makePost(server, 'alice', { text: `${'hay '.repeat(90)}needle` }))
    })
    expect(data.map((item) => item.payload.author_id)).toEqual([id('alice'), id('bob')])
  })
})

test('a keyword matches a change of a profile whose text before or after has all its words', async () => {
  for (const [type, keyword] of [
    ['bio', 'Tea grower'],
    ['geo', 'porto'],
    ['url', 'example'],
    ['handle', 'chika'],
  ])
    await subscribeTo(`profile.update.${type}`, 'chika', { keyword })
  const change = (changes: object) => server.command('user.update', { user: id('chika'), ...changes })
  const data = await delivered(server, async () => {
    await change({ description: 'Grower of coffee' })
    await change({ description: 'I am a grower of TEA!' })
    await change({ description: 'Nothing' })
    await change({ location: 'Lisbon' })
    await change({ location: 'Pôrto, Portugal' })
    await change({ username: 'chika_2' })
    await change({ username: 'chika' })
  })
  expect(data.map((item) => [item.event_type, item.payload.after])).toEqual([
    ['profile.update.bio', 'I am a grower of TEA!'],
    ['profile.update.bio', 'Nothing'],
    ['profile.update.geo', 'Pôrto, Portugal'],
    ['profile.update.handle', 'chika_2'],
    ['profile.update.handle', 'chika'],
  ])
})

describe('activity that the public may not see', () => {
  test('is not delivered for posts, deletions and likes of a protected account, even to its own subscription', async () => {
    await subscribeAs(server, 'erin', 'like.create')
    await subscribeTo('post.create', 'erin')
    await subscribeTo('post.delete', 'erin')
    await subscribeAs(server, 'alice', 'post.mention.create')
    const events = await eventsOf(server, async () => {
      const postId = await makePost(server, 'erin', { text: 'for friends and @alice' })
      await like('erin', postId)
      await server.delete(`/2/posts/${postId}`, { user: 'erin' })
      await like('erin', await newPost('erin'))
    })
    expect(events.map((event) => event.type)).toEqual([
      'post.create',
      'like.create',
      'post.delete',
      'post.create',
      'like.create',
    ])
    expect(await messagesOf(server, events)).toEqual([])
    await server.command('user.update', { user: 'erin', protected: false })
    const later = dataOf(await messagesOf(server, events)).map((item) => item.event_type)
    await server.command('user.update', { user: 'erin', protected: true })
    // What was not public when it happened stays private.
    expect(later).toEqual([])
  })

  test('is not delivered for an account that was suspended since, but for a post that was deleted since', async () => {
    await subscribeTo('post.create', 'dario')
    await subscribeTo('profile.update.bio', 'dario')
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, async () => {
      await newPost('dario')
      await server.command('user.update', { user: 'dario', description: 'Suspended soon' })
      await server.command('user.update', { user: 'dario', suspended: true })
      const gone = await newPost('bob')
      await server.delete(`/2/posts/${gone}`, { user: 'bob' })
    })
    const authors = async () => dataOf(await messagesOf(server, events)).map((item) => item.payload.author_id)
    expect(await authors()).toEqual([id('bob')])
    await server.command('user.update', { user: 'dario', suspended: false })
    expect(await authors()).toEqual([id('dario'), undefined, id('bob')])
  })

  test('is not included: a reply to a protected post comes without the answered post', async () => {
    const answered = await newPost('chika')
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, () => newPost('bob', { reply: { in_reply_to_post_id: answered } }))
    await server.command('user.update', { user: 'chika', protected: true })
    const [data] = dataOf(await messagesOf(server, events))
    await server.command('user.update', { user: 'chika', protected: false })
    expect(data.payload.in_reply_to_post_id).toBe(answered)
    expect(data.includes).not.toHaveProperty('posts')
  })
})

describe('a subscription', () => {
  test('gets activity under the name that it was created with', async () => {
    const { apps } = await server.command('app.list')
    await subscribeTo('profile.update.verified', 'bob')
    const body = { event_type: 'profile.update.verified_badge', filter: { user_id: id('bob') } }
    await subscribe(server, body, 'second-app')
    const events = await eventsOf(server, () => server.command('user.update', { user: 'bob', verified_type: 'blue' }))
    const messages = await messagesOf(server, events, { appIds: apps.map((app: { id: string }) => app.id) })
    expect(
      messages.map((message) => [message.appId, message.eventType, JSON.parse(message.envelope).data.event_type]),
    ).toEqual([
      [apps[0].id, 'profile.update.verified', 'profile.update.verified'],
      [apps[1].id, 'profile.update.verified_badge', 'profile.update.verified_badge'],
    ])
  })

  test('to private activity gets nothing after its user revoked the access', async () => {
    const bearer = await accessToken(server, 'chika', SUBSCRIBING)
    await subscribe(server, { event_type: 'post.mention.create', filter: { user_id: id('chika') } }, { bearer })
    const events = await eventsOf(server, () => makePost(server, 'bob', { text: 'still there, @chika?' }))
    expect(await messagesOf(server, events)).toHaveLength(1)
    const [{ grants }] = await rows(server, 'select array_agg(id) as grants from oauth2_grant where not revoked')
    await rows(server, 'update oauth2_grant set revoked = true')
    expect(await messagesOf(server, events)).toEqual([])
    await rows(server, 'update oauth2_grant set revoked = false where id = any($1::bigint[])', [grants])
    await rows(server, `update oauth2_grant set scopes = '{users.read}' where user_id = $1`, [id('chika')])
    expect(await messagesOf(server, events)).toEqual([])
  })

  test('of a suspended app gets nothing', async () => {
    const app = await firstApp(server)
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, () => newPost('bob'))
    await server.command('app.update', { app, suspended: true })
    expect(await messagesOf(server, events)).toEqual([])
    await server.command('app.update', { app, suspended: false })
    expect(await messagesOf(server, events)).toHaveLength(1)
  })

  test('with a webhook gets activity on the webhook and on the stream of its app', async () => {
    const webhookId = (await server.post('/2/webhooks', { url: receiver.url() })).body.id
    const filter = { user_id: id('bob') }
    const tied = await subscribe(server, { event_type: 'post.create', filter, webhook_id: webhookId })
    const free = await subscribe(server, { event_type: 'post.create', filter })
    const events = await eventsOf(server, () => newPost('bob'))
    const sent = await messagesOf(server, events, { withWebhook: true })
    expect(sent.map((message) => [message.subscriptionId, message.webhookId])).toEqual([
      [tied.subscription_id, webhookId],
    ])
    const streamed = await messagesOf(server, events)
    expect(streamed.map((message) => message.subscriptionId).sort()).toEqual(
      [tied.subscription_id, free.subscription_id].sort(),
    )
    expect(await messagesOf(server, events, { appIds: [] })).toEqual([])
  })

  test('gets messages in the naming that it was created in, or in a chosen one', async () => {
    await subscribeTo('post.create', 'bob')
    await rows(server, `update activity_subscription set naming = 'legacy'`)
    const answered = await newPost('alice')
    const events = await eventsOf(server, () => newPost('bob', { reply: { in_reply_to_post_id: answered } }))
    const [message] = await messagesOf(server, events)
    expect(message).toMatchObject({ naming: 'legacy', eventType: 'post.create', sequence: events[0]!.sequence })
    const { data } = JSON.parse(message!.envelope)
    expect(data.event_type).toBe('post.create')
    expect(data.payload).toMatchObject({
      edit_history_tweet_ids: [data.payload.id],
      in_reply_to_tweet_id: answered,
      referenced_tweets: [{ type: 'replied_to', id: answered }],
    })
    expect(data.includes.tweets).toHaveLength(1)
    const matches = await matchActivity(server.runtime, events, { appIds: [await firstApp(server)] })
    const [neutralMessage] = await renderActivity(server.runtime, matches, neutral)
    expect(neutralMessage!.naming).toBe('neutral')
    const neutralData = JSON.parse(neutralMessage!.envelope).data
    expect(neutralData.payload.edit_history_post_ids).toEqual([data.payload.id])
    expect(neutralData.event_uuid).toBe(data.event_uuid)
    expect(await renderActivity(server.runtime, matches, legacyNaming)).toEqual([message])
  })
})

describe('event_uuid', () => {
  test('is the same for every message about one event to one subscription, and different otherwise', async () => {
    await subscribeTo('profile.update.screenname', 'bob')
    await subscribeTo('profile.update.handle', 'bob')
    const events = await eventsOf(server, async () => {
      await server.command('user.update', { user: 'bob', username: 'bob_two' })
      await server.command('user.update', { user: id('bob'), username: 'bob' })
    })
    const uuids = dataOf(await messagesOf(server, events)).map((item) => item.event_uuid)
    expect(new Set(uuids).size).toBe(4)
    for (const uuid of uuids) expect(BigInt(uuid)).toBeLessThan(2n ** 63n)
    expect(dataOf(await messagesOf(server, events)).map((item) => item.event_uuid)).toEqual(uuids)
  })
})

describe('a batch of events', () => {
  test('is delivered in order and needs no more statements than one event', async () => {
    await subscribeTo('post.create', 'bob')
    await subscribeTo('post.create', 'alice')
    await subscribeAs(server, 'chika', 'post.mention.create')
    const events = await eventsOf(server, async () => {
      for (let round = 0; round < 10; round++) {
        await makePost(server, 'bob', { text: `round ${round} for @chika` })
        await newPost('alice')
      }
    })
    const statements = async (some: LoggedEvent[]) => {
      server.runtime.parts.invalidateAll()
      const query = vi.spyOn(server.runtime.database, 'query')
      const messages = await messagesOf(server, some, { appIds: [await firstApp(server)] })
      const names = query.mock.calls.map(([call]) => call.name ?? '')
      query.mockRestore()
      return { messages, names: names.filter((name) => !name.startsWith('control_')) }
    }
    // Work by timers may come between: the fewest of some tries count.
    const fewest = async (some: LoggedEvent[]) => {
      const tries = [await statements(some), await statements(some), await statements(some)]
      return tries.sort((left, right) => left.names.length - right.names.length)[0]!
    }
    const one = await fewest(events.slice(0, 1))
    const many = await fewest(events)
    expect(many.messages).toHaveLength(30)
    expect(many.messages.map((message) => message.sequence)).toEqual(
      many.messages.map((message) => message.sequence).toSorted((a, b) => +a - +b),
    )
    expect(many.names.filter((name) => name === 'activity_subscription_candidates')).toHaveLength(1)
    expect(many.names.length).toBe(one.names.length)
  })

  test('without an event that apps can subscribe to needs no statement', async () => {
    const query = vi.spyOn(server.runtime.database, 'query')
    const event = { sequence: '1', type: 'like.delete', actor_id: '1', target_id: null, post_id: '1' }
    const messages = await matchActivity(server.runtime, [{ ...event, payload: {} } as never], { withWebhook: true })
    expect([messages, query.mock.calls]).toEqual([[], []])
    query.mockRestore()
  })
})
