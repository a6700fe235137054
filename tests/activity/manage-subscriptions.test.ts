import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accessToken, invalidRequest, rows } from '../social/acting.ts'
import type { As, TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'
import { clear, SUBSCRIBING, subscribe } from './subscribed-activity.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver())
})
afterAll(() => close())
afterEach(async () => {
  await clear(server)
  await rows(server, 'delete from webhook')
})

const PATH = '/2/activity/subscriptions'
const ID = expect.stringMatching(/^[0-9]{1,19}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)

const create = (body: unknown, as: As = 'app') => server.post(PATH, body, as)
const bio = (more: object = {}) => ({
  event_type: 'profile.update.bio',
  filter: { user_id: server.userId('bob') },
  ...more,
})
const list = async (as: As = 'app') => (await server.get(PATH, as)).body
const newWebhook = async () =>
  (await server.post('/2/webhooks', { url: receiver.url(`/${await count('webhook')}`) })).body.id as string
const count = async (table: string) => Number((await rows(server, `select count(*) from ${table}`))[0].count)

describe('creating a subscription', () => {
  test('answers 200 with the subscription and both totals', async () => {
    const webhookId = await newWebhook()
    const made = await create(bio({ tag: 'bios', webhook_id: webhookId }))
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      data: {
        subscription: {
          subscription_id: ID,
          event_type: 'profile.update.bio',
          filter: { user_id: server.userId('bob') },
          tag: 'bios',
          webhook_id: webhookId,
          created_at: TIME,
          updated_at: TIME,
        },
        total_subscriptions_for_instance_id: 1,
      },
      meta: { total_subscriptions: 1 },
    })
    const second = await create({ event_type: 'post.delete', filter: { user_id: server.userId('bob') } })
    expect(second.body.data.total_subscriptions_for_instance_id).toBe(2)
    expect(second.body.data.subscription).not.toHaveProperty('tag')
    expect(second.body.data.subscription).not.toHaveProperty('webhook_id')
  })

  test('keeps the naming of the request', async () => {
    const { apps } = await server.command('app.list')
    await create(bio())
    await server.command('app.update', { app: apps[1].id, naming: 'legacy' })
    await create(bio(), 'second-app')
    await server.command('app.update', { app: apps[1].id, naming: 'auto' })
    const kept = await rows(server, 'select app_id, naming from activity_subscription order by id')
    expect(kept).toEqual([
      { app_id: apps[0].id, naming: 'neutral' },
      { app_id: apps[1].id, naming: 'legacy' },
    ])
  })

  test.each([
    ['ProfileBioUpdate', 'profile.update.bio'],
    ['ProfilePictureUpdate', 'profile.update.profile_picture'],
    ['ProfileBannerUpdate', 'profile.update.banner_picture'],
    ['ProfileBannerPictureUpdate', 'profile.update.banner_picture'],
    ['ProfileGeoUpdate', 'profile.update.geo'],
    ['ProfileUrlUpdate', 'profile.update.url'],
    ['ProfileScreennameUpdate', 'profile.update.screenname'],
    ['ProfileVerifiedBadgeUpdate', 'profile.update.verified'],
    ['FollowFollow', 'follow.follow'],
    ['FollowUnfollow', 'follow.unfollow'],
    ['NewsNew', 'news.new'],
  ])('refuses the former name %s and names %s', async (former, current) => {
    const refused = await create(bio({ event_type: former }))
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual(
      invalidRequest(server, {
        parameters: { '$.event_type': [former] },
        message: `$.event_type: the name ${former} is no longer used; use ${current}`,
      }),
    )
    expect(await count('activity_subscription')).toBe(0)
  })

  test.each(['profile.update.verified', 'profile.update.verified_badge', 'profile.update.affiliate_badge'])(
    'accepts the name %s and answers with it',
    async (name) => {
      expect((await subscribe(server, bio({ event_type: name }))).event_type).toBe(name)
    },
  )

  test.each(['inbound', 'outbound', 'sent', 'received', 'both'])(
    'answers with the direction %s as it was given',
    async (direction) => {
      const filter = { user_id: server.userId('bob'), direction }
      expect((await subscribe(server, { event_type: 'follow.follow', filter })).filter).toEqual(filter)
    },
  )

  test.each<[what: string, body: object, where: string, message: string]>([
    [
      'an unknown event type',
      { event_type: 'no.such', filter: {} },
      '$.event_type',
      'does not have a value in the enumeration',
    ],
    ['no filter', { event_type: 'post.create' }, '$.filter', 'is missing but it is required'],
    ['no user', { event_type: 'post.create', filter: {} }, '$.filter.user_id', 'is missing but it is required'],
    [
      'a keyword where there is no text',
      { event_type: 'post.delete', filter: { user_id: '1', keyword: 'tea' } },
      '$.filter.keyword',
      'is not a filter of the event type post.delete: its events have no text',
    ],
    [
      'a keyword for a picture',
      { event_type: 'profile.update.profile_picture', filter: { user_id: '1', keyword: 'tea' } },
      '$.filter.keyword',
      'is not a filter of the event type profile.update.profile_picture: its events have no text',
    ],
    [
      'a direction where there is none',
      { event_type: 'post.create', filter: { user_id: '1', direction: 'sent' } },
      '$.filter.direction',
      'is not a filter of the event type post.create: its events have no direction',
    ],
    [
      'a keyword without a word',
      { event_type: 'post.create', filter: { user_id: '1', keyword: '...' } },
      '$.filter.keyword',
      'must contain a word',
    ],
    [
      'news without a keyword',
      { event_type: 'news.new', filter: {} },
      '$.filter.keyword',
      'is missing but it is required',
    ],
    [
      'news of a user',
      { event_type: 'news.new', filter: { keyword: 'tea', user_id: '1' } },
      '$.filter.user_id',
      'is not a filter of the event type news.new: it is not about one user',
    ],
    [
      'revocations of a user',
      { event_type: 'oauth.revoke', filter: { user_id: '1' } },
      '$.filter.user_id',
      'is not a filter of the event type oauth.revoke',
    ],
    [
      'an unknown member',
      { event_type: 'oauth.revoke', filter: { color: 'red' } },
      '$.filter.color',
      'is not an allowed member',
    ],
    [
      'an unknown direction',
      { event_type: 'follow.follow', filter: { user_id: '1', direction: 'up' } },
      '$.filter.direction',
      'does not have a value in the enumeration',
    ],
    [
      'an empty tag',
      { event_type: 'oauth.revoke', filter: {}, tag: '' },
      '$.tag',
      'must be at least 1 characters long',
    ],
    [
      'a long tag',
      { event_type: 'oauth.revoke', filter: {}, tag: 'a'.repeat(201) },
      '$.tag',
      'may only be 200 characters long',
    ],
    [
      'a long keyword',
      { event_type: 'news.new', filter: { keyword: 'a'.repeat(151) } },
      '$.filter.keyword',
      'may only be 150 characters long',
    ],
  ])('is refused with %s', async (_what, body, where, message) => {
    const refused = await create(body)
    expect(refused.status).toBe(400)
    expect(refused.body.type).toBe(`${server.runtime.problemBase}/invalid-request`)
    expect(refused.body.errors).toHaveLength(1)
    expect(Object.keys(refused.body.errors[0].parameters)).toEqual([where])
    expect(refused.body.errors[0].message).toContain(`${where}: ${message}`)
    expect(await count('activity_subscription')).toBe(0)
  })

  test('is refused with 404 for a user that does not exist, or is suspended', async () => {
    for (const id of ['1', '9999999999999999999']) {
      const refused = await create(bio({ filter: { user_id: id } }))
      expect(refused.status).toBe(404)
      expect(refused.body).toEqual({
        value: id,
        detail: `Could not find user with filter.user_id: [${id}].`,
        title: 'Not Found Error',
        resource_type: 'user',
        parameter: 'filter.user_id',
        resource_id: id,
        type: `${server.runtime.problemBase}/resource-not-found`,
        status: 404,
      })
    }
    await server.command('user.update', { user: 'dario', suspended: true })
    const refused = await create(bio({ filter: { user_id: server.userId('dario') } }))
    await server.command('user.update', { user: 'dario', suspended: false })
    expect(refused.status).toBe(404)
  })

  test('is refused for a webhook of another app', async () => {
    const webhookId = await newWebhook()
    for (const [id, as] of [
      ['1', 'app'],
      ['9999999999999999999', 'app'],
      [webhookId, 'second-app'],
    ] as const) {
      const refused = await create(bio({ webhook_id: id }), as)
      expect(refused.status).toBe(400)
      expect(refused.body).toEqual(
        invalidRequest(server, {
          parameters: { webhook_id: [id] },
          message: `WebhookIdInvalid: the app has no webhook [${id}].`,
        }),
      )
    }
  })

  test('is refused as a duplicate under any name of the type and any spelling of the direction', async () => {
    const first = await subscribe(server, bio({ event_type: 'profile.update.verified', tag: 'one' }))
    const again = await create(bio({ event_type: 'profile.update.verified_badge', tag: 'two' }))
    expect(again.status).toBe(400)
    expect(again.body).toEqual(
      invalidRequest(server, {
        parameters: { event_type: ['profile.update.verified_badge'] },
        message: `DuplicateSubscriptionFailed: the app already has this subscription with the id [${first.subscription_id}].`,
      }),
    )
    const filter = { user_id: server.userId('bob') }
    await subscribe(server, { event_type: 'follow.follow', filter: { ...filter, direction: 'sent' } })
    expect((await create({ event_type: 'follow.follow', filter: { ...filter, direction: 'outbound' } })).status).toBe(
      400,
    )
    await subscribe(server, { event_type: 'follow.unfollow', filter: { ...filter, direction: 'both' } })
    expect((await create({ event_type: 'follow.unfollow', filter })).status).toBe(400)
    await subscribe(server, { event_type: 'news.new', filter: { keyword: 'tea' } })
    expect((await create({ event_type: 'news.new', filter: { keyword: 'tea' } })).status).toBe(400)
  })

  test('is not refused when filter, direction, webhook or app differ', async () => {
    const filter = { user_id: server.userId('bob') }
    const webhookId = await newWebhook()
    await subscribe(server, { event_type: 'follow.follow', filter })
    await subscribe(server, { event_type: 'follow.follow', filter: { ...filter, direction: 'sent' } })
    await subscribe(server, { event_type: 'follow.follow', filter: { ...filter, direction: 'received' } })
    await subscribe(server, { event_type: 'follow.follow', filter, webhook_id: webhookId })
    await subscribe(server, { event_type: 'follow.follow', filter }, 'second-app')
    expect((await list()).meta.total_subscriptions).toBe(4)
    expect((await list('second-app')).meta.total_subscriptions).toBe(1)
  })

  test('creates one of many equal subscriptions that are requested at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(bio())))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(400)])
  })

  test('is refused beyond the cap of the tier, exactly, also for concurrent requests', async () => {
    const { apps } = await server.command('app.list')
    const second = apps.find((app: { tier: string }) => app.tier === 'self-serve')
    await rows(
      server,
      `insert into activity_subscription (id, app_id, event_type, user_id, filter, naming, created_at, updated_at)
       select n, $1, 'post.create', n, '{}', 'neutral', 'epoch', 'epoch' from generate_series(1, 1497) n`,
      [second.id],
    )
    const types = ['bio', 'geo', 'url', 'handle', 'verified', 'affiliate'].map((name) => `profile.update.${name}`)
    const answers = await Promise.all(types.map((event_type) => create(bio({ event_type }), 'second-app')))
    const made = answers.filter((answer) => answer.status === 200)
    expect(made.map((answer) => answer.body.meta.total_subscriptions).sort()).toEqual([1498, 1499, 1500])
    for (const refused of answers.filter((answer) => answer.status !== 200)) {
      expect(refused.status).toBe(403)
      expect(refused.body).toEqual({
        client_id: second.id,
        detail: 'SubscriptionLimitExceeded: the tier self-serve includes 1500 activity subscriptions.',
        registration_url: `${server.runtime.baseUrl}/2/problems/client-forbidden`,
        title: 'Client Forbidden',
        required_enrollment: 'Appropriate Level of API Access',
        reason: 'client-not-enrolled',
        type: `${server.runtime.problemBase}/client-forbidden`,
      })
    }
  })

  test('to news requires the tier enterprise or partner', async () => {
    const body = { event_type: 'news.new', filter: { keyword: 'tea' } }
    const refused = await create(body, 'second-app')
    expect(refused.status).toBe(403)
    expect(refused.body.type).toBe(`${server.runtime.problemBase}/client-forbidden`)
    expect((await create(body)).status).toBe(200)
  })
})

describe('a private type of activity', () => {
  const mention = (username: string) => ({
    event_type: 'post.mention.create',
    filter: { user_id: server.userId(username) },
  })

  test('is refused to app-only and OAuth 1.0a credentials', async () => {
    for (const [as, words] of [
      ['app', 'OAuth 2.0 Application-Only'],
      [{ user: 'bob' }, 'OAuth 1.0a User Context'],
    ] as const) {
      const refused = await create(mention('bob'), as)
      expect(refused.status).toBe(403)
      expect(refused.body).toEqual({
        title: 'Unsupported Authentication',
        detail: `Authenticating with ${words} is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 User Context].`,
        type: `${server.runtime.problemBase}/unsupported-authentication`,
        status: 403,
      })
    }
  })

  test('is accepted with a token of the user in the filter, and refused with another', async () => {
    const bearer = await accessToken(server, 'bob', SUBSCRIBING)
    expect((await create(mention('bob'), { bearer })).status).toBe(200)
    const refused = await create(mention('alice'), { bearer })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].message).toContain('must be the same as the authenticating user')
  })

  const PRIVATE = ['post.read', 'like.read', 'dm.read', 'mute.read', 'block.read']
  test.each([
    ['post.mention.create', 'post.read'],
    ['like.create', 'like.read'],
    ['dm.received', 'dm.read'],
    ['mute.mute', 'mute.read'],
    ['block.unblock', 'block.read'],
  ])('%s requires only the scope %s', async (eventType, scope) => {
    const body = { event_type: eventType, filter: { user_id: server.userId('bob') }, tag: 'by scope' }
    const others = PRIVATE.filter((item) => item !== scope)
    const refused = await create(body, { bearer: await accessToken(server, 'bob', others) })
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' })
    expect((await create(body, { bearer: await accessToken(server, 'bob', [scope]) })).status).toBe(200)
  })

  test('takes a keyword where its events have a readable text', async () => {
    const bearer = await accessToken(server, 'bob', SUBSCRIBING)
    const withKeyword = (event_type: string) =>
      create({ event_type, filter: { user_id: server.userId('bob'), keyword: 'tea' } }, { bearer })
    const read = ['post.mention.create', 'post.reply.create', 'dm.sent', 'dm.received', 'spaces.start', 'spaces.end']
    for (const type of read) expect((await withKeyword(type)).status, type).toBe(200)
    for (const [type, why] of [
      ['chat.received', 'its texts are encrypted'],
      ['dm.read', 'its events have no text'],
      ['like.create', 'its events have no text'],
    ] as const) {
      const refused = await withKeyword(type)
      expect(refused.status).toBe(400)
      expect(refused.body.errors[0].message).toBe(`$.filter.keyword: is not a filter of the event type ${type}: ${why}`)
    }
  })

  test('requires a user in the filter', async () => {
    const bearer = await accessToken(server, 'bob', SUBSCRIBING)
    const refused = await create({ event_type: 'dm.received', filter: { direction: 'received' } }, { bearer })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].parameters).toEqual({ '$.filter.user_id': [] })
  })
})
