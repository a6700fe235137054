import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import {
  clear,
  dataOf,
  delivered,
  eventsOf,
  firstApp,
  messagesOf,
  subscribe,
  subscribeAs,
} from './subscribed-activity.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => clear(server))

const UUID = expect.stringMatching(/^[0-9]{1,19}$/)
const id = (name: string) => server.userId(name)
const subscribeTo = (eventType: string, username: string, more: object = {}) =>
  subscribe(server, { event_type: eventType, filter: { user_id: id(username) }, ...more })

const POST_FIELDS =
  'author_id,conversation_id,created_at,display_text_range,edit_controls,edit_history_post_ids,entities,in_reply_to_user_id,lang,paid_partnership,possibly_sensitive,public_metrics,referenced_posts,reply_settings'
const USER_FIELDS =
  'affiliation,created_at,description,entities,location,parody,pinned_post_id,profile_banner_url,profile_image_url,protected,public_metrics,url,verified,verified_type'

/** Posts and users as read operations show them. */
const postAsRead = async (postId: string) =>
  (await server.get(`/2/posts/${postId}?post.fields=${POST_FIELDS}`)).body.data
const usersAsRead = async (...names: string[]) =>
  (await server.get(`/2/users?ids=${names.map(id).join()}&user.fields=${USER_FIELDS}`)).body.data

describe('the payload of post.create', () => {
  test('is the post with its public members, and the author is included', async () => {
    await subscribeTo('post.create', 'bob', { tag: 'bob posts' })
    let postId = ''
    const data = await delivered(server, async () => {
      postId = await makePost(server, 'bob', { text: 'Tea with @alice & #cake' })
    })
    expect(data).toEqual([
      {
        event_uuid: UUID,
        filter: { user_id: id('bob') },
        event_type: 'post.create',
        tag: 'bob posts',
        payload: await postAsRead(postId),
        includes: { users: await usersAsRead('bob', 'alice') },
      },
    ])
    expect(Object.keys(data[0].payload).sort()).toEqual([
      'author_id',
      'conversation_id',
      'created_at',
      'display_text_range',
      'edit_controls',
      'edit_history_post_ids',
      'entities',
      'id',
      'lang',
      'paid_partnership',
      'possibly_sensitive',
      'public_metrics',
      'reply_settings',
      'text',
    ])
  })

  test('is a reply, with the answered post and its author included', async () => {
    const answered = await makePost(server, 'alice', { text: 'Who wants tea?' })
    await subscribeTo('post.create', 'bob')
    let postId = ''
    const [data] = await delivered(server, async () => {
      postId = await makePost(server, 'bob', { text: 'I do', reply: { in_reply_to_post_id: answered } })
    })
    expect(data.payload).toEqual({ ...(await postAsRead(postId)), in_reply_to_post_id: answered })
    expect(data.payload.in_reply_to_user_id).toBe(id('alice'))
    expect(data.includes).toEqual({ posts: [await postAsRead(answered)], users: await usersAsRead('bob', 'alice') })
    expect(data).not.toHaveProperty('tag')
  })

  test('is a repost with the original included', async () => {
    const original = await makePost(server, 'alice', { text: 'To be reposted' })
    await subscribeTo('post.create', 'bob')
    const [data] = await delivered(server, () =>
      server.post(`/2/users/${id('bob')}/reposts`, { post_id: original }, { user: 'bob' }),
    )
    expect(data.payload).toMatchObject({
      text: 'RT @alice: To be reposted',
      author_id: id('bob'),
      referenced_posts: [{ type: 'reposted', id: original }],
    })
    expect(data.includes.posts).toEqual([await postAsRead(original)])
  })

  test('is the new version after an edit, with its history', async () => {
    const first = await makePost(server, 'alice', { text: 'Frist' })
    await subscribeTo('post.create', 'alice')
    let second = ''
    const data = await delivered(server, async () => {
      second = await makePost(server, 'alice', { text: 'First', edit_options: { previous_post_id: first } })
    })
    expect(data.map((item) => item.payload.id)).toEqual([second])
    expect(data[0].payload.edit_history_post_ids).toEqual([first, second])
  })

  test('is a long post with its whole text', async () => {
    await subscribeTo('post.create', 'alice')
    const text = `Long ${'words '.repeat(80)}end`
    const [data] = await delivered(server, () => makePost(server, 'alice', { text }))
    expect(data.payload.note_post.text).toBe(text)
  })
})

describe('the payload of post.delete', () => {
  test('is the id and the author, once for each version that was delivered as a post', async () => {
    const first = await makePost(server, 'alice', { text: 'Soon gone' })
    const second = await makePost(server, 'alice', { text: 'Soon gone.', edit_options: { previous_post_id: first } })
    await subscribeTo('post.delete', 'alice')
    const data = await delivered(server, () => server.delete(`/2/posts/${second}`, { user: 'alice' }))
    const envelope = (postId: string) => ({
      event_uuid: UUID,
      filter: { user_id: id('alice') },
      event_type: 'post.delete',
      payload: { id: postId, author_id: id('alice') },
    })
    const includes = { users: await usersAsRead('alice') }
    expect(data).toEqual([first, second].map((postId) => ({ ...envelope(postId), includes })))
    expect(new Set(data.map((item) => item.event_uuid)).size).toBe(2)
  })

  test('is the id of a removed repost', async () => {
    const original = await makePost(server, 'alice', { text: 'Reposted for a while' })
    const made = await server.post(`/2/users/${id('bob')}/reposts`, { post_id: original }, { user: 'bob' })
    await subscribeTo('post.delete', 'bob')
    const [data] = await delivered(server, () =>
      server.delete(`/2/users/${id('bob')}/reposts/${original}`, { user: 'bob' }),
    )
    expect(data.payload).toEqual({ id: made.body.data.id, author_id: id('bob') })
  })
})

describe('the payload of actions on a user’s posts', () => {
  test.each<[eventType: string, act: (postId: string) => Promise<unknown>, text: string]>([
    ['post.mention.create', () => makePost(server, 'bob', { text: 'Hello @chika' }), 'Hello @chika'],
    [
      'post.reply.create',
      (postId) => makePost(server, 'bob', { text: 'An answer', reply: { in_reply_to_post_id: postId } }),
      'An answer',
    ],
    ['post.quote.create', (postId) => makePost(server, 'bob', { text: 'A quote', quote_post_id: postId }), 'A quote'],
    [
      'post.repost.create',
      (postId) => server.post(`/2/users/${id('bob')}/reposts`, { post_id: postId }, { user: 'bob' }),
      'RT @chika: Of post.repost.create',
    ],
  ])('%s is the post of the other user', async (eventType, act, text) => {
    const postId = await makePost(server, 'chika', { text: `Of ${eventType}` })
    await subscribeAs(server, 'chika', eventType)
    const [data, ...more] = await delivered(server, () => act(postId))
    expect(more).toEqual([])
    expect(data.event_type).toBe(eventType)
    const { in_reply_to_post_id: answered, ...payload } = data.payload
    expect(payload).toEqual(await postAsRead(data.payload.id))
    expect(payload.text.startsWith(text)).toBe(true)
    expect(answered).toBe(eventType === 'post.reply.create' ? postId : undefined)
    expect(data.includes.users).toEqual(await usersAsRead('bob', 'chika'))
  })
})

test('the payload of like.create is the like, with both users and the post included', async () => {
  const postId = await makePost(server, 'alice', { text: `To be liked ${Math.random()}` })
  await subscribeAs(server, 'alice', 'like.create')
  const before = server.runtime.clock.now()
  const [data] = await delivered(server, () =>
    server.post(`/2/users/${id('bob')}/likes`, { post_id: postId }, { user: 'bob' }),
  )
  const post = await postAsRead(postId)
  expect(data.payload).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    // The time of the like, in whole seconds.
    created_at: `${new Date(data.payload.timestamp_ms).toISOString().slice(0, 19)}.000Z`,
    timestamp_ms: expect.any(Number),
    liked_post_id: postId,
    post_author_id: id('alice'),
    liked_post_author_id: id('alice'),
  })
  expect(data.payload.timestamp_ms).toBeGreaterThanOrEqual(before)
  expect(data.includes).toEqual({ posts: [post], users: await usersAsRead('bob', 'alice') })
})

describe('the payload of actions between two users', () => {
  test.each<[eventType: string, kind: string, command: string]>([
    // The first world has this follow.
    ['follow.unfollow', 'follow', 'relation.remove'],
    ['follow.follow', 'follow', 'relation.add'],
    ['mute.mute', 'mute', 'relation.add'],
    ['mute.unmute', 'mute', 'relation.remove'],
    ['block.block', 'block', 'relation.add'],
    ['block.unblock', 'block', 'relation.remove'],
  ])('%s has both users', async (eventType, kind, command) => {
    await subscribeAs(server, 'bob', eventType)
    const data = await delivered(server, () => server.command(command, { kind, source: 'bob', target: 'chika' }))
    const [source, target] = await usersAsRead('bob', 'chika')
    expect(data).toEqual([
      { event_uuid: UUID, filter: { user_id: id('bob') }, event_type: eventType, payload: { source, target } },
    ])
  })
})

describe('the payload of profile.update', () => {
  const orga = () => ({ user_id: [id('alice')], description: 'Works there' })
  test.each<[eventType: string, change: () => object, before: string, after: () => string]>([
    ['profile.update.bio', () => ({ description: 'New words' }), 'as seeded', () => 'New words'],
    ['profile.update.geo', () => ({ location: 'Lisbon' }), 'as seeded', () => 'Lisbon'],
    ['profile.update.url', () => ({ url: '' }), 'as seeded', () => ''],
    [
      'profile.update.profile_picture',
      () => ({ profile_image_url: 'https://a.test/p.png' }),
      'as seeded',
      () => 'https://a.test/p.png',
    ],
    [
      'profile.update.banner_picture',
      () => ({ profile_banner_url: 'https://a.test/b.png' }),
      '',
      () => 'https://a.test/b.png',
    ],
    ['profile.update.screenname', () => ({ username: 'dario_two' }), 'dario', () => 'dario_two'],
    ['profile.update.handle', () => ({ username: 'dario' }), 'dario_two', () => 'dario'],
    ['profile.update.verified', () => ({ verified_type: 'business' }), 'none', () => 'business'],
    ['profile.update.verified_badge', () => ({ verified_type: 'none' }), 'business', () => 'none'],
    ['profile.update.affiliate', () => ({ affiliation: orga() }), '', () => JSON.stringify(orga())],
  ])('%s has the values before and after', async (eventType, change, before, after) => {
    // Sets values to change, independent of the first world.
    if (before === 'as seeded')
      await server.command('user.update', {
        user: 'dario',
        description: 'as seeded',
        location: 'as seeded',
        url: 'https://seeded.test',
        profile_image_url: 'https://a.test/as-seeded.png',
      })
    await subscribeTo(eventType, 'dario')
    const data = await delivered(server, () => server.command('user.update', { user: id('dario'), ...change() }))
    expect(data).toEqual([
      {
        event_uuid: UUID,
        filter: { user_id: id('dario') },
        event_type: eventType,
        payload: { before: expect.any(String), after: expect.any(String) },
      },
    ])
    const { payload } = data[0]
    if (before === 'as seeded') expect(payload.before).not.toBe('')
    else expect(payload.before).toBe(before)
    if (eventType === 'profile.update.affiliate') expect(JSON.parse(payload.after)).toEqual(orga())
    else expect(payload.after).toBe(after())
  })

  test('is not delivered for the display name and protection, which have no type', async () => {
    await subscribeTo('profile.update.screenname', 'dario')
    await subscribeTo('profile.update.bio', 'dario')
    const data = await delivered(server, async () => {
      await server.command('user.update', { user: 'dario', name: 'Another name', protected: true })
      await server.command('user.update', { user: 'dario', protected: false })
    })
    expect(data).toEqual([])
  })
})

test('oauth.revoke is delivered only to the app that lost the access', async () => {
  const appId = await firstApp(server)
  await subscribe(server, { event_type: 'oauth.revoke', filter: {} })
  await subscribe(server, { event_type: 'oauth.revoke', filter: {} }, 'second-app')
  const event: LoggedEvent<'oauth.revoke'> = {
    sequence: '7000000',
    type: 'oauth.revoke',
    actor_id: id('bob'),
    target_id: null,
    post_id: null,
    payload: { app_id: appId },
    happened_at: new Date('2026-07-23T21:44:05.678Z'),
    hidden_users: null,
  }
  const { apps } = await server.command('app.list')
  const all = { appIds: apps.map((app: { id: string }) => app.id) }
  const messages = await messagesOf(server, [event as LoggedEvent], all)
  expect(messages.map((message) => message.appId)).toEqual([appId])
  expect(dataOf(messages)).toEqual([
    {
      event_uuid: UUID,
      filter: {},
      event_type: 'oauth.revoke',
      payload: { date_time: '2026-07-23T21:44:05+00:00', user_id: id('bob'), app_id: appId },
    },
  ])
})

test('an envelope is one JSON object', async () => {
  await subscribeTo('post.create', 'bob')
  const events = await eventsOf(server, () => makePost(server, 'bob', { text: 'One object' }))
  const [message] = await messagesOf(server, events)
  expect(message!.envelope).toMatch(
    /^\{"data":\{"event_uuid":"\d+","filter":\{.*\},"event_type":"post\.create","payload":\{/,
  )
  expect(Object.keys(JSON.parse(message!.envelope))).toEqual(['data'])
})
