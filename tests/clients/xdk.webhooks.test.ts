import { createHmac, timingSafeEqual } from 'node:crypto'
import type * as Xdk from '@xdevplatform/xdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { accessToken, makePost } from '../social/acting.ts'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { loadXdk } from '../support/load-xdk.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Delivery, type Receiver, repliesWith, startReceiver } from '../webhooks/receiver.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
let host: LegacyHost
let receiver: Receiver
let xdk: typeof Xdk

beforeAll(async () => {
  server = await startTestServer([], { events: true })
  host = await startLegacyHost(server)
  // The library reads the global fetch when it is loaded.
  vi.stubGlobal('fetch', host.fetch)
  xdk = await loadXdk('xdk.webhooks')
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await host.close()
  await server.close()
  await receiver.close()
})
beforeEach(async () => {
  const { webhooks } = appClient()
  for (const { id } of (await webhooks.get()).data ?? []) await webhooks.delete(id!)
  await receiver?.close()
  receiver = await startReceiver(answersCorrectly(secret()))
  receiver.answerDeliveriesWith((response, delivery) =>
    response.writeHead(isSigned(delivery, secret()) ? 200 : 403).end(),
  )
})

const firstApp = () => server.credentials.apps[0]!
const secret = () => firstApp().api_key_secret
const at = () => ({ baseUrl: server.baseUrl })
const appClient = () => new xdk.Client({ ...at(), bearerToken: firstApp().bearer_token })
const oauth1Of = (username: string) => {
  const person = server.credentials.users.find((user) => user.username === username)!
  return new xdk.OAuth1({
    apiKey: firstApp().api_key,
    apiSecret: secret(),
    callback: 'oob',
    accessToken: person.access_token,
    accessTokenSecret: person.access_token_secret,
  })
}

/** The check that the platform's documentation requires: raw body, API key secret, legacy header. */
function isSigned(delivery: Pick<Delivery, 'headers' | 'raw'>, key: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', key).update(delivery.raw).digest('base64')}`)
  const given = Buffer.from(String(delivery.headers['x-twitter-webhooks-signature']))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const refusal = (call: Promise<unknown>) => refusalOf(xdk.ApiError, call)

/** Registers the receiver as a webhook and returns its id. */
async function register(client = appClient()): Promise<string> {
  const made = (await client.webhooks.create({ url: receiver.url() })) as { id?: string; data?: { id: string } }
  return made.id!
}

test('the signature check of this receiver agrees with the example in the documentation', () => {
  const raw = Buffer.from('{"for_user_id":"1"}')
  const headers = { 'x-twitter-webhooks-signature': 'sha256=Hlco0COzwYOsSzVcCoqAGpNZdK3BYQku/gWz9SSGVjA=' }
  expect(isSigned({ raw, headers }, 'consumer-secret')).toBe(true)
  expect(isSigned({ raw, headers }, 'another-secret')).toBe(false)
})

describe('activity subscriptions of the library', () => {
  test('deliver a post to the webhook with a signature that the receiver can check', async () => {
    const { activity } = appClient()
    const webhookId = await register()
    const bob = server.userId('bob')
    const made = await activity.createSubscription({
      eventType: 'post.create',
      filter: { userId: bob },
      tag: 'posts of bob',
      webhookId,
    })
    const subscription = made.data!.subscription as { subscriptionId: string }
    expect(subscription).toEqual({
      subscriptionId: expect.stringMatching(/^\d+$/),
      eventType: 'post.create',
      filter: { userId: bob },
      tag: 'posts of bob',
      webhookId,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    await makePost(server, 'alice', { text: 'Of no interest' })
    const id = await makePost(server, 'bob', { text: 'Schön & <gut> 🎉 "quoted" @alice' })
    const [delivery] = await receiver.received(1)
    expect(delivery!.body.data).toMatchObject({
      event_type: 'post.create',
      event_uuid: expect.stringMatching(/^\d+$/),
      filter: { user_id: bob },
      tag: 'posts of bob',
      payload: { id, text: 'Schön &amp; &lt;gut&gt; 🎉 "quoted" @alice', author_id: bob },
      includes: { users: [{ username: 'bob' }, { username: 'alice' }] },
    })
    expect(isSigned(delivery!, secret())).toBe(true)
    const changed = Buffer.from(delivery!.raw.toString().replace('posts of bob', 'posts of Bob'))
    expect(isSigned({ ...delivery!, raw: changed }, secret())).toBe(false)
    expect(isSigned(delivery!, server.credentials.apps[1]!.api_key_secret)).toBe(false)
    await settled()
    expect(receiver.deliveries).toHaveLength(1)
    await activity.deleteSubscription(subscription.subscriptionId)
  })

  test('are listed in pages, changed, and deleted one by one and several at once', async () => {
    const { activity } = appClient()
    const webhookId = await register()
    const ids: string[] = []
    for (const username of ['alice', 'bob', 'chika', 'dario']) {
      const made = await activity.createSubscription({
        eventType: 'profile.update.bio',
        filter: { userId: server.userId(username) },
      })
      ids.unshift((made.data!.subscription as { subscriptionId: string }).subscriptionId)
      expect(made).toMatchObject({ meta: { totalSubscriptions: ids.length } })
    }
    // The types of the library lack the member that its own paginator needs.
    type Page = Xdk.PaginatedResponse<{ subscriptionId: string }>
    const pages = new xdk.Paginator(
      async (paginationToken) => (await activity.getSubscriptions({ maxResults: 3, paginationToken })) as Page,
    )
    const listed: string[] = []
    for await (const item of pages) listed.push(item.subscriptionId)
    expect(listed).toEqual(ids)

    const changed = await activity.updateSubscription(ids[0]!, { tag: 'changed', webhookId })
    expect(changed.data).toMatchObject({
      subscription: { subscriptionId: ids[0], tag: 'changed', webhookId, eventType: 'profile.update.bio' },
      totalSubscriptions: 4,
    })
    await server.command('user.update', { user: 'dario', description: 'Bakes bread' })
    const [delivery] = await receiver.received(1)
    expect(delivery!.body.data).toMatchObject({
      event_type: 'profile.update.bio',
      tag: 'changed',
      payload: { after: 'Bakes bread' },
    })
    expect(await activity.deleteSubscription(ids[0]!)).toEqual({
      data: { deleted: true },
      meta: { totalSubscriptions: 3 },
    })
    expect(await activity.deleteSubscriptionsByIds(ids.slice(1))).toEqual({
      data: { deleted: true },
      meta: { totalSubscriptions: 0 },
    })
    expect((await activity.getSubscriptions()).data ?? []).toEqual([])
    expect((await refusal(activity.deleteSubscription(ids[0]!))).status).toBe(404)
  })

  test('to private events require a token of the user, and then deliver them', async () => {
    const webhookId = await register()
    const alice = server.userId('alice')
    const request = { eventType: 'like.create', filter: { userId: alice }, webhookId } as const
    const asApp = await refusal(appClient().activity.createSubscription(request))
    expect(asApp.status).toBe(403)
    expect(asApp.data).toMatchObject({ title: 'Unsupported Authentication' })
    const token = await accessToken(server, 'alice', ['dm.read', 'like.read', 'post.read'])
    const client = new xdk.Client({ ...at(), accessToken: token })
    const made = await client.activity.createSubscription(request)
    const id = await makePost(server, 'alice', { text: 'Like me' })
    const liked = await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: id }, { user: 'bob' })
    expect(liked.status).toBe(200)
    const [delivery] = await receiver.received(1)
    expect(delivery!.body.data).toMatchObject({
      event_type: 'like.create',
      payload: { liked_post_id: id, liked_post_author_id: alice },
    })
    await appClient().activity.deleteSubscription(
      (made.data!.subscription as { subscriptionId: string }).subscriptionId,
    )
  })

  test('that are created at the address of the library get messages in the legacy naming', async () => {
    const theirs = new xdk.Client({ bearerToken: firstApp().bearer_token })
    const webhookId = await register(theirs)
    const made = await theirs.activity.createSubscription({
      eventType: 'post.create',
      filter: { userId: server.userId('dario') },
      webhookId,
    })
    const id = await makePost(server, 'dario', { text: 'In old words' })
    const [delivery] = await receiver.received(1)
    expect(delivery!.body.data).toMatchObject({
      event_type: 'post.create',
      payload: { id, edit_history_tweet_ids: [id], public_metrics: { retweet_count: 0 } },
    })
    await theirs.activity.deleteSubscription((made.data!.subscription as { subscriptionId: string }).subscriptionId)
  })

  test('are also delivered on the activity stream', async () => {
    const { activity, stream } = appClient()
    const chika = server.userId('chika')
    const made = await activity.createSubscription({ eventType: 'post.create', filter: { userId: chika } })
    const leave = new AbortController()
    const heard = await stream.activity({ signal: leave.signal })
    const id = await makePost(server, 'chika', { text: 'Heard on the stream' })
    for await (const line of heard) {
      expect(line.data).toMatchObject({ event_type: 'post.create', filter: { user_id: chika }, payload: { id } })
      break
    }
    vi.spyOn(console, 'error').mockImplementation(() => {})
    leave.abort()
    await activity.deleteSubscription((made.data!.subscription as { subscriptionId: string }).subscriptionId)
  })
})

describe('webhooks of the library', () => {
  test('get matching posts after createStreamLink, and none after deleteStreamLink', async () => {
    const { webhooks, stream } = appClient()
    const webhookId = await register()
    const { data: rules } = await stream.updateRules({ add: [{ value: 'telegraph', tag: 'wires' }] })
    expect(await webhooks.createStreamLink(webhookId)).toEqual({ data: { provisioned: true } })
    expect((await webhooks.getStreamLinks()).data).toMatchObject({ links: [{ webhookId, fields: [] }] })
    const id = await makePost(server, 'bob', { text: 'The telegraph works' })
    const [delivery] = await receiver.received(1)
    expect(delivery!.body).toMatchObject({
      data: { id, text: 'The telegraph works' },
      matching_rules: [{ id: rules![0]!.id, tag: 'wires' }],
    })
    expect(isSigned(delivery!, secret())).toBe(true)
    expect(await webhooks.deleteStreamLink(webhookId)).toEqual({ data: { deleted: true } })
    await makePost(server, 'bob', { text: 'The telegraph is silent' })
    await settled()
    expect(receiver.deliveries).toHaveLength(1)
    await stream.updateRules({ delete: { values: ['telegraph'] } })
  })

  test('get the events of a period again with createWebhookReplayJob', async () => {
    const { webhooks, stream } = appClient()
    const webhookId = await register()
    await stream.updateRules({ add: [{ value: 'gramophone' }] })
    await webhooks.createStreamLink(webhookId)
    const from = server.runtime.clock.now()
    const id = await makePost(server, 'bob', { text: 'A gramophone plays' })
    await receiver.received(1)
    await server.command('clock', { advance_ms: 40 * 60_000 })
    const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)
    const job = await webhooks.createWebhookReplayJob({
      webhookId,
      fromDate: minute(from),
      toDate: minute(from + 2 * 60_000),
    })
    expect(job).toEqual({ jobId: expect.stringMatching(/^\d+$/), createdAt: expect.stringMatching(/Z$/) })
    const [, again, status] = await receiver.received(3)
    expect(again!.body.data.id).toBe(id)
    expect(status!.body.replay_job_status).toMatchObject({ webhook_id: webhookId, job_state: 'Complete' })
    expect(isSigned(again!, secret()) && isSigned(status!, secret())).toBe(true)
    await stream.updateRules({ delete: { values: ['gramophone'] } })
  })

  test('are refused if the challenge fails, with the reason in the error of the library', async () => {
    receiver.answerChallengesWith(repliesWith(200, '{"response_token":"sha256=wrong"}'))
    const refused = await refusal(appClient().webhooks.create({ url: receiver.url() }))
    expect(refused.status).toBe(400)
    expect(refused.data.errors[0].message).toContain('CrcValidationFailed')
    expect(receiver.challenges).toHaveLength(1)
  })
})

describe('account activity of the library', () => {
  test('subscribes a user, delivers their activity, and lists, counts and ends the subscription', async () => {
    const bob = new xdk.Client({ ...at(), oauth1: oauth1Of('bob') })
    const { accountActivity } = appClient()
    const webhookId = await register()
    expect(await bob.accountActivity.validateSubscription(webhookId)).toEqual({ data: { subscribed: false } })
    expect(await bob.accountActivity.createSubscription(webhookId, {})).toEqual({ data: { subscribed: true } })
    expect(await bob.accountActivity.validateSubscription(webhookId)).toEqual({ data: { subscribed: true } })
    expect((await accountActivity.getSubscriptions(webhookId)).data).toMatchObject({
      webhookId,
      webhookUrl: receiver.url(),
      subscriptions: [{ userId: server.userId('bob') }],
    })
    expect((await accountActivity.getSubscriptionCount()).data).toMatchObject({
      subscriptionsCountAll: '1',
      subscriptionsCountDirectMessages: '0',
      provisionedCount: expect.stringMatching(/^\d+$/),
    })
    const id = await makePost(server, 'bob', { text: 'What I do' })
    const [delivery] = await receiver.received(1)
    expect(delivery!.body).toMatchObject({
      for_user_id: server.userId('bob'),
      post_create_events: [{ id_str: id, text: 'What I do', user: { screen_name: 'bob' } }],
    })
    expect(isSigned(delivery!, secret())).toBe(true)
    const again = await refusal(bob.accountActivity.createSubscription(webhookId, {}))
    expect(again.data.errors[0].message).toContain('DuplicateSubscriptionFailed')
    expect(await accountActivity.deleteSubscription(webhookId, server.userId('bob'))).toEqual({
      data: { subscribed: false },
    })
    await makePost(server, 'bob', { text: 'A post that is not delivered' })
    await settled()
    expect(receiver.deliveries).toHaveLength(1)
  })

  test('delivers in the legacy naming to a webhook that was created at the address of the library', async () => {
    const theirs = new xdk.Client({ oauth1: oauth1Of('bob') })
    const webhookId = await register(theirs)
    await theirs.accountActivity.createSubscription(webhookId, {})
    const id = await makePost(server, 'bob', { text: 'For an old receiver' })
    const [delivery] = await receiver.received(1)
    expect(Object.keys(delivery!.body)).toEqual(['for_user_id', 'tweet_create_events'])
    expect(delivery!.body.tweet_create_events[0]).toMatchObject({ id_str: id, retweet_count: 0 })
  })
})

/** Waits until all events are planned and all deliveries are sent. */
async function settled(): Promise<void> {
  for (;;) {
    const { rows } = await server.runtime.database.pool.query(
      `select (select count(*) from event_outbox) + (select count(*) from webhook_delivery where state = 'pending')
         + (select place from event_head) - (select place from event_reader where name = 'webhooks') as open`,
    )
    if (Number(rows[0].open) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
