import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { matchActivity, renderActivity } from '../../src/activity/find-activity.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { accessToken, makePost, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { clear, dataOf, eventsOf, firstApp, hitsOf, SUBSCRIBING, subscribe, subscribeAs, told } from './telling.ts'

let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(answersCorrectly(server.credentials.apps[0]!.api_key_secret))
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})
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
/** Texts of the posts that were told of. */
const textsOf = (data: { payload: { text: string } }[]) => data.map((item) => item.payload.text)

let posts = 0
const newPost = (username: string, more: object = {}) => {
  posts += 1
  return makePost(server, username, { text: `Post number ${posts}`, ...more })
}

describe('post.mention.create', () => {
  test('is told for a name in the words of a reply and not for those that the server puts before it', async () => {
    const answered = await newPost('alice')
    await subscribeAs(server, 'alice', 'post.mention.create')
    const reply = { in_reply_to_post_id: answered, auto_populate_reply_metadata: true }
    const data = await told(server, async () => {
      await makePost(server, 'bob', { text: 'only words', reply })
      await makePost(server, 'bob', { text: 'words for @alice', reply: { in_reply_to_post_id: answered } })
      await makePost(server, 'chika', { text: 'and you, @alice?', reply })
    })
    expect(textsOf(data)).toEqual(['words for @alice', 'and you, @alice?'])
  })

  test('is told for a name behind the mentions that the server puts before a reply', async () => {
    const answered = await newPost('alice')
    await subscribeAs(server, 'chika', 'post.mention.create')
    const reply = { in_reply_to_post_id: answered, auto_populate_reply_metadata: true }
    const data = await told(server, () => makePost(server, 'bob', { text: 'ask @chika', reply }))
    expect(textsOf(data)).toEqual(['@alice ask @chika'])
  })

  test('is told for a name far behind in a long post', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    const data = await told(server, () => makePost(server, 'alice', { text: `${'word '.repeat(80)}@bob` }))
    expect(data).toHaveLength(1)
  })

  test('is not told for one’s own name, a repost, or a name that comes twice', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    const data = await told(server, async () => {
      await makePost(server, 'bob', { text: 'I am @bob' })
      await repost('chika', await makePost(server, 'bob', { text: 'repost me' }))
      await makePost(server, 'alice', { text: '@bob and again @bob' })
    })
    expect(textsOf(data)).toEqual(['@bob and again @bob'])
  })

  test('is not told where one of the two blocks the other', async () => {
    await subscribeAs(server, 'bob', 'post.mention.create')
    await relate('add', 'block', 'bob', 'dario')
    await relate('add', 'block', 'chika', 'bob')
    const data = await told(server, async () => {
      await makePost(server, 'dario', { text: 'hey @bob' })
      await makePost(server, 'chika', { text: 'hey there @bob' })
      await makePost(server, 'alice', { text: 'hello @bob' })
    })
    await relate('remove', 'block', 'bob', 'dario')
    await relate('remove', 'block', 'chika', 'bob')
    expect(textsOf(data)).toEqual(['hello @bob'])
  })
})

test('what a user does to their own posts is told as their post alone', async () => {
  const own = await newPost('chika')
  for (const name of ['post.reply.create', 'post.quote.create', 'post.repost.create'])
    await subscribeAs(server, 'chika', name)
  await subscribeTo('post.create', 'chika')
  const data = await told(server, async () => {
    await newPost('chika', { reply: { in_reply_to_post_id: own } })
    await newPost('chika', { quote_post_id: own })
    await repost('chika', own)
  })
  expect(data.map((item) => item.event_type)).toEqual(['post.create', 'post.create', 'post.create'])
})

describe('the direction', () => {
  const directionsTold = (data: { filter: { direction?: string } }[]) => data.map((item) => item.filter.direction)

  test('of a like is outbound for who likes and inbound for whose post it is, in both words', async () => {
    for (const direction of ['inbound', 'sent', undefined])
      await subscribeAs(server, 'bob', 'like.create', direction === undefined ? {} : { direction })
    const [ofBob, ofAlice] = [await newPost('bob'), await newPost('alice')]
    expect(directionsTold(await told(server, () => like('alice', ofBob))).sort()).toEqual(['inbound', undefined])
    expect(directionsTold(await told(server, () => like('bob', ofAlice))).sort()).toEqual(['sent', undefined])
  })

  test('of a like of one’s own post is both, and without a direction it is told once', async () => {
    for (const direction of ['received', 'outbound', undefined])
      await subscribeAs(server, 'bob', 'like.create', direction === undefined ? {} : { direction })
    const own = await newPost('bob')
    const data = await told(server, () => like('bob', own))
    expect(directionsTold(data).sort()).toEqual(['outbound', 'received', undefined])
  })

  test('of a follow is outbound for who follows and inbound for who is followed', async () => {
    await relate('remove', 'follow', 'dario', 'chika')
    await subscribeTo('follow.follow', 'chika', { direction: 'received' })
    await subscribeTo('follow.follow', 'chika', { direction: 'sent' })
    await subscribeTo('follow.follow', 'dario')
    const data = await told(server, () => relate('add', 'follow', 'dario', 'chika'))
    expect(data.map((item) => item.filter)).toEqual([
      { user_id: id('dario') },
      { user_id: id('chika'), direction: 'received' },
    ])
  })
})

describe('a keyword', () => {
  test('lets posts through that hold all of its words, whatever their case, accents and order', async () => {
    await subscribeTo('post.create', 'bob', { keyword: 'Café tea' })
    const data = await told(server, async () => {
      await makePost(server, 'bob', { text: 'TEA in the cafe' })
      await makePost(server, 'bob', { text: 'Tea alone' })
      await makePost(server, 'bob', { text: 'teatime in a café' })
    })
    expect(textsOf(data)).toEqual(['TEA in the cafe'])
  })

  test('is looked for in the words that were typed: neither in links nor in escapes', async () => {
    await subscribeTo('post.create', 'bob', { keyword: 'amp' })
    await subscribeTo('post.create', 'bob', { keyword: 'https' })
    const data = await told(server, () => makePost(server, 'bob', { text: 'salt & pepper https://example.com/a' }))
    expect(data).toEqual([])
  })

  test('is looked for in the whole text of a long post and of what is reposted', async () => {
    await subscribeTo('post.create', 'alice', { keyword: 'needle' })
    await subscribeTo('post.create', 'bob', { keyword: 'needle' })
    const data = await told(server, async () => {
      await repost('bob', await makePost(server, 'alice', { text: `${'hay '.repeat(90)}needle` }))
    })
    expect(data.map((item) => item.payload.author_id)).toEqual([id('alice'), id('bob')])
  })
})

describe('what nobody may see is not told', () => {
  test('of a protected account: posts, their removal, and likes of them, even to the user’s own subscription', async () => {
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
    expect(await hitsOf(server, events)).toEqual([])
    await server.command('user.update', { user: 'erin', protected: false })
    const later = dataOf(await hitsOf(server, events)).map((item) => item.event_type)
    await server.command('user.update', { user: 'erin', protected: true })
    expect(later).toEqual(['post.delete', 'post.create', 'like.create'])
  })

  test('of a suspended account, nor what was removed before it could be told', async () => {
    await subscribeTo('post.create', 'dario')
    await subscribeTo('profile.update.bio', 'dario')
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, async () => {
      await newPost('dario')
      await server.command('user.update', { user: 'dario', description: 'Suspended soon', suspended: true })
      const gone = await newPost('bob')
      await server.delete(`/2/posts/${gone}`, { user: 'bob' })
    })
    expect(await hitsOf(server, events)).toEqual([])
    await server.command('user.update', { user: 'dario', suspended: false })
    expect(dataOf(await hitsOf(server, events)).map((item) => item.event_type)).toEqual([
      'post.create',
      'profile.update.bio',
    ])
  })

  test('of a reply to a protected post: the answered post is not included', async () => {
    const answered = await newPost('chika')
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, () => newPost('bob', { reply: { in_reply_to_post_id: answered } }))
    await server.command('user.update', { user: 'chika', protected: true })
    const [data] = dataOf(await hitsOf(server, events))
    await server.command('user.update', { user: 'chika', protected: false })
    expect(data.payload.in_reply_to_post_id).toBe(answered)
    expect(data.includes).not.toHaveProperty('posts')
  })
})

describe('a subscription', () => {
  test('is told by the name that it was made with', async () => {
    const { apps } = await server.command('app.list')
    await subscribeTo('profile.update.verified', 'bob')
    const body = { event_type: 'profile.update.verified_badge', filter: { user_id: id('bob') } }
    await subscribe(server, body, 'second-app')
    const events = await eventsOf(server, () => server.command('user.update', { user: 'bob', verified_type: 'blue' }))
    const hits = await hitsOf(server, events, { appIds: apps.map((app: { id: string }) => app.id) })
    expect(hits.map((hit) => [hit.appId, hit.eventType, JSON.parse(hit.envelope).data.event_type])).toEqual([
      [apps[0].id, 'profile.update.verified', 'profile.update.verified'],
      [apps[1].id, 'profile.update.verified_badge', 'profile.update.verified_badge'],
    ])
  })

  test('to something private is told nothing once its user took the access away', async () => {
    const bearer = await accessToken(server, 'chika', SUBSCRIBING)
    await subscribe(server, { event_type: 'post.mention.create', filter: { user_id: id('chika') } }, { bearer })
    const events = await eventsOf(server, () => makePost(server, 'bob', { text: 'still there, @chika?' }))
    expect(await hitsOf(server, events)).toHaveLength(1)
    const [{ grants }] = await rows(server, 'select array_agg(id) as grants from oauth2_grant where not revoked')
    await rows(server, 'update oauth2_grant set revoked = true')
    expect(await hitsOf(server, events)).toEqual([])
    await rows(server, 'update oauth2_grant set revoked = false where id = any($1::bigint[])', [grants])
    await rows(server, `update oauth2_grant set scopes = '{users.read}' where user_id = $1`, [id('chika')])
    expect(await hitsOf(server, events)).toEqual([])
  })

  test('of a suspended app is told nothing', async () => {
    const app = await firstApp(server)
    await subscribeTo('post.create', 'bob')
    const events = await eventsOf(server, () => newPost('bob'))
    await server.command('app.update', { app, suspended: true })
    expect(await hitsOf(server, events)).toEqual([])
    await server.command('app.update', { app, suspended: false })
    expect(await hitsOf(server, events)).toHaveLength(1)
  })

  test('with a webhook is found among all that have one, and on the stream of its app as well', async () => {
    const webhookId = (await server.post('/2/webhooks', { url: receiver.url() })).body.id
    const filter = { user_id: id('bob') }
    const tied = await subscribe(server, { event_type: 'post.create', filter, webhook_id: webhookId })
    const free = await subscribe(server, { event_type: 'post.create', filter })
    const events = await eventsOf(server, () => newPost('bob'))
    const sent = await hitsOf(server, events, { withWebhook: true })
    expect(sent.map((hit) => [hit.subscriptionId, hit.webhookId])).toEqual([[tied.subscription_id, webhookId]])
    const streamed = await hitsOf(server, events)
    expect(streamed.map((hit) => hit.subscriptionId).sort()).toEqual(
      [tied.subscription_id, free.subscription_id].sort(),
    )
    expect(await hitsOf(server, events, { appIds: [] })).toEqual([])
  })

  test('is told in the naming that it was made in, or in the one that is asked for', async () => {
    await subscribeTo('post.create', 'bob')
    await rows(server, `update activity_subscription set naming = 'legacy'`)
    const answered = await newPost('alice')
    const events = await eventsOf(server, () => newPost('bob', { reply: { in_reply_to_post_id: answered } }))
    const [hit] = await hitsOf(server, events)
    expect(hit).toMatchObject({ naming: 'legacy', eventType: 'post.create', place: events[0]!.sequence })
    const { data } = JSON.parse(hit!.envelope)
    expect(data.event_type).toBe('post.create')
    expect(data.payload).toMatchObject({
      edit_history_tweet_ids: [data.payload.id],
      in_reply_to_tweet_id: answered,
      referenced_tweets: [{ type: 'replied_to', id: answered }],
    })
    expect(data.includes.tweets).toHaveLength(1)
    const matches = await matchActivity(server.runtime, events, { appIds: [await firstApp(server)] })
    const [spoken] = await renderActivity(server.runtime, matches, neutral)
    expect(spoken!.naming).toBe('neutral')
    const neutrally = JSON.parse(spoken!.envelope).data
    expect(neutrally.payload.edit_history_post_ids).toEqual([data.payload.id])
    expect(neutrally.event_uuid).toBe(data.event_uuid)
    expect(await renderActivity(server.runtime, matches, legacyNaming)).toEqual([hit])
  })
})

describe('event_uuid', () => {
  test('is the same each time one event is told to one subscription, and otherwise another', async () => {
    await subscribeTo('profile.update.screenname', 'bob')
    await subscribeTo('profile.update.handle', 'bob')
    const events = await eventsOf(server, async () => {
      await server.command('user.update', { user: 'bob', username: 'bob_two' })
      await server.command('user.update', { user: id('bob'), username: 'bob' })
    })
    const uuids = dataOf(await hitsOf(server, events)).map((item) => item.event_uuid)
    expect(new Set(uuids).size).toBe(4)
    for (const uuid of uuids) expect(BigInt(uuid)).toBeLessThan(2n ** 63n)
    expect(dataOf(await hitsOf(server, events)).map((item) => item.event_uuid)).toEqual(uuids)
  })
})

describe('a batch of events', () => {
  test('is told in its order and costs no more statements than one event', async () => {
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
      const hits = await hitsOf(server, some, { appIds: [await firstApp(server)] })
      const names = query.mock.calls.map(([call]) => call.name ?? '')
      query.mockRestore()
      return { hits, names: names.filter((name) => !name.startsWith('control_')) }
    }
    const one = await statements(events.slice(0, 1))
    const many = await statements(events)
    expect(many.hits).toHaveLength(30)
    expect(many.hits.map((hit) => hit.place)).toEqual(many.hits.map((hit) => hit.place).toSorted((a, b) => +a - +b))
    expect(many.names.filter((name) => name === 'activity_subscriptions_fired')).toHaveLength(1)
    expect(many.names.length).toBe(one.names.length)
  })

  test('without an event that anybody could subscribe to asks for nothing', async () => {
    const query = vi.spyOn(server.runtime.database, 'query')
    const event = { place: '1', type: 'like.delete', actor_id: '1', target_id: null, post_id: '1' }
    const hits = await matchActivity(server.runtime, [{ ...event, payload: {} } as never], { withWebhook: true })
    expect([hits, query.mock.calls]).toEqual([[], []])
    query.mockRestore()
  })
})
