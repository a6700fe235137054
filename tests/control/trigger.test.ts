import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { triggerTypes } from '../../src/control/triggers/trigger.ts'
import { accessToken, makePost, rows } from '../social/acting.ts'
import { joinAs } from '../social/chatting.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { linkWebhook } from '../webhooks/linked-webhook.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
})
afterAll(() => server.close())

const trigger = (event_type: string, args: object = {}) => server.command('trigger', { event_type, ...args })
const refused = async (event_type: string, args: object = {}) => {
  const answer = await server.tryCommand('trigger', { event_type, ...args })
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
  return answer.body.errors?.[0].message ?? answer.body.errors?.[0].detail ?? answer.body.detail
}
const eventAt = async (sequence: string) => {
  const [event] = await rows(
    server,
    'select type, actor_id, target_id, post_id, payload from event_log where place = $1',
    [sequence],
  )
  return event
}

const PROFILE: Record<string, string> = {
  bio: 'description',
  profile_picture: 'profile_image_url',
  banner_picture: 'profile_banner_url',
  geo: 'location',
  url: 'url',
  screenname: 'username',
  handle: 'username',
  verified: 'verified_type',
  verified_badge: 'verified_type',
  affiliate: 'affiliation',
  affiliate_badge: 'affiliation',
}
/** The type of the event in the log, where it differs. */
const LOGGED: Record<string, string> = {
  'post.mention.create': 'post.create',
  'post.reply.create': 'post.create',
  'post.quote.create': 'post.create',
  'post.repost.create': 'repost.create',
  'post.repost.delete': 'repost.delete',
  'dm.sent': 'message.create',
  'dm.received': 'message.create',
  'dm.read': 'message.read',
  'dm.indicate_typing': 'message.typing',
  'spaces.start': 'space.start',
  'spaces.end': 'space.end',
  'chat.sent': 'chat.message',
  'chat.received': 'chat.message',
  'chat.conversation_join': 'chat.join',
  ...Object.fromEntries(Object.keys(PROFILE).map((name) => [`profile.update.${name}`, 'user.update'])),
}
const ALL = triggerTypes().map((type) => type.event_type)

test('the types are those of the events that users can cause', () => {
  expect(ALL.sort()).toEqual(
    [
      ...['post.create', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'],
      ...['post.repost.delete', 'post.edit', 'post.delete', 'like.create', 'like.delete', 'follow.follow'],
      ...['follow.unfollow', 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock', 'spaces.start', 'spaces.end'],
      ...['chat.sent', 'chat.received', 'chat.conversation_join'],
      ...['dm.sent', 'dm.received', 'dm.read', 'dm.indicate_typing'],
      ...['user.protect', 'user.unprotect', 'user.suspend', 'user.unsuspend', 'oauth.revoke', 'news.new'],
      ...Object.keys(PROFILE).map((name) => `profile.update.${name}`),
    ].sort(),
  )
})

describe('every type', () => {
  beforeEach(async () => {
    for (const user of [server.userId('alice'), server.userId('bob')])
      await server.command('user.update', { user, suspended: false, protected: false })
  })

  // Twice: the second trigger starts with the state that the first one left.
  test.each(ALL)('%s causes its event, also the second time', async (type) => {
    const sequences = new Set<string>()
    for (let turn = 0; turn < 2; turn++) {
      const made = await trigger(type)
      expect(made).toMatchObject({ event_type: type, done: expect.any(String), user_id: server.userId('alice') })
      expect(made.event_place, JSON.stringify(made)).toMatch(/^\d+$/)
      sequences.add(made.event_place)
      const event = await eventAt(made.event_place)
      expect(event.type).toBe(LOGGED[type] ?? type)
      // Nobody causes a story: the work that finds it does.
      expect(event.actor_id).toBe(type === 'news.new' ? null : server.userId('alice'))
      if (/^(follow|mute|block)\./.test(type)) expect(event.target_id).toBe(server.userId('bob'))
      if (/^(post|like)\./.test(type)) expect(event.post_id).toBe(made.post_id)
      const field = PROFILE[type.replace('profile.update.', '')]
      if (field && type.startsWith('profile.')) expect(event.payload).toMatchObject({ field, after: made.after })
    }
    expect(sequences.size).toBe(2)
  })
})

test('a message is sent although the target had closed their messages, and says what was done first', async () => {
  await server.command('user.update', { user: 'chika', receives_messages_from_everyone: false })
  await server.post(`/2/users/${server.userId('dario')}/dm/block`, undefined, { user: 'chika' })
  await server.command('relation.remove', { kind: 'follow', source: 'chika', target: 'dario' })
  const sent = await trigger('dm.received', { user: 'dario', target: 'chika', text: 'Knock knock' })
  expect(sent.first).toEqual(['@chika allowed the messages of @dario', '@chika followed @dario'])
  const read = await server.get(`/2/dm_events/${sent.dm_event_id}`, { user: 'chika' })
  expect(read.body.data.text).toBe('Knock knock')
  await server.command('user.update', { user: 'chika', receives_messages_from_everyone: true })
})

test('a space starts with the given title, and ends', async () => {
  const started = await trigger('spaces.start', { user: 'chika', text: 'Words about wool' })
  const { data } = (await server.get(`/2/spaces/${started.space_id}?space.fields=title,creator_id`)).body
  expect(data).toMatchObject({ state: 'live', title: 'Words about wool', creator_id: server.userId('chika') })
  const ended = await trigger('spaces.end', { user: 'chika' })
  expect(ended).toMatchObject({ space_id: started.space_id, first: [] })
  expect((await eventAt(ended.event_place)).payload).toEqual({ space_id: started.space_id, title: 'Words about wool' })
  expect((await server.get(`/2/spaces/${started.space_id}`)).body.data.state).toBe('ended')
})

describe('a post', () => {
  const read = async (id: string) => {
    const fields = 'post.fields=author_id,in_reply_to_user_id,referenced_posts,entities'
    return (await server.get(`/2/posts/${id}?${fields}`)).body.data
  }

  test('has the given text, and mentions the target', async () => {
    const { post_id } = await trigger('post.create', { user: '@dario', text: 'Words of my own' })
    expect(await read(post_id)).toMatchObject({ text: 'Words of my own', author_id: server.userId('dario') })
    const mention = await trigger('post.mention.create', { user: 'dario', target: 'chika', text: 'Look at this' })
    expect(await read(mention.post_id)).toMatchObject({
      text: '@chika Look at this',
      entities: { mentions: [{ username: 'chika' }] },
    })
    const named = await trigger('post.mention.create', { target: 'chika', text: 'Dear @Chika, hello' })
    expect((await read(named.post_id)).text).toBe('Dear @Chika, hello')
  })

  test('answers and quotes the named post of any author', async () => {
    const asked = await makePost(server, 'chika', { text: 'Who is there?' })
    const answer = await trigger('post.reply.create', { post_id: asked })
    expect(answer).toMatchObject({ first: [], target_id: server.userId('chika') })
    expect(await read(answer.post_id)).toMatchObject({
      in_reply_to_user_id: server.userId('chika'),
      referenced_posts: [{ type: 'replied_to', id: asked }],
    })
    const quote = await trigger('post.quote.create', { user: 'bob', post_id: asked })
    expect(await read(quote.post_id)).toMatchObject({ referenced_posts: [{ type: 'quoted', id: asked }] })
  })

  test('is edited and deleted by its author when it is named', async () => {
    const first = await makePost(server, 'chika', { text: 'Frist' })
    const edited = await trigger('post.edit', { post_id: first, text: 'First' })
    expect(edited).toMatchObject({ user_id: server.userId('chika'), previous_post_id: first, first: [] })
    expect((await read(edited.post_id)).text).toBe('First')
    await trigger('post.delete', { post_id: edited.post_id })
    expect(await read(first)).toBeUndefined()
  })

  test('is written first if the target has none', async () => {
    const { username, id } = await server.command('user.create', { username: 'silent' })
    const liked = await trigger('like.create', { target: username })
    expect(liked.first).toEqual([`@silent wrote post ${liked.post_id}`])
    expect((await read(liked.post_id)).author_id).toBe(id)
    const again = await trigger('like.create', { target: username })
    expect(again).toMatchObject({
      post_id: liked.post_id,
      first: [`@alice removed the like from post ${liked.post_id}`],
    })
    expect(again.like_id).not.toBe(liked.like_id)
  })

  test('of a protected account is liked after the user follows the account', async () => {
    const made = await trigger('like.create', { user: 'chika', target: 'erin' })
    expect(made.first).toEqual(['@chika followed @erin'])
  })
})

test('oauth.revoke ends the tokens of the user, and only of this user', async () => {
  const bearer = await accessToken(server, 'dario', ['users.read', 'post.read'])
  const me = async (as: As) => (await server.get('/2/users/me', as)).status
  expect([await me({ bearer }), await me({ user: 'dario' })]).toEqual([200, 200])
  expect(await trigger('oauth.revoke', { user: 'dario' })).toMatchObject({
    first: [],
    oauth1_grants: 1,
    // The pair of credentials.json is the other one.
    oauth2_grants: 2,
  })
  expect([await me({ bearer }), await me({ user: 'dario' }), await me({ user: 'chika' })]).toEqual([401, 401, 200])
})

test('a user with a chat client sends nothing by a trigger, since only the client can sign', async () => {
  const erin = await joinAs(server, 'erin')
  expect(await refused('chat.sent', { user: 'bob', target: 'erin' })).toMatch(/^@erin has a chat client/)
  expect((await server.get(`/2/users/${erin.id}/public_keys`, erin.as)).body.data).toHaveLength(1)
})

test('a block between the two users is removed first', async () => {
  await trigger('block.block', { user: 'dario', target: 'chika' })
  const made = await trigger('follow.follow', { user: 'chika', target: 'dario' })
  expect(made.first).toEqual(['@dario unblocked @chika'])
})

test('a user who is not named is the first of the other users', async () => {
  expect(await trigger('mute.mute', { user: 'bob' })).toMatchObject({ target_id: server.userId('alice') })
  expect(await trigger('mute.mute', { target: 'alice' })).toMatchObject({ user_id: server.userId('bob') })
})

test('a second trigger restores the username', async () => {
  const there = await trigger('profile.update.handle', { user: 'dario' })
  expect(there).toMatchObject({ before: 'dario', after: 'dario_' })
  expect(await trigger('profile.update.handle', { user: 'dario_' })).toMatchObject({ before: 'dario_', after: 'dario' })
})

describe('a trigger is refused for', () => {
  test('a former name of a type, with the current one', async () => {
    expect(await refused('FollowFollow')).toBe('The name FollowFollow is no longer used; use follow.follow.')
  })

  test('a type that does not exist, with a list of all types', async () => {
    const message = await refused('post.creation')
    expect(message).toMatch(/^There is no event type post\.creation\. The types are: post\.create, /)
    for (const type of ALL) expect(message).toContain(type)
  })

  test.each(['broadcast.end'])('%s, which nothing causes yet', async (type) => {
    expect(await refused(type)).toMatch(
      new RegExp(`^${type} is not available yet: nothing on this server causes it\\. The types are: `),
    )
  })

  test.each([
    ['a target that the type does not take', 'post.create', { target: 'bob' }, 'post.create does not take target.'],
    ['a text that the type does not take', 'like.create', { text: 'x' }, 'like.create does not take text.'],
    ['a post that the type does not take', 'follow.follow', { post_id: '1' }, 'follow.follow does not take post_id.'],
    [
      'a user who does not exist',
      'like.create',
      { user: 'nobody_here' },
      'Could not find user with user: [nobody_here].',
    ],
    ['a post that does not exist', 'like.create', { post_id: '5' }, 'Could not find post with post_id: [5].'],
    ['a follow of oneself', 'follow.follow', { user: 'bob', target: 'bob' }, 'The user and the target are both @bob.'],
    [
      'a repost of an own post',
      'post.repost.create',
      { user: 'bob', target: 'bob' },
      'The user and the target are both @bob.',
    ],
    ['an unknown argument', 'like.create', { count: 3 }, /\$\.count: is not an allowed member/],
  ])('%s', async (_name, type, args, message) => {
    expect(await refused(type, args)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  test('a post that the named user did not write, and for a repost', async () => {
    const id = await makePost(server, 'bob', { text: 'By Bob' })
    expect(await refused('like.create', { post_id: id, target: 'chika' })).toBe(`@chika did not write the post ${id}.`)
    expect(await refused('post.delete', { post_id: id, user: 'chika' })).toBe(`@chika did not write the post ${id}.`)
    const { repost_id } = await trigger('post.repost.create', { post_id: id })
    expect(await refused('like.create', { post_id: repost_id })).toBe(
      `${repost_id} is a repost. Name the post itself, ${id}.`,
    )
  })

  test('an action that the product refuses, with its error', async () => {
    expect(await refused('post.edit', { user: 'dario' })).toMatch(/editing needs a paid subscription/)
  })

  test('an action of a suspended user', async () => {
    await trigger('user.suspend', { user: 'dario' })
    expect(await refused('post.create', { user: 'dario' })).toBe('@dario is suspended. Trigger user.unsuspend first.')
    expect(await refused('like.create', { target: 'dario' })).toBe('@dario is suspended. Trigger user.unsuspend first.')
    await trigger('user.unsuspend', { user: 'dario' })
  })
})

test('the answer has the same event sequence as the delivery', async () => {
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  const hook = await linkWebhook(send, server.credentials.apps[0]!.api_key_secret, 'papaya')
  const { event_place, post_id } = await trigger('post.create', { text: 'A papaya for the hook' })
  const [delivery] = await hook.received(1)
  expect(delivery!.body.data).toMatchObject({ id: post_id, text: 'A papaya for the hook' })
  const path = `/_rostra/deliveries?webhook_id=${hook.webhookId}`
  const item = await until(
    async () => (await server.get(path, { bearer: server.credentials.admin_key })).body.deliveries[0],
  )
  expect(item.event_place).toBe(event_place)
  await hook.close()
})
