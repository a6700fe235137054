import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from '../ads/ads-scene.ts'
import { connect, type McpClient } from './mcp-client.ts'

let scene: AdsScene
let alice: McpClient
let account_id: string
const tokenOf = async (user: string, scopes = ['ads.read', 'ads.write']): Promise<string> =>
  (await scene.server.command('user.token', { user, oauth2: true, scopes })).access_token
const connectAs = async (user: string, scopes?: string[]) =>
  connect(`${scene.server.baseUrl}/ads-sandbox/mcp`, await tokenOf(user, scopes))

beforeAll(async () => {
  scene = await startAdsScene()
  account_id = scene.account
  alice = await connectAs('alice')
})
afterAll(() => scene.close())

const READS = [
  'list_ads_accounts',
  'list_campaigns',
  'get_campaign',
  'list_line_items',
  'list_funding_instruments',
  'list_promoted_posts',
  'list_targeting_criteria',
  'list_account_posts',
  'get_active_entities',
  'get_account_stats',
  'get_campaign_reach',
  'search_targeting_interests',
  'search_targeting_locations',
]
const WRITES = [
  'create_campaign',
  'update_campaign',
  'activate_campaign',
  'create_line_item',
  'update_line_item',
  'activate_line_item',
  'add_targeting_criterion',
  'remove_targeting',
  'create_ad_post',
  'promote_post',
]

describe('the list of tools', () => {
  test('has the tools of the platform, those that read marked so', async () => {
    const { tools } = await alice.client.listTools()
    const named = (readOnly: boolean) =>
      tools.filter((tool) => tool.annotations?.readOnlyHint === readOnly).map(({ name }) => name)
    expect(named(true)).toEqual(READS)
    expect(named(false)).toEqual(WRITES)
    const destructive = tools.filter((tool) => tool.annotations?.destructiveHint).map(({ name }) => name)
    expect(destructive).toEqual([
      'update_campaign',
      'activate_campaign',
      'update_line_item',
      'activate_line_item',
      'remove_targeting',
    ])
  })

  test('has the arguments of each operation, with their values and bounds, in the neutral words', async () => {
    const { tools } = await alice.client.listTools()
    const inputOf = (name: string) => tools.find((tool) => tool.name === name)!.inputSchema
    expect(inputOf('create_campaign')).toMatchObject({
      required: ['account_id', 'name', 'funding_instrument_id'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 255 },
        daily_budget_amount_local_micro: { type: 'integer', minimum: 0 },
      },
    })
    expect(inputOf('create_campaign').properties).not.toHaveProperty('entity_status')
    expect(inputOf('create_ad_post').properties).not.toHaveProperty('nullcast')
    expect(Object.keys(inputOf('activate_line_item').properties!)).toEqual(['account_id', 'line_item_id'])
    expect(inputOf('list_campaigns').properties!.count).toMatchObject({ minimum: 1, maximum: 1_000, default: 200 })
    expect(inputOf('update_line_item').properties!.end_time).toMatchObject({
      anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
      description: expect.stringContaining('Null clears it.'),
    })
    expect(JSON.stringify(tools)).toContain('PROMOTED_POSTS')
    // The inspector warns of several types at once, which some clients do not know.
    expect(JSON.stringify(tools)).not.toContain('"type":[')
  })

  test('comes with what a model should know', () => {
    expect(alice.client.getServerVersion()).toMatchObject({ name: 'rostra-ads', version: '12' })
    expect(alice.client.getInstructions()).toContain('PAUSED')
  })
})

test('a campaign is made, targeted, activated and taken apart with the tools', async () => {
  const { call } = alice
  const accounts = await call('list_ads_accounts')
  expect(accounts.body.data.map(({ id }: { id: string }) => id)).toEqual([account_id])
  const funding = (await call('list_funding_instruments', { account_id })).body.data[0]
  expect(funding.id).toBe(scene.funding)

  const campaign = (
    await call('create_campaign', {
      account_id,
      name: 'Spring, sale',
      funding_instrument_id: funding.id,
      daily_budget_amount_local_micro: 5_000_000,
    })
  ).body.data
  expect(campaign).toMatchObject({ name: 'Spring, sale', entity_status: 'PAUSED' })
  const campaign_id: string = campaign.id
  expect((await call('update_campaign', { account_id, campaign_id, name: 'Summer' })).body.data.name).toBe('Summer')
  expect((await call('list_campaigns', { account_id, campaign_ids: [campaign_id] })).body.data).toHaveLength(1)

  const lineItem = (
    await call('create_line_item', {
      account_id,
      campaign_id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: ['ALL_ON_TWITTER'],
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2030-01-01T00:00:00Z',
    })
  ).body.data
  expect(lineItem.entity_status).toBe('PAUSED')
  const line_item_id: string = lineItem.id
  const bid = { account_id, line_item_id, bid_strategy: 'MAX', bid_amount_local_micro: 1_500_000 }
  expect((await call('update_line_item', bid)).body.data.bid_amount_local_micro).toBe(1_500_000)
  expect((await call('list_line_items', { account_id, count: 1 })).body.data[0].id).toBe(line_item_id)

  const places = await call('search_targeting_locations', { q: 'portugal', location_type: 'COUNTRIES' })
  const targeting_value: string = places.body.data[0].targeting_value
  expect((await call('search_targeting_interests', { q: 'coffee' })).body.data.length).toBeGreaterThan(0)
  const criterion = (
    await call('add_targeting_criterion', { account_id, line_item_id, targeting_type: 'LOCATION', targeting_value })
  ).body.data
  const criteria = () => call('list_targeting_criteria', { account_id, line_item_ids: [line_item_id] })
  expect((await criteria()).body.data[0]).toMatchObject({ id: criterion.id, targeting_value })

  const as_user_id = scene.server.userId('alice')
  const post = (await call('create_ad_post', { account_id, as_user_id, text: 'Coffee, half price' })).body.data
  expect(post.nullcast).toBe(true)
  const post_id: string = post.id_str ?? post.post_id ?? String(post.id)
  const posts = await call('list_account_posts', { account_id, tweet_type: 'PUBLISHED', timeline_type: 'NULLCAST' })
  expect(JSON.stringify(posts.body)).toContain(post_id)
  const promoted = (await call('promote_post', { account_id, line_item_id, post_ids: [post_id] })).body.data[0]
  const listed = await call('list_promoted_posts', { account_id, line_item_ids: [line_item_id] })
  expect(listed.body.data[0].id).toBe(promoted.id)

  expect((await call('activate_line_item', { account_id, line_item_id })).body.data.entity_status).toBe('ACTIVE')
  expect((await call('activate_campaign', { account_id, campaign_id })).body.data.entity_status).toBe('ACTIVE')
  expect((await call('get_campaign', { account_id, campaign_id })).body.data.entity_status).toBe('ACTIVE')
  const removed = await call('remove_targeting', { account_id, targeting_criterion_id: criterion.id })
  expect(removed.body.data.deleted).toBe(true)
  expect((await criteria()).body.data).toEqual([])
})

test('statistics, active entities and reach are those of the interface', async () => {
  const campaign_id = await scene.campaign()
  const week = { start_time: '2026-05-01', end_time: '2026-05-08' }
  const question = { entity: 'CAMPAIGN', granularity: 'DAY', placement: 'ALL_ON_TWITTER' }
  const asked = { ...question, ...week, entity_ids: [campaign_id], metric_groups: ['ENGAGEMENT', 'BILLING'] }
  const stats = await alice.call('get_account_stats', { account_id, ...asked })
  const query = { ...question, ...week, entity_ids: campaign_id, metric_groups: 'ENGAGEMENT,BILLING' }
  const same = await scene.call('GET', `stats/accounts/${account_id}`, query)
  expect([stats.isError, stats.body.data], JSON.stringify(stats.body)).toEqual([false, same.body.data])
  expect(stats.body.data[0].id).toBe(campaign_id)
  const active = await alice.call('get_active_entities', { account_id, entity: 'CAMPAIGN', ...week })
  expect(active).toMatchObject({ isError: false, body: { data: [] } })
  const reach = await alice.call('get_campaign_reach', { account_id, campaign_ids: [campaign_id], ...week })
  expect(reach).toMatchObject({ isError: false, body: { data: [{ id: campaign_id }] } })
  const wrong = await alice.call('get_account_stats', { account_id, ...asked, granularity: 'MINUTE' })
  expect(wrong).toMatchObject({ isError: true, body: { errors: [{ parameter: 'granularity' }] } })
})

describe('a tool refuses', () => {
  const refused = async (name: string, args: Record<string, unknown>) => {
    const { isError, body } = await alice.call(name, args)
    expect(isError).toBe(true)
    return body.errors
  }

  test('what its operation refuses, in the words of the operation', async () => {
    const args = { account_id, name: 'x', funding_instrument_id: 'zzz', daily_budget_amount_local_micro: -1 }
    const [error] = await refused('create_campaign', args)
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'daily_budget_amount_local_micro', value: -1 })
    expect(await refused('get_campaign', { account_id, campaign_id: '1' })).toMatchObject([
      { code: 'CAMPAIGN_NOT_FOUND' },
    ])
  })

  test('an argument that it does not have, and names those that it has', async () => {
    const args = { account_id, name: 'x', funding_instrument_id: scene.funding, entity_status: 'ACTIVE' }
    expect(await refused('create_campaign', args)).toEqual([
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a valid value for the parameter',
        parameter: 'entity_status',
        details: expect.stringContaining('allowed are account_id, name, funding_instrument_id'),
      },
    ])
    expect((await alice.call('list_campaigns', { account_id, q: 'x' })).body.data).toEqual([])
  })

  test('to run without what it needs', async () => {
    expect(await refused('get_campaign', { campaign_id: '1' })).toMatchObject([
      { code: 'MISSING_PARAMETER', parameter: 'account_id' },
    ])
    expect(await refused('create_campaign', { account_id })).toMatchObject([
      { code: 'MISSING_PARAMETER', parameter: 'name' },
      { code: 'MISSING_PARAMETER', parameter: 'funding_instrument_id' },
    ])
  })

  test.each<[what: string, args: Record<string, unknown>]>([
    ['an object', { account_id: { a: 1 } }],
    ['a long text', { account_id: 'a'.repeat(100_000) }],
    ['a path', { account_id: '../accounts' }],
    ['null', { account_id: null }],
    ['a member that every object has', { constructor: 1 }],
  ])('%s instead of an account', async (_what, args) => {
    const errors = await refused('list_campaigns', args)
    expect(JSON.stringify(errors).length).toBeLessThan(2_000)
  })

  test('values of other types than it takes', async () => {
    for (const [name, value] of Object.entries({
      count: 'many',
      campaign_ids: [{}],
      sort_by: 5,
      with_deleted: [],
      cursor: {},
    }))
      expect(await refused('list_campaigns', { account_id, [name]: value })).toMatchObject([{ parameter: name }])
  })

  test('accounts that the user has no access to: they are not listed and not found', async () => {
    const dario = await connectAs('dario')
    expect((await dario.call('list_ads_accounts')).body.data).toEqual([])
    const found = await dario.call('list_campaigns', { account_id })
    expect(found).toMatchObject({ isError: true, body: { errors: [{ code: 'ACCOUNT_NOT_FOUND' }] } })
  })

  test('accounts of the other environment', async () => {
    const production = await connect(`${scene.server.baseUrl}/mcp`, await tokenOf('alice'))
    const accounts = (await production.call('list_ads_accounts')).body.data
    expect(accounts.map(({ id }: { id: string }) => id)).not.toContain(account_id)
    expect((await production.call('list_campaigns', { account_id })).body.errors[0].code).toBe('ACCOUNT_NOT_FOUND')
  })

  test('what the role of the user on the account does not allow', async () => {
    await scene.server.command('ads.account.grant', {
      account: account_id,
      user: 'bob',
      permissions: ['CAMPAIGN_ANALYST'],
    })
    const bob = await connectAs('bob')
    expect((await bob.call('list_campaigns', { account_id })).isError).toBe(false)
    const args = { account_id, name: 'x', funding_instrument_id: scene.funding }
    expect((await bob.call('create_campaign', args)).body.errors[0].code).toBe('ACTION_NOT_ALLOWED')
  })
})

describe('scopes', () => {
  test('with ads.read the tools that read work, and those that write change nothing', async () => {
    const reader = await connectAs('alice', ['ads.read'])
    expect((await reader.client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(WRITES))
    const before = (await reader.call('list_campaigns', { account_id })).body.data
    const args = { account_id, name: 'x', funding_instrument_id: scene.funding, daily_budget_amount_local_micro: 1 }
    expect(await reader.call('create_campaign', args)).toEqual({
      isError: true,
      body: {
        errors: [
          {
            code: 'UNAUTHORIZED_ACCESS',
            message: 'The tool create_campaign needs a token with the scope ads.write',
          },
        ],
      },
    })
    expect((await reader.call('list_campaigns', { account_id })).body.data).toEqual(before)
  })

  test('with ads.write only, reading is refused', async () => {
    const writer = await connectAs('alice', ['ads.write'])
    expect((await writer.call('list_campaigns', { account_id })).body.errors[0].code).toBe('UNAUTHORIZED_ACCESS')
  })
})

test('limits of the operations count calls of tools too', async () => {
  const limited = await startAdsScene(['--rate-limits', 'on'])
  const { access_token } = await limited.server.command('user.token', { user: 'alice', oauth2: true })
  const { call } = await connect(`${limited.server.baseUrl}/ads-sandbox/mcp`, access_token)
  const first = await limited.get('campaigns')
  const left = Number(first.headers.get('x-account-rate-limit-remaining'))
  expect((await call('list_campaigns', { account_id: limited.account })).isError).toBe(false)
  const next = await limited.get('campaigns')
  expect(Number(next.headers.get('x-account-rate-limit-remaining'))).toBe(left - 2)
  await limited.close()
})

test('the request log names the tools that a message called, and why they were refused', async () => {
  await alice.call('get_campaign', { account_id, campaign_id: '1' })
  const answer = await scene.server.get('/_rostra/requests?limit=1', { bearer: scene.server.credentials.admin_key })
  expect(answer.body.requests.at(-1)).toMatchObject({
    operation: 'mcpMessage',
    status: 200,
    user: 'alice',
    details: { tools: 'get_campaign', refused: expect.stringContaining('CAMPAIGN_NOT_FOUND') },
  })
})
