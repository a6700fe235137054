import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { change } from '../../src/api-kit/runtime.ts'
import { grantAdd, issueTokens } from '../../src/identity/oauth2/tokens.ts'
import { accessToken, invalidRequest, keysFor, rows } from '../social/acting.ts'
import { makeCrowd } from '../social/crowd.ts'
import { newUser } from '../social/relating.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { addWebhook, pathOf, subscribe } from './delivered-events.ts'

const SCOPES = ['dm.read', 'dm.write', 'post.read', 'users.read']

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
afterEach(() => rows(server, 'delete from webhook'))

/** An OAuth 2.0 access token of any user for the first app. */
async function accessTokenOf(userId: string, scopes = SCOPES): Promise<string> {
  const { runtime } = server
  const { apps } = await server.command('app.list')
  const grant = { id: runtime.ids.next(), scopes }
  const now = runtime.clock.now()
  const { access } = await change(runtime, async (tx) => {
    await grantAdd.count(tx, grant.id, apps[0].id, userId, scopes, 'neutral', new Date(now))
    return issueTokens(tx, grant, now)
  })
  return access
}

const create = (webhookId: string, as: As) => server.request('POST', `${pathOf(webhookId)}/all`, { as })
const check = (webhookId: string, as: As) => server.get(`${pathOf(webhookId)}/all`, as)
const list = (webhookId: string, as: As = 'app') => server.get(`${pathOf(webhookId)}/all/list`, as)
const remove = (webhookId: string, userId: string, as: As = 'app') =>
  server.delete(`${pathOf(webhookId)}/${userId}/all`, as)
const count = async (as: As = 'app') => (await server.get('/2/account_activity/subscriptions/count', as)).body.data

const unknownWebhook = (id: string) => ({
  detail: `WebhookIdInvalid: the app has no webhook [${id}].`,
  title: 'Not Found',
  type: 'about:blank',
  status: 404,
})
const refusal = (id: string, message: string) => invalidRequest(server, { parameters: { webhook_id: [id] }, message })

describe('a subscription', () => {
  test('is created with an empty body and found afterwards only by the same user', async () => {
    const hook = await addWebhook(server)
    expect((await check(hook, { user: 'bob' })).body).toEqual({ data: { subscribed: false } })
    const made = await create(hook, { user: 'bob' })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({ data: { subscribed: true } })
    expect((await check(hook, { user: 'bob' })).body).toEqual({ data: { subscribed: true } })
    expect((await check(hook, { user: 'dario' })).body).toEqual({ data: { subscribed: false } })
  })

  test('is created with an empty JSON object and by OAuth 2.0 with the scopes of the reference', async () => {
    const hook = await addWebhook(server)
    const bearer = await accessTokenOf(server.userId('chika'))
    const made = await server.post(`${pathOf(hook)}/all`, {}, { bearer })
    expect(made.body).toEqual({ data: { subscribed: true } })
  })

  test('is rejected with DuplicateSubscriptionFailed when it exists already', async () => {
    const hook = await addWebhook(server)
    await subscribe(server, hook, 'bob')
    const again = await create(hook, { user: 'bob' })
    expect(again.status).toBe(400)
    expect(again.body).toEqual(
      refusal(hook, 'DuplicateSubscriptionFailed: the user is already subscribed to this webhook.'),
    )
  })

  test('is created once by many calls at the same moment', async () => {
    const hook = await addWebhook(server)
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(hook, { user: 'bob' })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(11).fill(400)])
    expect((await list(hook)).body.data.subscriptions).toEqual([{ user_id: server.userId('bob') }])
  })

  test('is listed with app and url of the webhook', async () => {
    const hook = await addWebhook(server)
    const { apps } = await server.command('app.list')
    const empty = await list(hook)
    expect(empty.body.data.subscriptions).toEqual([])
    await subscribe(server, hook, 'dario')
    await subscribe(server, hook, 'bob')
    const users = [server.userId('bob'), server.userId('dario')].sort((left, right) =>
      Number(BigInt(left) - BigInt(right)),
    )
    expect((await list(hook)).body).toEqual({
      data: {
        application_id: apps[0].id,
        webhook_id: hook,
        webhook_url: `https://receiver.example/${hook}`,
        subscriptions: users.map((id) => ({ user_id: id })),
      },
    })
  })

  test('ends when the app removes it, and can be created again', async () => {
    const hook = await addWebhook(server)
    await subscribe(server, hook, 'bob')
    const gone = await remove(hook, server.userId('bob'))
    expect(gone.status).toBe(200)
    expect(gone.body).toEqual({ data: { subscribed: false } })
    expect((await check(hook, { user: 'bob' })).body).toEqual({ data: { subscribed: false } })
    expect((await create(hook, { user: 'bob' })).status).toBe(200)
  })

  test.each(['1', '9999999999999999999'])('of the user %s, who is not subscribed, cannot be removed', async (id) => {
    const hook = await addWebhook(server)
    const gone = await remove(hook, id)
    expect(gone.status).toBe(404)
    expect(gone.body).toEqual({
      detail: `SubscriptionNotFound: the user [${id}] is not subscribed to the webhook [${hook}].`,
      title: 'Not Found',
      type: 'about:blank',
      status: 404,
    })
  })

  test('ends with its webhook', async () => {
    const hook = await addWebhook(server)
    await subscribe(server, hook, 'bob')
    await server.delete(`/2/webhooks/${hook}`)
    expect((await count()).subscriptions_count_all).toBe('0')
  })
})

describe('a webhook that does not belong to the app', () => {
  test.each(['unknown', 'of another app', 'no id that can be'])('%s is refused by every operation', async (kind) => {
    const id =
      kind === 'unknown'
        ? '42'
        : kind === 'no id that can be'
          ? '9999999999999999999'
          : await addWebhook(server, { app: 1 })
    const user = { user: 'bob' }
    for (const answer of [
      await create(id, user),
      await check(id, user),
      await list(id),
      await remove(id, server.userId('bob')),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(unknownWebhook(id))
    }
  })

  test('is rejected for a subscription that waits while the webhook is removed', async () => {
    const hook = await addWebhook(server)
    const blocker = await server.runtime.database.pool.connect()
    try {
      await blocker.query('begin')
      await blocker.query('delete from webhook where id = $1', [hook])
      const waiting = create(hook, { user: 'bob' })
      await expect
        .poll(() =>
          rows(
            server,
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%account_activity%'`,
          ),
        )
        .toHaveLength(1)
      await blocker.query('commit')
      expect((await waiting).body).toEqual(unknownWebhook(hook))
    } finally {
      blocker.release()
    }
  })
})

describe('the limit of users', () => {
  const full = (tier: string, most: number) => `SubscriptionLimitExceeded: the tier ${tier} includes ${most} users.`

  test('accepts exactly three of many users who subscribe to a self-serve app at the same moment', async () => {
    const hook = await addWebhook(server, { app: 1 })
    const crowd = await makeCrowd(server, 10)
    const keys = await Promise.all(crowd.map((member) => keysFor(server, member.username, 1)))
    const answers = await Promise.all(keys.map((item) => create(hook, { keys: item })))
    const refused = answers.filter((answer) => answer.status !== 200)
    expect(refused).toHaveLength(7)
    for (const answer of refused) {
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(refusal(hook, full('self-serve', 3)))
    }
    expect((await list(hook, 'second-app')).body.data.subscriptions).toHaveLength(3)
    expect(await count('second-app')).toMatchObject({ provisioned_count: '3', subscriptions_count_all: '3' })
    const [subscribed] = (await list(hook, 'second-app')).body.data.subscriptions
    await remove(hook, subscribed.user_id, 'second-app')
    const next = keys[answers.findIndex((answer) => answer.status !== 200)]!
    expect((await create(hook, { keys: next })).status).toBe(200)
  })

  test('counts a user once, for any number of webhooks of the developer account', async () => {
    const [first, second] = [await addWebhook(server, { app: 1 }), await addWebhook(server, { app: 1 })]
    const names = ['alice', 'bob', 'chika', 'dario']
    const [alice, bob, chika, dario] = await Promise.all(
      names.map(async (name) => ({ keys: await keysFor(server, name, 1) })),
    )
    for (const as of [alice!, bob!, chika!]) expect((await create(first, as)).status).toBe(200)
    expect((await create(second, alice!)).status).toBe(200)
    expect((await create(second, dario!)).body).toEqual(refusal(second, full('self-serve', 3)))
    expect((await count('second-app')).subscriptions_count_all).toBe('3')
  })

  test('is shown with the name of the developer account, as texts', async () => {
    const [{ name }] = await rows(server, 'select name from developer_account')
    expect(await count()).toEqual({
      account_name: name,
      provisioned_count: '5000',
      subscriptions_count_all: '0',
      subscriptions_count_direct_messages: '0',
    })
  })
})

describe('the access that a user must have granted', () => {
  test.each(['read', 'read-write'])('is more than the level %s of OAuth 1.0a', async (level) => {
    const hook = await addWebhook(server)
    const { apps } = await server.command('app.list')
    const user = `only_${level.length}`
    const { id } = await newUser(server, user)
    const pair = await server.command('user.token', { user, app: apps[0].id, access_level: level })
    const app = server.credentials.apps[0]!
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const refused = {
      title: 'Forbidden',
      status: 403,
      detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
      type: `${server.runtime.problemBase}/oauth1-permissions`,
    }
    expect((await create(hook, { keys })).body).toEqual(refused)
    // Where both kinds of access were granted, OAuth 1.0a overrides the scopes.
    const bearer = await accessTokenOf(id)
    const overridden = await create(hook, { bearer })
    expect(overridden.status).toBe(403)
    expect(overridden.body).toEqual(refused)
    expect((await list(hook)).body.data.subscriptions).toEqual([])
  })

  test('is that of OAuth 1.0a where it was granted, whatever the scopes of an OAuth 2.0 token', async () => {
    const hook = await addWebhook(server)
    const bearer = await accessToken(server, 'dario', ['post.read', 'users.read'])
    expect((await create(hook, { bearer })).body).toEqual({ data: { subscribed: true } })
    expect((await check(hook, { bearer })).body).toEqual({ data: { subscribed: true } })
  })

  test('needs every scope where there is no OAuth 1.0a', async () => {
    const hook = await addWebhook(server)
    const { id } = await server.command('user.create', { username: 'few_scopes' })
    const bearer = await accessTokenOf(id, ['dm.read', 'post.read', 'users.read'])
    expect((await create(hook, { bearer })).status).toBe(403)
    expect((await check(hook, { bearer })).status).toBe(403)
    expect((await list(hook)).body.data.subscriptions).toEqual([])
  })

  test('can be granted only by OAuth 2.0', async () => {
    const hook = await addWebhook(server)
    const { id } = await server.command('user.create', { username: 'only_oauth2' })
    expect((await create(hook, { bearer: await accessTokenOf(id) })).status).toBe(200)
    expect((await list(hook)).body.data.subscriptions).toEqual([{ user_id: id }])
  })

  test('belongs to a user: an app without a user cannot subscribe, a user cannot list', async () => {
    const hook = await addWebhook(server)
    expect((await create(hook, 'app')).body.title).toBe('Unsupported Authentication')
    expect((await check(hook, 'app')).body.title).toBe('Unsupported Authentication')
    expect((await list(hook, { user: 'bob' })).body.title).toBe('Unsupported Authentication')
  })
})
