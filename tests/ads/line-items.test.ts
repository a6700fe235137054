import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUSINESS_CATEGORIES } from '../../src/ads/categories/business-categories.data.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

/** Sets of content categories that share no code with any other. */
const DISTINCT_SETS = BUSINESS_CATEGORIES.map((item): readonly string[] => item.iab_categories).filter(
  (set, at, all) =>
    set.length > 1 && all.every((other, place) => place === at || !other.some((code) => set.includes(code))),
)

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

type Values = Record<string, string | number | boolean | undefined>
const firstError = (answer: { body: { errors: Record<string, unknown>[] } }) => answer.body.errors[0]

const PRODUCTS: Record<string, string> = { FOLLOWERS: 'PROMOTED_ACCOUNT', PREROLL_VIEWS: 'MEDIA' }
const APP = { platform_b_app_store_identifier: '333903271' }

/** Tries to create a line item of an objective in a new campaign. */
async function attempt(objective: string, values: Values = {}) {
  const app = objective.startsWith('APP_') ? APP : {}
  return scene.post('line_items', {
    campaign_id: await scene.campaign(),
    objective,
    product_type: PRODUCTS[objective] ?? 'PROMOTED_POSTS',
    placements: 'ALL_ON_TWITTER',
    ...app,
    ...values,
  })
}

describe('what follows from the objective', () => {
  test.each([
    ['APP_ENGAGEMENTS', 'APP_CLICKS', 'APP_CLICK'],
    ['APP_INSTALLS', 'APP_INSTALLS', 'IMPRESSION'],
    ['REACH', 'MAX_REACH', 'IMPRESSION'],
    ['FOLLOWERS', 'FOLLOWERS', 'FOLLOW'],
    ['ENGAGEMENTS', 'ENGAGEMENT', 'ENGAGEMENT'],
    ['VIDEO_VIEWS', 'VIDEO_VIEW', 'VIEW'],
    ['WEBSITE_CLICKS', 'LINK_CLICKS', 'IMPRESSION'],
  ])('%s has the goal %s and is paid by %s unless the request says otherwise', async (objective, goal, payBy) => {
    const answer = await attempt(objective)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({
      goal,
      pay_by: payBy,
      bid_strategy: 'AUTO',
      entity_status: 'ACTIVE',
      standard_delivery: true,
      creative_source: 'MANUAL',
      categories: [],
    })
  })

  test('a bid is a maximum, and for REACH and FOLLOWERS a target', async () => {
    const strategy = async (objective: string) =>
      (await attempt(objective, { bid_amount_local_micro: 500_000 })).body.data.bid_strategy
    expect(await strategy('ENGAGEMENTS')).toBe('MAX')
    expect(await strategy('REACH')).toBe('TARGET')
    expect(await strategy('FOLLOWERS')).toBe('TARGET')
  })

  test.each([
    ['REACH', 'VIDEO_VIEW'],
    ['APP_ENGAGEMENTS', 'APP_PURCHASES'],
    ['ENGAGEMENTS', 'SITE_VISITS'],
    ['WEBSITE_CLICKS', 'APP_CLICKS'],
  ])('%s refuses the goal %s', async (objective, goal) => {
    const answer = await attempt(objective, { goal })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'goal' })
  })

  test.each([
    ['REACH', 'MAX'],
    ['FOLLOWERS', 'MAX'],
    ['ENGAGEMENTS', 'TARGET'],
    ['VIDEO_VIEWS', 'TARGET'],
  ])('%s refuses the bid strategy %s', async (objective, bid_strategy) => {
    const answer = await attempt(objective, { bid_strategy, bid_amount_local_micro: 1_000_000 })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ parameter: 'bid_strategy' })
  })

  test('needs the product type that belongs to it', async () => {
    expect(firstError(await attempt('FOLLOWERS', { product_type: 'PROMOTED_POSTS' }))).toMatchObject({
      parameter: 'product_type',
    })
    expect(firstError(await attempt('REACH', { product_type: 'MEDIA' }))).toMatchObject({ parameter: 'product_type' })
  })
})

describe('bids and budgets', () => {
  test.each(['MAX', 'TARGET'])('the strategy %s needs a bid', async (bid_strategy) => {
    const answer = await attempt('WEBSITE_CLICKS', { bid_strategy })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'bid_amount_local_micro' })
  })

  test('a bid must be more than nothing and payable in the currency', async () => {
    expect(firstError(await attempt('ENGAGEMENTS', { bid_amount_local_micro: 0 }))).toMatchObject({
      parameter: 'bid_amount_local_micro',
    })
    expect(firstError(await attempt('ENGAGEMENTS', { bid_amount_local_micro: 10_001 }))).toMatchObject({
      code: 'INVALID_DENOMINATION',
    })
  })

  test('a bid stays within the bidding rules of the currency', async () => {
    const rule = (await scene.call('GET', 'bidding_rules', { currency: 'USD' })).body.data[0]
    const most = rule.maximum_cpe_bid_local_micro
    expect((await attempt('ENGAGEMENTS', { bid_amount_local_micro: most })).status).toBe(200)
    expect(
      firstError(await attempt('ENGAGEMENTS', { bid_amount_local_micro: most + rule.minimum_denomination })),
    ).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'bid_amount_local_micro' })
  })

  test('AUTO ignores the bid', async () => {
    const answer = await attempt('ENGAGEMENTS', { bid_strategy: 'AUTO', bid_amount_local_micro: 1_000_000 })
    expect(answer.body.data).toMatchObject({ bid_strategy: 'AUTO', bid_amount_local_micro: null })
  })

  test('the daily budget does not exceed the total one, nor the total that of the campaign', async () => {
    const daily = await attempt('REACH', {
      daily_budget_amount_local_micro: 3_000_000,
      total_budget_amount_local_micro: 2_000_000,
    })
    expect(firstError(daily)).toMatchObject({ parameter: 'daily_budget_amount_local_micro' })
    const campaign_id = await scene.campaign({ total_budget_amount_local_micro: 9_000_000 })
    const total = await attempt('REACH', { campaign_id, total_budget_amount_local_micro: 9_000_001_000_000 })
    expect(firstError(total)).toMatchObject({ parameter: 'total_budget_amount_local_micro' })
    expect((await attempt('REACH', { campaign_id, total_budget_amount_local_micro: 9_000_000 })).status).toBe(200)
  })
})

describe('pay_by', () => {
  test('is chosen for app installs, by goal', async () => {
    expect((await attempt('APP_INSTALLS', { pay_by: 'APP_CLICK' })).body.data.pay_by).toBe('APP_CLICK')
    expect(firstError(await attempt('APP_INSTALLS', { pay_by: 'LINK_CLICK' }))).toMatchObject({ parameter: 'pay_by' })
    expect(firstError(await attempt('ENGAGEMENTS', { pay_by: 'IMPRESSION' }))).toMatchObject({ parameter: 'pay_by' })
    expect(firstError(await attempt('REACH', { pay_by: 'ENGAGEMENT' }))).toMatchObject({ parameter: 'pay_by' })
  })

  test('of link clicks is impressions or clicks, and only clicks with a target', async () => {
    const target = { bid_strategy: 'TARGET', bid_amount_local_micro: 1_000_000 }
    expect((await attempt('WEBSITE_CLICKS', { pay_by: 'LINK_CLICK' })).body.data.pay_by).toBe('LINK_CLICK')
    expect((await attempt('WEBSITE_CLICKS', target)).body.data.pay_by).toBe('LINK_CLICK')
    expect(firstError(await attempt('WEBSITE_CLICKS', { ...target, pay_by: 'IMPRESSION' }))).toMatchObject({
      parameter: 'pay_by',
    })
  })

  test('may be sent when it is the default anyway', async () => {
    for (const [objective, values, payBy] of [
      ['WEBSITE_CLICKS', {}, 'IMPRESSION'],
      ['WEBSITE_CLICKS', { goal: 'SITE_VISITS' }, 'IMPRESSION'],
      ['REACH', {}, 'IMPRESSION'],
      ['APP_ENGAGEMENTS', {}, 'APP_CLICK'],
    ] as const) {
      const made = await attempt(objective, { ...values, pay_by: payBy })
      expect(made.body.data?.pay_by, made.text).toBe(payBy)
      expect((await scene.put(`line_items/${made.body.data.id}`, { pay_by: payBy })).status).toBe(200)
    }
  })

  test('stays as it was chosen while it fits the goal and the bidding', async () => {
    const change = async (id: string, values: Values) => (await scene.put(`line_items/${id}`, values)).body.data.pay_by
    const clicks = (await attempt('WEBSITE_CLICKS', { pay_by: 'LINK_CLICK' })).body.data.id
    const bid = { bid_amount_local_micro: 1_000_000 }
    for (const bid_strategy of ['MAX', 'TARGET', 'AUTO'])
      expect(await change(clicks, { bid_strategy, ...bid }), bid_strategy).toBe('LINK_CLICK')
    const installs = (await attempt('APP_INSTALLS', { pay_by: 'APP_CLICK' })).body.data.id
    expect(await change(installs, { goal: 'APP_PURCHASES' })).toBe('APP_CLICK')
    expect(await change(installs, { goal: 'APP_INSTALLS', pay_by: 'IMPRESSION' })).toBe('IMPRESSION')
    expect(await change(installs, { goal: 'APP_CLICKS' })).toBe('APP_CLICK')
    const impressions = (await attempt('WEBSITE_CLICKS')).body.data.id
    expect(await change(impressions, { bid_strategy: 'TARGET', ...bid })).toBe('LINK_CLICK')
  })

  test('is changed later for app installs only', async () => {
    const app = (await attempt('APP_INSTALLS')).body.data.id
    expect((await scene.put(`line_items/${app}`, { pay_by: 'APP_CLICK' })).body.data.pay_by).toBe('APP_CLICK')
    const refused = { parameter: 'pay_by', details: 'can only be changed for APP_INSTALLS line items' }
    for (const objective of ['WEBSITE_CLICKS', 'ENGAGEMENTS']) {
      const { id } = (await attempt(objective)).body.data
      const changed = await scene.put(`line_items/${id}`, { pay_by: 'LINK_CLICK' })
      expect(firstError(changed), objective).toMatchObject(refused)
    }
  })
})

describe('placements', () => {
  test.each([
    ['ENGAGEMENTS', 'PLATFORM_PROFILE'],
    ['REACH', 'PLATFORM_SEARCH'],
    ['FOLLOWERS', 'PLATFORM_SEARCH'],
    ['ENGAGEMENTS', 'ALL_ON_TWITTER,PLATFORM_TIMELINE'],
  ])('%s refuses %s', async (objective, placements) => {
    const answer = await attempt(objective, { placements })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_PLACEMENT_TYPE', parameter: 'placements' })
  })

  test('on the publisher network need the feature, a domain and categories', async () => {
    const network = { placements: 'PUBLISHER_NETWORK' }
    await scene.delete('features', { feature_keys: 'DR_TAP' })
    expect(firstError(await attempt('APP_INSTALLS', network))).toMatchObject({
      code: 'FEATURE_NOT_AVAILABLE',
      details: expect.stringContaining('DR_TAP'),
    })
    await scene.post('features', { feature_keys: 'DR_TAP' })
    const bare = await attempt('APP_INSTALLS', network)
    expect(bare.body.errors.map((item: { parameter: string }) => item.parameter).sort()).toEqual([
      'advertiser_domain',
      'categories',
    ])
    expect(
      firstError(
        await attempt('APP_INSTALLS', { ...network, categories: 'IAB1', advertiser_domain: 'https://example.com' }),
      ),
    ).toMatchObject({ parameter: 'advertiser_domain' })
    expect(
      (await attempt('APP_INSTALLS', { ...network, categories: 'IAB1', advertiser_domain: 'example.com' })).status,
    ).toBe(200)
  })
})

describe('frequency caps', () => {
  test('go with the objectives that reach people, and with a period', async () => {
    expect((await attempt('ENGAGEMENTS', { frequency_cap: 5, duration_in_days: 7 })).body.data).toMatchObject({
      frequency_cap: 5,
      duration_in_days: 7,
    })
    expect(firstError(await attempt('WEBSITE_CLICKS', { frequency_cap: 5, duration_in_days: 7 }))).toMatchObject({
      parameter: 'frequency_cap',
    })
    expect(firstError(await attempt('ENGAGEMENTS', { frequency_cap: 5 }))).toMatchObject({
      code: 'INCLUSIVE_PARAMETERS',
    })
    expect(firstError(await attempt('ENGAGEMENTS', { frequency_cap: 5, duration_in_days: 2 }))).toMatchObject({
      parameter: 'duration_in_days',
    })
  })

  test('on REACH need the feature', async () => {
    const cap = { frequency_cap: 2, duration_in_days: 1 }
    await scene.delete('features', { feature_keys: 'REACH_FREQUENCY_CAP' })
    expect(firstError(await attempt('REACH', cap))).toMatchObject({
      code: 'FEATURE_NOT_AVAILABLE',
      parameter: 'frequency_cap',
    })
    await scene.post('features', { feature_keys: 'REACH_FREQUENCY_CAP' })
    expect((await attempt('REACH', cap)).status).toBe(200)
  })
})

describe('pre-roll', () => {
  test('needs the feature, and one or two sets of categories, which are widened to the full ones', async () => {
    await scene.delete('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE' })
    expect(firstError(await attempt('PREROLL_VIEWS', { categories: DISTINCT_SETS[0]![0]! }))).toMatchObject({
      code: 'FEATURE_NOT_AVAILABLE',
      parameter: 'objective',
    })
    await scene.post('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE' })
    expect(firstError(await attempt('PREROLL_VIEWS'))).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'categories',
    })
    const [one, two, three] = DISTINCT_SETS
    const made = await attempt('PREROLL_VIEWS', { categories: `${one![1]},${two![0]}` })
    expect(made.body.data).toMatchObject({ goal: 'PREROLL', pay_by: 'VIEW' })
    expect([...made.body.data.categories].sort()).toEqual([...one!, ...two!].sort())
    expect(
      firstError(await attempt('PREROLL_VIEWS', { categories: [one![0], two![0], three![0]].join(',') })),
    ).toMatchObject({ parameter: 'categories' })
    const unknown = await attempt('PREROLL_VIEWS', { categories: 'IAB99' })
    expect(unknown.status).toBe(404)
    expect(firstError(unknown)).toMatchObject({ code: 'INVALID_IAB_CATEGORY' })
  })

  test('takes an advertiser user from allowed apps, and no other objective does', async () => {
    const user = scene.server.userId('alice')
    expect(
      (await attempt('PREROLL_VIEWS', { categories: DISTINCT_SETS[0]![0]!, advertiser_user_id: user })).body.data
        .advertiser_user_id,
    ).toBe(user)
    expect(firstError(await attempt('REACH', { advertiser_user_id: user }))).toMatchObject({
      parameter: 'advertiser_user_id',
    })
  })
})

describe('line items', () => {
  test('of apps need an app store identifier of either store', async () => {
    for (const objective of ['APP_INSTALLS', 'APP_ENGAGEMENTS']) {
      expect(firstError(await attempt(objective, { platform_b_app_store_identifier: undefined }))).toMatchObject({
        code: 'MISSING_PARAMETER',
        parameter: 'platform_a_app_store_identifier',
      })
      expect(
        (
          await attempt(objective, {
            platform_b_app_store_identifier: undefined,
            platform_a_app_store_identifier: 'com.example.app',
          })
        ).status,
      ).toBe(200)
    }
    expect(firstError(await attempt('APP_INSTALLS', { platform_a_app_store_identifier: 'com.1app' }))).toMatchObject({
      parameter: 'platform_a_app_store_identifier',
      details: 'must be a package name',
    })
    expect(firstError(await attempt('APP_INSTALLS', { platform_b_app_store_identifier: 'id333' }))).toMatchObject({
      parameter: 'platform_b_app_store_identifier',
    })
  })

  test('with the goal of conversions need a web event tag', async () => {
    expect(firstError(await attempt('WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS' }))).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'primary_web_event_tag',
    })
    const answer = await attempt('WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o1234' })
    expect(answer.status).toBe(404)
    expect(firstError(answer)).toMatchObject({ code: 'WEB_EVENT_TAG_NOT_FOUND', parameter: 'primary_web_event_tag' })
  })

  test('have a web event tag of their account, which is shown and may be deleted later', async () => {
    const windows = { click_window: 7, view_through_window: 1, retargeting_enabled: false }
    const tag = await scene.made('web_event_tags', { name: 'Thanks', type: 'PURCHASE', ...windows })
    const answer = await attempt('WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: tag.id })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.primary_web_event_tag).toBe(tag.id)
    expect((await scene.delete(`web_event_tags/${tag.id}`)).body.data.deleted).toBe(true)
    const renamed = await scene.put(`line_items/${answer.body.data.id}`, { name: 'Still there' })
    expect(renamed.body.data).toMatchObject({ name: 'Still there', primary_web_event_tag: tag.id })
    const late = await attempt('WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: tag.id })
    expect(firstError(late)).toMatchObject({ code: 'WEB_EVENT_TAG_NOT_FOUND' })
  })

  test('end after they begin', async () => {
    const answer = await attempt('REACH', { start_time: '2026-05-02', end_time: '2026-05-01' })
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_TIME_WINDOW', parameter: 'end_time' })
  })

  test('of one campaign have one objective, and are at most 100', async () => {
    const campaign_id = await scene.campaign()
    await attempt('REACH', { campaign_id })
    expect(firstError(await attempt('ENGAGEMENTS', { campaign_id }))).toMatchObject({ parameter: 'objective' })
    const params = { campaign_id, objective: 'REACH', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_TWITTER' }
    const batch = (size: number) =>
      scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/line_items`, {
        as: { user: 'alice' },
        json: Array.from({ length: size }, () => ({ operation_type: 'Create', params })),
      })
    for (const size of [40, 40, 19]) expect((await batch(size)).status).toBe(200)
    const full = await attempt('REACH', { campaign_id })
    expect(full.status).toBe(400)
    expect(firstError(full)).toMatchObject({ code: 'TOO_MANY_LINE_ITEMS' })
    expect(
      (await scene.get('line_items', { campaign_ids: campaign_id, with_total_count: true, count: 1 })).body.total_count,
    ).toBe(100)
  })

  test('can be paused, resumed and deleted', async () => {
    const id = await scene.lineItem()
    expect((await scene.put(`line_items/${id}`, { entity_status: 'PAUSED' })).body.data.entity_status).toBe('PAUSED')
    expect((await scene.put(`line_items/${id}`, { entity_status: 'ACTIVE' })).body.data.entity_status).toBe('ACTIVE')
    await scene.put(`line_items/${id}`, { entity_status: 'PAUSED' })
    expect((await scene.put(`line_items/${id}/activate`)).body.data.entity_status).toBe('ACTIVE')
    expect(firstError(await scene.put(`line_items/${id}`, { entity_status: 'DRAFT' }))).toMatchObject({
      parameter: 'entity_status',
    })
    expect((await scene.delete(`line_items/${id}`)).body.data.deleted).toBe(true)
    const again = await scene.delete(`line_items/${id}`)
    expect(again.status).toBe(404)
    expect(firstError(again)).toMatchObject({ code: 'LINE_ITEM_NOT_FOUND' })
  })

  test.each(['campaign_id', 'objective', 'product_type', 'placements', 'primary_web_event_tag', 'standard_delivery'])(
    'do not change their %s',
    async (parameter) => {
      const id = await scene.lineItem()
      const answer = await scene.put(`line_items/${id}`, { [parameter]: 'x' })
      expect(answer.status).toBe(400)
      expect(firstError(answer)).toMatchObject({ code: 'INVALID_PARAMETER', parameter })
    },
  )

  test('are checked as a whole when they change', async () => {
    const id = (await attempt('ENGAGEMENTS', { bid_amount_local_micro: 1_000_000 })).body.data.id
    expect(firstError(await scene.put(`line_items/${id}`, { bid_amount_local_micro: '' }))).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'bid_amount_local_micro',
    })
    expect((await scene.put(`line_items/${id}`, { bid_strategy: 'AUTO' })).body.data).toMatchObject({
      bid_strategy: 'AUTO',
      bid_amount_local_micro: null,
    })
    expect(firstError(await scene.put(`line_items/${id}`, { goal: 'SITE_VISITS' }))).toMatchObject({
      parameter: 'goal',
    })
    const views = (await attempt('VIDEO_VIEWS')).body.data.id
    expect((await scene.put(`line_items/${views}`, { goal: 'VIEW_6S' })).body.data).toMatchObject({
      goal: 'VIEW_6S',
      pay_by: 'IMPRESSION',
    })
    const followers = (await attempt('FOLLOWERS')).body.data.id
    expect(
      firstError(
        await scene.put(`line_items/${followers}`, { bid_strategy: 'TARGET', bid_amount_local_micro: 1_000_000 }),
      ),
    ).toMatchObject({ parameter: 'bid_strategy' })
  })

  test('are found by campaign, funding instrument and id', async () => {
    const campaign = await scene.campaign()
    const id = await scene.lineItem({ campaign_id: campaign, name: 'Find me' })
    const found = async (values: Values) =>
      (await scene.get('line_items', values)).body.data.map((item: { id: string }) => item.id)
    expect(await found({ campaign_ids: campaign })).toEqual([id])
    expect(await found({ line_item_ids: id })).toEqual([id])
    expect(await found({ q: 'find' })).toEqual([id])
    expect(await found({ funding_instrument_ids: scene.funding })).toContain(id)
    expect(await found({ funding_instrument_ids: '1' })).toEqual([])
  })
})
