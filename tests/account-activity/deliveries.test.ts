import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { endRevokedSubscriptions } from '../../src/account-activity/plan-deliveries.ts'
import type { LoggedEvent } from '../../src/events/catalog.ts'
import { emit } from '../../src/events/emit.ts'
import { makePost, rows } from '../social/acting.ts'
import { makeCrowd } from '../social/crowd.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { addWebhook, type Delivered, deliveriesOf, happened, planned, subscribe } from './delivered-events.ts'

let server: TestServer
let hook: string
let ids: Record<'alice' | 'bob' | 'chika' | 'dario' | 'erin', string>
beforeAll(async () => {
  server = await startTestServer()
  const id = (name: string) => server.userId(name)
  ids = { alice: id('alice'), bob: id('bob'), chika: id('chika'), dario: id('dario'), erin: id('erin') }
})
afterAll(() => server.close())
beforeEach(async () => {
  hook = await addWebhook(server)
})
afterEach(async () => {
  await rows(server, 'delete from webhook')
  await rows(server, 'delete from block')
  await server.command('cache.forget')
})

const like = (user: 'alice' | 'bob' | 'dario', postId: string) =>
  server.post(`/2/users/${ids[user]}/likes`, { post_id: postId }, { user })
const repost = async (user: 'alice' | 'bob' | 'dario', postId: string): Promise<string> =>
  (await server.post(`/2/users/${ids[user]}/reposts`, { post_id: postId }, { user })).body.data.id
const relate = (verb: 'add' | 'remove', kind: string, source: string, target: string) =>
  server.command(`relation.${verb}`, { kind, source, target })
const usersOf = (list: Delivered[]): string[] => list.map((item) => item.json.for_user_id)
const idsOf = (list: Delivered[]): string[] => list.map((item) => item.json.post_create_events[0].id_str)
const milliseconds = (event: LoggedEvent) => new Date(event.happened_at).getTime()

describe('whom a new post is delivered to', () => {
  test('its author, and nobody whom it does not concern', async () => {
    await subscribe(server, hook, 'bob')
    await subscribe(server, hook, 'dario')
    const list = await deliveriesOf(server, () => makePost(server, 'bob', { text: 'For my own subscription' }))
    expect(usersOf(list)).toEqual([ids.bob])
  })

  test('everybody whom it mentions, once each, with whether they have blocked the author', async () => {
    for (const user of ['alice', 'bob', 'dario']) await subscribe(server, hook, user)
    await relate('add', 'block', 'dario', 'alice')
    const list = await deliveriesOf(server, () => makePost(server, 'alice', { text: 'Hello @bob, @dario and @bob' }))
    expect(usersOf(list)).toEqual([ids.alice, ids.bob, ids.dario])
    expect(list.map((item) => item.json.user_has_blocked)).toEqual([undefined, 'false', 'true'])
    expect(list[1]!.body).toMatch(/^\{"for_user_id":"\d+","user_has_blocked":"false","post_create_events":\[\{/)
  })

  test('the author whom it replies to', async () => {
    await subscribe(server, hook, 'bob')
    const asked = await makePost(server, 'bob', { text: 'Who is there?' })
    const list = await deliveriesOf(server, () =>
      makePost(server, 'dario', { text: 'Me', reply: { in_reply_to_post_id: asked } }),
    )
    expect(usersOf(list)).toEqual([ids.bob])
    expect(list[0]!.json.post_create_events[0]).toMatchObject({
      in_reply_to_status_id_str: asked,
      in_reply_to_user_id_str: ids.bob,
      in_reply_to_screen_name: 'bob',
    })
    expect(list[0]!.body).toContain(`"in_reply_to_status_id":${asked},`)
  })

  test('the author whom it quotes, with the quoted post inside', async () => {
    await subscribe(server, hook, 'bob')
    const quoted = await makePost(server, 'bob', { text: 'Quote me' })
    const list = await deliveriesOf(server, () =>
      makePost(server, 'dario', { text: 'As he says', quote_post_id: quoted }),
    )
    expect(usersOf(list)).toEqual([ids.bob])
    expect(list[0]!.json.user_has_blocked).toBeUndefined()
    expect(list[0]!.json.post_create_events[0]).toMatchObject({
      is_quote_status: true,
      quoted_status_id_str: quoted,
      quoted_status: { id_str: quoted, text: 'Quote me', user: { screen_name: 'bob' }, is_quote_status: false },
      quote_count: 0,
    })
  })

  test('of a repost: who reposts and who wrote it, not whom the original mentions', async () => {
    for (const user of ['alice', 'bob', 'dario']) await subscribe(server, hook, user)
    const original = await makePost(server, 'bob', { text: 'Good morning @dario' })
    let repostId = ''
    const list = await deliveriesOf(server, async () => {
      repostId = await repost('alice', original)
    })
    expect(usersOf(list)).toEqual([ids.alice, ids.bob])
    expect(list.map((item) => item.json.user_has_blocked)).toEqual([undefined, undefined])
    expect(list[1]!.json.post_create_events[0]).toMatchObject({
      id_str: repostId,
      text: 'RT @bob: Good morning @dario',
      user: { screen_name: 'alice' },
      reposted_status: { id_str: original, text: 'Good morning @dario', repost_count: 1 },
    })
  })

  test('of a repost of a quote: who was quoted too, with the quoted post inside the original', async () => {
    await subscribe(server, hook, 'dario')
    const quoted = await makePost(server, 'dario', { text: 'The first words' })
    const quote = await makePost(server, 'bob', { text: 'His first words', quote_post_id: quoted })
    const list = await deliveriesOf(server, () => repost('alice', quote))
    expect(usersOf(list)).toEqual([ids.dario])
    const [shown] = list[0]!.json.post_create_events
    expect(shown.reposted_status.quoted_status.id_str).toBe(quoted)
    expect(shown.quoted_status).toBeUndefined()
  })

  test('each version of a post, with the versions that it belongs to', async () => {
    await subscribe(server, hook, 'alice')
    const first = await makePost(server, 'alice', { text: 'Frist' })
    let second = ''
    const list = await deliveriesOf(server, async () => {
      second = await makePost(server, 'alice', { text: 'First', edit_options: { previous_post_id: first } })
    })
    expect(list[0]!.json.post_create_events[0]).toMatchObject({
      id_str: second,
      text: 'First',
      edit_history: { initial_post_id: first, edit_post_ids: [first, second] },
    })
  })

  test('its author, also when it is gone before it is delivered', async () => {
    await subscribe(server, hook, 'bob')
    const events = await happened(server, async () => {
      const id = await makePost(server, 'bob', { text: 'Never mind' })
      await server.delete(`/2/posts/${id}`, { user: 'bob' })
    })
    expect((await planned(server, events)).map((item) => Object.keys(item.json)[1])).toEqual([
      'post_create_events',
      'post_delete_events',
    ])
  })
})

describe('posts of protected authors', () => {
  test('are delivered only to the author', async () => {
    for (const user of ['bob', 'erin']) await subscribe(server, hook, user)
    const list = await deliveriesOf(server, () => makePost(server, 'erin', { text: 'Between us, @bob' }))
    expect(usersOf(list)).toEqual([ids.erin])
  })

  test('are delivered inside other posts or with likes only to their author', async () => {
    for (const user of ['bob', 'dario', 'erin']) await subscribe(server, hook, user)
    await relate('add', 'follow', 'bob', 'erin')
    const secret = await makePost(server, 'erin', { text: 'A secret' })
    const quotes = await deliveriesOf(server, () =>
      makePost(server, 'bob', { text: 'Listen, @dario', quote_post_id: secret }),
    )
    expect(usersOf(quotes)).toEqual([ids.bob, ids.dario, ids.erin])
    const inside = quotes.map((item) => item.json.post_create_events[0].quoted_status?.text)
    expect(inside).toEqual([undefined, undefined, 'A secret'])
    const likes = await deliveriesOf(server, () => like('bob', secret))
    expect(usersOf(likes)).toEqual([ids.erin])
  })
})

test('posts of authors who were suspended since are delivered to nobody else', async () => {
  const [author] = await makeCrowd(server, 1)
  for (const as of ['bob', author!.as]) await subscribe(server, hook, as)
  const events = await happened(server, () => makePost(server, author!.as, { text: 'Buy now, @bob' }))
  await server.command('user.update', { user: author!.username, suspended: true })
  expect(usersOf(await planned(server, events))).toEqual([author!.id])
})

test('nothing is delivered to a suspended app, neither posts nor messages', async () => {
  const { apps } = await server.command('app.list')
  await subscribe(server, hook, 'bob')
  const events = await happened(server, async () => {
    await makePost(server, 'bob', { text: 'For an app that is suspended' })
    await server.post(`/2/dm_conversations/with/${ids.bob}/messages`, { text: 'Between us' }, { user: 'alice' })
  })
  expect(usersOf(await planned(server, events))).toEqual([ids.bob, ids.bob])
  await server.command('app.update', { app: apps[0].id, suspended: true })
  expect(await planned(server, events)).toEqual([])
  await server.command('app.update', { app: apps[0].id, suspended: false })
})

describe('likes', () => {
  test('are delivered to the user who likes and to the author, with a stable id of 32 digits', async () => {
    for (const user of ['bob', 'dario', 'chika']) await subscribe(server, hook, user)
    const liked = await makePost(server, 'bob', { text: 'Likeable' })
    const events = await happened(server, () => like('dario', liked))
    const list = await planned(server, events)
    expect(usersOf(list)).toEqual([ids.dario, ids.bob])
    const moment = milliseconds(events[0]!)
    expect(list[1]!.json).toEqual({
      for_user_id: ids.bob,
      favorite_events: [
        {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          created_at: expect.stringMatching(/^\w{3} \w{3} \d\d [\d:]{8} \+0000 \d{4}$/),
          timestamp_ms: moment,
          favorited_status: expect.objectContaining({ id_str: liked, favorite_count: 1 }),
          user: expect.objectContaining({ id_str: ids.dario, screen_name: 'dario' }),
        },
      ],
    })
    expect(await planned(server, events)).toEqual(list)
    expect(
      await deliveriesOf(server, () => server.delete(`/2/users/${ids.dario}/likes/${liked}`, { user: 'dario' })),
    ).toEqual([])
  })

  test('of an own post are delivered once', async () => {
    await subscribe(server, hook, 'bob')
    const liked = await makePost(server, 'bob', { text: 'I like myself' })
    expect(usersOf(await deliveriesOf(server, () => like('bob', liked)))).toEqual([ids.bob])
  })
})

describe('relations', () => {
  const entry = (event: LoggedEvent, type: string, source: string, target: string) => ({
    type,
    created_timestamp: String(milliseconds(event)),
    target: expect.objectContaining({ screen_name: target }),
    source: expect.objectContaining({ screen_name: source }),
  })

  test('a follow and its end are delivered to both sides under one key', async () => {
    const [fan] = await makeCrowd(server, 1)
    for (const as of ['dario', fan!.as]) await subscribe(server, hook, as)
    const events = await happened(server, async () => {
      await relate('add', 'follow', fan!.username, 'dario')
      await relate('remove', 'follow', fan!.username, 'dario')
    })
    const list = await planned(server, events)
    expect(list.map((item) => item.json)).toEqual(
      ['follow', 'unfollow'].flatMap((type, index) =>
        [fan!.id, ids.dario].map((id) => ({
          for_user_id: id,
          follow_events: [entry(events[index]!, type, fan!.username, 'dario')],
        })),
      ),
    )
  })

  test('a request to follow is delivered to nobody until it is approved', async () => {
    const [fan] = await makeCrowd(server, 1)
    await subscribe(server, hook, 'erin')
    const asked = await deliveriesOf(server, () =>
      server.post(`/2/users/${fan!.id}/following`, { target_user_id: ids.erin }, fan!.as),
    )
    expect(asked).toEqual([])
    const granted = await deliveriesOf(server, () =>
      server.command('follow.approve', { source: fan!.username, target: 'erin' }),
    )
    expect(granted.map((item) => item.json.follow_events[0].type)).toEqual(['follow'])
  })

  test.each(['block', 'mute'])('a %s and its end are delivered only to the user who does it', async (kind) => {
    for (const user of ['bob', 'dario']) await subscribe(server, hook, user)
    const events = await happened(server, async () => {
      await relate('add', kind, 'bob', 'dario')
      await relate('remove', kind, 'bob', 'dario')
    })
    const list = await planned(server, events)
    expect(list.map((item) => item.json)).toEqual(
      [kind, `un${kind}`].map((type) => ({
        for_user_id: ids.bob,
        [`${kind}_events`]: [entry(events.find((event) => event.type === `${kind}.${type}`)!, type, 'bob', 'dario')],
      })),
    )
  })
})

describe('deletions', () => {
  test('are delivered to the author with the ids of all versions', async () => {
    for (const user of ['alice', 'bob']) await subscribe(server, hook, user)
    const first = await makePost(server, 'alice', { text: 'Once for @bob' })
    const second = await makePost(server, 'alice', {
      text: 'Twice for @bob',
      edit_options: { previous_post_id: first },
    })
    const events = await happened(server, () => server.delete(`/2/posts/${second}`, { user: 'alice' }))
    const timestamp = String(milliseconds(events[0]!))
    expect((await planned(server, events)).map((item) => item.json)).toEqual([
      {
        for_user_id: ids.alice,
        post_delete_events: [first, second].map((id) => ({
          status: { id, user_id: ids.alice },
          timestamp_ms: timestamp,
        })),
      },
    ])
  })

  test('of a repost are delivered with the id that it had', async () => {
    await subscribe(server, hook, 'dario')
    const original = await makePost(server, 'bob', { text: 'To be reposted' })
    const repostId = await repost('dario', original)
    const list = await deliveriesOf(server, () =>
      server.delete(`/2/users/${ids.dario}/reposts/${original}`, { user: 'dario' }),
    )
    expect(list.map((item) => item.json.post_delete_events[0].status)).toEqual([{ id: repostId, user_id: ids.dario }])
  })
})

describe('access that a user revokes', () => {
  const revoke = (appId: string) =>
    emit(server.runtime.database, server.runtime, {
      type: 'oauth.revoke',
      actorId: ids.bob,
      payload: { app_id: appId },
    })
  const appIds = async (): Promise<string[]> =>
    (await server.command('app.list')).apps.map((app: { id: string }) => app.id)
  const subscribed = async () =>
    (await rows(server, 'select webhook_id, user_id from account_activity_subscription order by 1, 2')).map(
      (row) => `${row.webhook_id} ${row.user_id}`,
    )

  test('is delivered to the webhooks of the app as the last event, and ends the subscriptions there', async () => {
    const other = await addWebhook(server)
    for (const id of [hook, other]) await subscribe(server, id, 'bob')
    await subscribe(server, hook, 'dario')
    const [appId] = await appIds()
    const events = await happened(server, async () => {
      await makePost(server, 'bob', { text: 'My last words' })
      await revoke(appId!)
      await makePost(server, 'bob', { text: 'Nobody hears me' })
    })
    const list = await planned(server, events)
    expect(list.map((item) => [item.webhookId, Object.keys(item.json).at(-1)])).toEqual([
      [hook, 'post_create_events'],
      [other, 'post_create_events'],
      [hook, 'user_event'],
      [other, 'user_event'],
    ])
    expect(list[2]!.json).toEqual({
      user_event: {
        revoke: {
          date_time: `${new Date(milliseconds(events[1]!)).toISOString().slice(0, 19)}+00:00`,
          target: { app_id: appId },
          source: { user_id: ids.bob },
        },
      },
    })
    expect(await planned(server, events)).toEqual(list)
    await endRevokedSubscriptions(server.runtime.database, events)
    expect(await subscribed()).toEqual([`${hook} ${ids.dario}`])
  })

  test('of another app changes nothing here', async () => {
    await subscribe(server, hook, 'bob')
    const [, secondApp] = await appIds()
    const events = await happened(server, () => revoke(secondApp!))
    expect(await planned(server, events)).toEqual([])
    await endRevokedSubscriptions(server.runtime.database, events)
    expect(await subscribed()).toEqual([`${hook} ${ids.bob}`])
  })

  test('does not end a subscription that was created afterwards', async () => {
    const [appId] = await appIds()
    const events = await happened(server, () => revoke(appId!))
    await server.command('clock', { advance_ms: 1_000 })
    await subscribe(server, hook, 'bob')
    await server.command('clock', { reset: true })
    expect(await planned(server, events)).toEqual([])
    await endRevokedSubscriptions(server.runtime.database, events)
    expect(await subscribed()).toEqual([`${hook} ${ids.bob}`])
  })
})

describe('a plan', () => {
  test('has the deliveries in the order of the events, each with its sequence, app and webhook', async () => {
    await subscribe(server, hook, 'bob')
    const { apps } = await server.command('app.list')
    const posts: string[] = []
    const events = await happened(server, async () => {
      for (const text of ['one', 'two', 'three'])
        posts.push(await makePost(server, 'bob', { text: `In order: ${text}` }))
    })
    const list = await planned(server, events)
    expect(idsOf(list)).toEqual(posts)
    expect(list.map(({ body: _body, json: _json, ...rest }) => rest)).toEqual(
      events.map((event) => ({
        webhookId: hook,
        appId: apps[0].id,
        kind: 'account-activity',
        sequence: event.sequence,
        postId: event.post_id,
        required: { public: [], active: [] },
        withheld: undefined,
      })),
    )
  })

  test('leaves out webhooks that are not valid', async () => {
    const broken = await addWebhook(server, { valid: false })
    await subscribe(server, broken, 'bob')
    expect(await deliveriesOf(server, () => makePost(server, 'bob', { text: 'Into the void' }))).toEqual([])
  })

  test('is empty without events and without subscriptions', async () => {
    expect(await planned(server, [])).toEqual([])
    expect(await deliveriesOf(server, () => makePost(server, 'bob', { text: 'Nobody subscribed' }))).toEqual([])
  })

  test('of many events takes as many statements as one of few', async () => {
    await subscribe(server, hook, 'alice')
    const events = await happened(server, async () => {
      for (let index = 0; index < 12; index++) {
        const id = await makePost(server, 'bob', { text: `Number ${index} for @alice` })
        await repost('dario', await makePost(server, 'alice', { text: `Quote ${index}`, quote_post_id: id }))
        await like('dario', id)
      }
    })
    const statements = async (some: LoggedEvent[]): Promise<number> => {
      await server.command('cache.forget')
      const spy = vi.spyOn(server.runtime.database, 'query')
      await planned(server, some)
      const count = spy.mock.calls.length
      spy.mockRestore()
      return count
    }
    // Background work of the server, such as storing usage, may run a statement at the same time.
    const least = async (some: LoggedEvent[]) =>
      Math.min(await statements(some), await statements(some), await statements(some))
    const few = await least(events.slice(0, 4))
    expect(few).toBeGreaterThan(3)
    expect(await least(events)).toBe(few)
  })
})
