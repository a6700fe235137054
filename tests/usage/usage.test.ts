import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeUsage } from '../../src/identity/usage/usage-meter.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { makePost, rows } from '../social/acting.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, startReceiver } from '../webhooks/receiver.ts'

let server: TestServer
let posts: string[]
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  posts = []
  for (let number = 0; number < 6; number++) posts.push(await makePost(server, 'bob', { text: `counted ${number}` }))
})
afterAll(() => server.close())

const DAY_MS = 24 * 3600_000
const MICROS = { post: 5_000, user: 10_000, owned: 1_000 }
const CAPPED = { title: 'UsageCapExceeded', type: expect.stringMatching(/\/usage-capped$/) }

interface NewApp {
  id: string
  bearer: string
  projectId: string
  accountId: string
  api_key: string
  api_key_secret: string
}

async function newApp(options: { project?: string; tier?: string } = {}): Promise<NewApp> {
  const { tier = 'self-serve' } = options
  const project = options.project ?? (await server.command('project.create', { name: 'Metered', owner: 'alice' })).id
  const app = await server.command('app.create', { name: 'Meter', owner: 'alice', tier, project })
  const { id, api_key, api_key_secret, bearer_token: bearer, developer_account_id: accountId } = app
  return { id, bearer, projectId: project, accountId, api_key, api_key_secret }
}

const read = (app: NewApp, ids: string[], more = '') =>
  server.get(`/2/posts?ids=${ids.join()}${more}`, { bearer: app.bearer })
const usage = async (app: NewApp, query = '') =>
  (await server.get(`/2/usage/posts${query}`, { bearer: app.bearer })).body.data
const used = async (app: NewApp) => (await usage(app)).project_usage
const today = () => `${new Date(server.runtime.clock.now()).toISOString().slice(0, 10)}T00:00:00.000Z`
const shownCosts = async (app: NewApp) => {
  const log = await server.get(`/_rostra/requests?app=${app.id}`, { bearer: server.credentials.admin_key })
  return log.body.requests.map((item: { cost_micros?: number }) => item.cost_micros)
}

describe('the usage of a project', () => {
  test('counts each post that reads return once, however often it is read', async () => {
    const app = await newApp()
    expect(await used(app)).toBe(0)
    await read(app, posts.slice(0, 2))
    await read(app, posts.slice(0, 3))
    await storeUsage(server.runtime)
    await read(app, posts.slice(0, 3))
    expect(await used(app)).toBe(3)
  })

  test('has cap, reset day, and the days and apps with use', async () => {
    const first = await newApp()
    const second = await newApp({ project: first.projectId })
    await read(first, posts.slice(0, 2))
    await read(second, posts.slice(0, 5))
    const now = new Date(server.runtime.clock.now())
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    const answer = await server.get('/2/usage/posts', { bearer: second.bearer })
    expect(answer.body.data).toEqual({
      project_id: first.projectId,
      project_cap: 3_000_000,
      project_usage: 5,
      cap_reset_day: Math.ceil((nextMonth - now.getTime()) / DAY_MS),
      daily_project_usage: { project_id: Number(first.projectId), usage: [{ date: today(), usage: 5 }] },
      // A post counts for the app of the project that read it first.
      daily_client_app_usage: [
        { client_app_id: first.id, usage: [{ date: today(), usage: 2 }], usage_result_count: 1 },
        { client_app_id: second.id, usage: [{ date: today(), usage: 3 }], usage_result_count: 1 },
      ],
    })
    expect(answer.text).toContain(`"project_id":${first.projectId}`)
  })

  test('shows only the members that are asked for, and no list of days without use', async () => {
    const app = await newApp()
    expect(await usage(app, '?usage.fields=project_usage,daily_client_app_usage')).toEqual({ project_usage: 0 })
    expect(await usage(app, '?usage.fields=daily_project_usage')).toEqual({
      daily_project_usage: { project_id: Number(app.projectId) },
    })
  })

  test('counts included posts, but not counts of posts, refused reads and posts that are not found', async () => {
    const app = await newApp()
    const reply = await makePost(server, 'alice', { text: 'me too', reply: { in_reply_to_post_id: posts[0] } })
    await read(app, ['1', '2'])
    await server.get('/2/posts/counts/recent?query=counted', { bearer: app.bearer })
    await server.get('/2/posts?ids=x', { bearer: app.bearer })
    expect(await used(app)).toBe(0)
    await read(app, [reply], '&expansions=referenced_posts.id')
    expect(await used(app)).toBe(2)
  })

  test('is not changed by writes, whatever they return', async () => {
    const before = (await server.get('/2/usage/posts')).body.data.project_usage
    await makePost(server, 'alice', { text: 'written, not read' })
    expect((await server.get('/2/usage/posts')).body.data.project_usage).toBe(before)
  })

  test('counts what a stream delivers', async () => {
    const app = await newApp()
    await server.post('/2/posts/search/stream/rules', { add: [{ value: 'streamedword' }] }, { bearer: app.bearer })
    const stream = await openStream(server, '/2/posts/search/stream', { bearer: app.bearer })
    await makePost(server, 'bob', { text: 'a streamedword' })
    expect((await stream.next()).data.text).toBe('a streamedword')
    stream.close()
    expect(await used(app)).toBe(1)
  })

  test('counts the posts that webhooks and the activity stream deliver, each once', async () => {
    const app = await newApp({ tier: 'enterprise' })
    const { api_key, api_key_secret } = app
    const receiver = await startReceiver(answersCorrectly(api_key_secret))
    const webhook = async (path: string) =>
      (await server.post('/2/webhooks', { url: receiver.url(path) }, { bearer: app.bearer })).body.id
    const filter = { user_id: server.userId('chika') }
    const webhook_id = await webhook('/activity')
    for (const event_type of ['post.create', 'post.delete', 'profile.update.bio'])
      await server.post('/2/activity/subscriptions', { event_type, filter, webhook_id }, { bearer: app.bearer })
    const pair = await server.command('user.token', { user: 'chika', app: app.id })
    const keys = {
      consumerKey: api_key,
      consumerSecret: api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    await server.request('POST', `/2/account_activity/webhooks/${await webhook('/account')}/subscriptions/all`, {
      as: { keys },
    })
    const delivered = (path: string, count: number) =>
      expect.poll(() => receiver.deliveries.filter((item) => item.path === path).length).toBe(count)

    // A receiver that does not accept a post has not used it.
    receiver.answerDeliveriesWith((response) => void response.writeHead(500).end())
    await makePost(server, 'chika', { text: 'refused by the receiver' })
    await delivered('/activity', 1)
    await delivered('/account', 1)
    expect(await used(app)).toBe(0)
    receiver.answerDeliveriesWith((response) => void response.writeHead(200).end())
    await server.command('user.update', { user: 'chika', description: 'Nothing to count' })
    await makePost(server, 'chika', { text: 'accepted by the receiver' })
    await delivered('/activity', 3)
    await delivered('/account', 2)
    await expect.poll(() => used(app)).toBe(1)

    const stream = await openStream(server, '/2/activity/stream', { bearer: app.bearer })
    await makePost(server, 'chika', { text: 'accepted and streamed' })
    expect((await stream.next()).data.payload.text).toBe('accepted and streamed')
    await delivered('/activity', 4)
    stream.close()
    await expect.poll(() => used(app)).toBe(2)
    await receiver.close()
  })

  test('begins again each UTC day for the same posts, and lists the days of the last ones', async () => {
    const app = await newApp()
    await read(app, posts.slice(0, 2))
    const dayBefore = today()
    await server.command('clock', { advance_ms: DAY_MS })
    await read(app, posts.slice(0, 3))
    const { daily_project_usage } = await usage(app, '?days=2')
    expect(daily_project_usage.usage).toEqual([
      { date: dayBefore, usage: 2 },
      { date: today(), usage: 3 },
    ])
    expect((await usage(app, '?days=1')).daily_project_usage.usage).toEqual([{ date: today(), usage: 3 }])
    await server.command('clock', { advance_ms: 3 * DAY_MS })
    await tidy(server.runtime)
    expect(await rows(server, 'select 1 from usage_seen where project_id = $1', [app.projectId])).toEqual([])
    expect((await usage(app)).daily_project_usage.usage).toHaveLength(2)
    await server.command('clock', { advance_ms: 90 * DAY_MS })
    await tidy(server.runtime)
    expect((await usage(app, '?days=90')).daily_project_usage.usage).toBeUndefined()
    await server.command('clock', { reset: true })
  })

  test.each(['0', '91', 'x', '1.5'])('is refused for %s days', async (days) => {
    const answer = await server.get(`/2/usage/posts?days=${days}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].parameters).toEqual({ days: [days] })
  })
})

describe('a cap', () => {
  const cap = (app: NewApp, monthly_cap: number | null) =>
    server.command('usage.limits', { project: app.projectId, monthly_cap })

  test('of the month refuses reads of posts with 429 usage-capped, and nothing else', async () => {
    const app = await newApp()
    await cap(app, 3)
    expect((await usage(app)).project_cap).toBe(3)
    expect((await read(app, posts.slice(0, 2))).status).toBe(200)
    // It is not reached yet: a page may exceed it, as on the platform.
    expect((await read(app, posts.slice(2, 5))).status).toBe(200)
    const refused = await read(app, posts.slice(0, 1))
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toMatch('application/problem+json')
    expect(refused.body).toEqual({
      ...CAPPED,
      period: 'Monthly',
      scope: 'Product',
      detail: 'Usage cap exceeded: Monthly product cap',
      account_id: app.accountId,
      product_name: 'self-serve',
    })
    expect((await server.get('/2/posts/search/recent?query=nothingtofind', { bearer: app.bearer })).status).toBe(429)
    expect((await openStream(server, '/2/posts/sample/stream', { bearer: app.bearer })).status).toBe(429)
    expect((await server.get(`/2/users/${server.userId('bob')}`, { bearer: app.bearer })).status).toBe(200)
    expect((await server.get('/2/posts/counts/recent?query=counted', { bearer: app.bearer })).status).toBe(200)
    expect(await used(app)).toBe(5)
    const again = await newApp()
    expect((await read(again, posts.slice(0, 1))).status).toBe(200)
  })

  test('refuses an answer that includes a post', async () => {
    const app = await newApp()
    await server.command('user.pin', { user: 'bob', post: posts[0] })
    await cap(app, 1)
    await read(app, posts.slice(1, 2))
    await used(app)
    await read(app, posts.slice(1, 2))
    const refused = await server.get(`/2/users/${server.userId('bob')}?expansions=pinned_post_id`, {
      bearer: app.bearer,
    })
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject(CAPPED)
  })

  test('that is raised, and a new month, let reads through', async () => {
    const app = await newApp()
    await cap(app, 1)
    await read(app, posts.slice(0, 1))
    expect((await read(app, posts)).status).toBe(429)
    await cap(app, 2)
    expect((await read(app, posts.slice(0, 2))).status).toBe(200)
    expect((await read(app, posts)).status).toBe(429)
    await server.command('clock', { advance_ms: 31 * DAY_MS })
    expect((await read(app, posts)).status).toBe(200)
    await server.command('clock', { reset: true })
    await cap(app, null)
    expect((await usage(app)).project_cap).toBe(3_000_000)
    expect((await read(app, posts)).status).toBe(200)
  })

  test('that is reached refuses each of many reads at once', async () => {
    const app = await newApp()
    await cap(app, 4)
    for (const id of posts.slice(0, 4)) expect((await read(app, [id])).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => read(app, [posts[index % 6]!])))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([429]))
    expect(await used(app)).toBe(4)
  })
})

describe('the price of a request', () => {
  test('is in the request log: new objects cost, known ones do not', async () => {
    const app = await newApp()
    await read(app, posts.slice(0, 2), '&expansions=author_id')
    await read(app, posts.slice(0, 3), '&expansions=author_id')
    await read(app, posts.slice(0, 3))
    await server.get('/2/posts?ids=x', { bearer: app.bearer })
    expect(await shownCosts(app)).toEqual([2 * MICROS.post + MICROS.user, MICROS.post, 0, undefined])
  })

  test('is lower for own data, and has the price of a write', async () => {
    await makePost(server, 'erin', { text: 'priced' })
    await server.get(`/2/users/${server.userId('erin')}/posts`, { user: 'erin' })
    const log = await server.get('/_rostra/requests?limit=2', { bearer: server.credentials.admin_key })
    const found = log.body.requests.map((item: { operation: string; cost_micros: number }) => item)
    expect(found[0]).toMatchObject({ operation: 'createPosts', cost_micros: 15_000 })
    expect(found[1]).toMatchObject({ operation: 'getUsersPosts' })
    expect(found[1].cost_micros % MICROS.owned).toBe(0)
    expect(found[1].cost_micros).toBeLessThan(MICROS.post * 2)
    expect(found[1].cost_micros).toBeGreaterThan(0)
  })

  test('adds up in the usage command, by day, app and kind', async () => {
    const app = await newApp()
    await read(app, posts.slice(0, 4), '&expansions=author_id')
    const shown = await server.command('usage', { project: app.projectId })
    expect(shown).toMatchObject({
      project_id: app.projectId,
      currency: 'USD',
      posts_this_month: 4,
      monthly_cap: null,
      cost_this_month: 0.03,
      cost_today: 0.03,
      monthly_budget: null,
      daily_budget: null,
    })
    const date = today().slice(0, 10)
    expect(shown.days).toEqual([
      { date, app_id: app.id, kind: 'post', used: 4, cost: 0.02 },
      { date, app_id: app.id, kind: 'user', used: 1, cost: 0.01 },
    ])
  })
})

describe('a budget', () => {
  test.each([
    ['daily_budget', 'Daily', 'daily'],
    ['monthly_budget', 'Monthly', 'monthly'],
  ])('%s that is spent refuses what costs, and lets the rest through', async (name, period) => {
    const app = await newApp()
    await server.command('usage.limits', { project: app.projectId, [name]: 0.01 })
    await read(app, posts.slice(0, 1))
    expect((await read(app, posts.slice(0, 2))).status).toBe(200)
    const refused = await server.get(`/2/users/${server.userId('bob')}`, { bearer: app.bearer })
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      ...CAPPED,
      period,
      scope: 'Account',
      detail: `Usage cap exceeded: ${period} account cap`,
      account_id: app.accountId,
      product_name: 'self-serve',
    })
    expect((await server.get('/2/usage/posts', { bearer: app.bearer })).status).toBe(200)
    const [last] = (
      await server.get(`/_rostra/requests?app=${app.id}&refused=true&limit=1`, { bearer: server.credentials.admin_key })
    ).body.requests
    expect(last.reason).toContain('the project has spent its budget of 0.01 USD')
    await server.command('usage.limits', { project: app.projectId, [name]: null })
    expect((await read(app, posts.slice(0, 2))).status).toBe(200)
  })

  test('refuses writes with a price, and the write does not happen', async () => {
    const app = await newApp()
    const secrets = await server.command('app.create', { name: 'Writer', owner: 'alice', project: app.projectId })
    const pair = await server.command('user.token', { user: 'dario', app: secrets.id })
    const as = {
      keys: {
        consumerKey: secrets.api_key,
        consumerSecret: secrets.api_key_secret,
        token: pair.access_token,
        tokenSecret: pair.access_token_secret,
      },
    }
    await server.command('usage.limits', { project: app.projectId, daily_budget: 0.02 })
    const statuses = []
    for (const text of ['one', 'two', 'three']) statuses.push((await server.post('/2/posts', { text }, as)).status)
    expect(statuses).toEqual([201, 201, 429])
    expect(await rows(server, `select 1 from post where text = 'three'`)).toEqual([])
  })

  test.each([
    [{ daily_budget: -1 }, 'daily_budget'],
    [{ monthly_budget: 'much' }, 'monthly_budget'],
    [{ monthly_cap: 1.5 }, 'monthly_cap'],
  ])('%j is refused', async (limits, name) => {
    const { projectId } = await newApp()
    const answer = await server.tryCommand('usage.limits', { project: projectId, ...limits })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(name)
  })

  test('of an unknown project is refused', async () => {
    expect((await server.tryCommand('usage.limits', { project: '12', daily_budget: 1 })).status).toBe(404)
    expect((await server.tryCommand('usage', { project: 'Metered' })).status).toBe(404)
  })
})
