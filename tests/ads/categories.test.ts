import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUSINESS_CATEGORIES } from '../../src/ads/categories/business-categories.data.ts'
import { CONTENT_CATEGORIES } from '../../src/ads/categories/content-categories.data.ts'
import { CURATED_CATEGORIES } from '../../src/ads/categories/curated-categories.data.ts'
import { isIabCategory } from '../../src/ads/categories/iab-categories.data.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
import { reference } from './reference-document.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

// biome-ignore lint/suspicious/noExplicitAny: answers whose shape the tests assert.
type Any = any
const firstError = (answer: Any) => ({ status: answer.status, ...answer.body.errors[0] })
const global = (path: string, values = {}) => scene.call('GET', path, values)
const lookupValues = (path: string) => (reference as Any).paths[path].get['x-lookup-values']

describe('categories that all accounts share', () => {
  test('the businesses of advertisers are the platform’s own, complete in one page', async () => {
    const { body } = await global('advertiser_business_categories')
    expect(body).toEqual({
      request: { params: {} },
      data: lookupValues('/12/advertiser_business_categories'),
      next_cursor: null,
    })
  })

  test('a pre-roll line item keeps the full sets of the one or two businesses that it names', async () => {
    await scene.post('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE' })
    const preroll = (categories: string) =>
      scene.post('line_items', { ...LINE_ITEM, campaign_id: campaign, categories })
    const LINE_ITEM = {
      objective: 'PREROLL_VIEWS',
      product_type: 'MEDIA',
      placements: 'ALL_ON_TWITTER',
      start_time: '2026-01-01',
      end_time: '2030-01-01',
    }
    const campaign = await scene.campaign()
    const { body } = await preroll('IAB8-5,IAB2')
    expect(body.data.categories.sort()).toEqual(['IAB2', 'IAB8-18', 'IAB8-5'])
    expect((await preroll('IAB2,IAB8-5,IAB9-30')).status).toBe(400)
    expect(firstError(await preroll('IAB24'))).toMatchObject({ status: 404, code: 'INVALID_IAB_CATEGORY' })
  })

  test('a line item of the publisher network has only codes of the taxonomy', async () => {
    await scene.post('features', { feature_keys: 'BRAND_TPN' })
    const network = {
      placements: 'PUBLISHER_NETWORK',
      advertiser_domain: 'example.com',
      campaign_id: await scene.campaign(),
    }
    const values = { ...network, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' }
    const flight = { start_time: '2026-01-01', end_time: '2030-01-01' }
    const attempt = (categories: string) => scene.post('line_items', { ...values, ...flight, categories })
    expect(firstError(await attempt('IAB1,IAB1-99'))).toMatchObject({
      status: 404,
      code: 'INVALID_IAB_CATEGORY',
      parameter: 'categories',
      value: 'IAB1-99',
    })
    expect((await attempt('IAB1,IAB24')).body.data.categories).toEqual(['IAB1', 'IAB24'])
  })

  test('content category codes come in pages, children after their parents', async () => {
    const { body } = await global('iab_categories', { count: 9, with_total_count: true })
    expect(body.data.slice(0, 2)).toEqual([
      { id: 'IAB1', parent_id: null, name: 'Arts & Entertainment' },
      { id: 'IAB1-1', parent_id: 'IAB1', name: 'Books & Literature' },
    ])
    expect(body.data[8]).toEqual({ id: 'IAB2', parent_id: null, name: 'Automotive' })
    const all = [...body.data]
    for (let cursor = body.next_cursor; cursor; ) {
      const page: Any = (await global('iab_categories', { count: 150, cursor })).body
      expect(page).not.toHaveProperty('total_count')
      all.push(...page.data)
      cursor = page.next_cursor
    }
    expect(all).toHaveLength(body.total_count)
    expect(new Set(all.map((item) => item.id)).size).toBe(all.length)
    const top = new Set(all.filter((item) => item.parent_id === null).map((item) => item.id))
    expect(top.size).toBe(26)
    expect(all.filter((item) => item.parent_id !== null && !top.has(item.parent_id))).toEqual([])
  })

  test.each([
    [{ cursor: 'x', with_total_count: true }, 'EXCLUSIVE_PARAMETERS', 'cursor'],
    [{ cursor: 'x' }, 'INVALID_PARAMETER', 'cursor'],
    [{ cursor: Buffer.from('["in order","IAB99"]').toString('base64url') }, 'INVALID_PARAMETER', 'cursor'],
    [{ count: 0 }, 'INVALID_PARAMETER', 'count'],
    [{ count: 1001 }, 'INVALID_PARAMETER', 'count'],
  ])('content category codes refuse %o', async (values, code, parameter) => {
    expect(firstError(await global('iab_categories', values))).toMatchObject({ status: 400, code, parameter })
  })

  test('every set of codes that we list consists of codes of the taxonomy', () => {
    const sets = [...BUSINESS_CATEGORIES, ...CONTENT_CATEGORIES].flatMap((item) => item.iab_categories)
    expect(sets.filter((code) => !isIabCategory(code))).toEqual([])
    const contents = new Set(CONTENT_CATEGORIES.map((item) => item.id))
    expect(CURATED_CATEGORIES.flatMap((item) => item.content_category_ids).filter((id) => !contents.has(id))).toEqual(
      [],
    )
  })
})

describe('publishers and what they publish', () => {
  const DAY_MS = 24 * 3600_000
  const contentCategory = async (id: string) => {
    const { body } = await global('content_categories')
    expect(body.total_count).toBe(15)
    expect(body.next_cursor).toBeNull()
    return body.data.find((item: Any) => item.id === id)
  }
  const curated = async (id: string) => (await scene.get(`curated_categories/${id}`)).body.data

  test('content categories are the platform’s own, with the total', async () => {
    const { body } = await global('content_categories')
    expect(body.data.map(({ id, name, iab_categories }: Any) => ({ id, name, iab_categories }))).toEqual(
      lookupValues('/12/content_categories'),
    )
  })

  test('publishers come from operators and are counted where they published lately', async () => {
    expect((await global('publishers')).body).toEqual({ request: { params: {} }, data: [], next_cursor: null })
    expect(await contentCategory('so')).toMatchObject({ publishers_in_last_thirty_days: 0 })
    const terms = { user: 'dario', countries: ['IT', 'PT'], promotable_countries: ['IT'], content_categories: ['so'] }
    await scene.server.command('ads.publisher.set', terms)
    expect((await global('publishers')).body.data).toEqual([
      {
        user_id: scene.server.userId('dario'),
        username: 'dario',
        monetization_restricted: false,
        monetizable_country_codes: ['IT', 'PT'],
        promotion_eligible_country_codes: ['IT'],
        content_category_ids: ['so'],
      },
    ])
    expect(await contentCategory('so')).toMatchObject({
      publishers_in_last_thirty_days: 1,
      videos_monetized_in_last_thirty_days: 0,
    })
    expect((await curated('9be')).publisher_user_ids).toEqual([scene.server.userId('dario')])
    // The same content, but in countries where his videos cannot be bought.
    expect((await curated('9bf')).publisher_user_ids).toEqual([])
  })

  test('videos of the last thirty days are counted, pictures and older ones are not', async () => {
    const { database } = scene.server.runtime
    const posted = await scene.server.post('/2/posts', { text: 'A video of bread' }, { user: 'dario' })
    await scene.server.post('/2/posts', { text: 'A picture of bread' }, { user: 'dario' })
    await database.query({
      text: `update post set media_keys = array[case when id = $1 then '7_1' else '3_1' end] where author_id = $2 and id >= $1`,
      values: [posted.body.data.id, scene.server.userId('dario')],
    })
    expect(await contentCategory('so')).toMatchObject({ videos_monetized_in_last_thirty_days: 1 })
    expect(await curated('9be')).toMatchObject({ videos_monetized_in_last_thirty_days: 1 })
    await scene.server.command('clock', { advance_ms: 31 * DAY_MS })
    expect(await contentCategory('so')).toMatchObject({
      publishers_in_last_thirty_days: 0,
      videos_monetized_in_last_thirty_days: 0,
    })
  })

  test('protected and restricted publishers do not count', async () => {
    await scene.server.command('ads.publisher.set', { user: 'erin', content_categories: ['so'] })
    await scene.server.command('ads.publisher.set', { user: 'dario', content_categories: ['so'], restricted: true })
    const { data } = (await global('publishers')).body
    expect(data.map((item: Any) => [item.username, item.monetization_restricted])).toEqual([
      ['dario', true],
      ['erin', true],
    ])
    expect((await curated('9be')).publisher_user_ids).toEqual([])
    await scene.server.command('ads.publisher.set', { user: 'erin', remove: true })
    expect((await global('publishers')).body.data).toHaveLength(1)
  })
})

describe('curated categories', () => {
  test('are listed by the countries where they can be used, with the total', async () => {
    const { body } = await scene.get('curated_categories', { country_codes: 'ZA' })
    expect(body.data.length).toBeGreaterThan(2)
    for (const item of body.data) expect(item.country_codes).toContain('ZA')
    expect(body).toMatchObject({ next_cursor: null, total_count: body.data.length })
    expect(body.request.params).toEqual({ account_id: scene.account, country_codes: ['ZA'] })
    const both = (await scene.get('curated_categories', { country_codes: 'ZA,PT' })).body
    expect(both.total_count).toBeGreaterThan(body.total_count)
    expect((await scene.get('curated_categories', { country_codes: 'AQ' })).body).toMatchObject({
      data: [],
      total_count: 0,
    })
  })

  test('a single one is shown without its countries, and the echo calls its id `id`', async () => {
    const { body } = await scene.get('curated_categories/9be')
    expect(body.request.params).toEqual({ account_id: scene.account, id: '9be' })
    expect(body.data).toMatchObject({ id: '9be', name: 'Food', country_codes: [] })
    expect(firstError(await scene.get('curated_categories/zzz'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test.each([
    [{}, 'MISSING_PARAMETER', 'country_codes'],
    [{ country_codes: 'pt' }, 'INVALID_PARAMETER', 'country_codes'],
    [{ country_codes: Array(201).fill('PT').join() }, 'INVALID_PARAMETER', 'country_codes'],
    [{ country_codes: 'PT', cursor: 'x' }, 'INVALID_PARAMETER', 'cursor'],
  ])('the list refuses %o', async (values, code, parameter) => {
    expect(firstError(await scene.get('curated_categories', values))).toMatchObject({ status: 400, code, parameter })
  })
})

describe('curated categories of line items', () => {
  const target = async (lineItem: string, type: string, ...values: string[]) => {
    const { database, ids } = scene.server.runtime
    for (const value of values)
      await database.query({
        text: `insert into ads_targeting_criterion (id, account_id, line_item_id, targeting_type, targeting_value, operator_type, created_at, updated_at)
               select $1, account_id, id, $3, $4, $5, created_at, created_at from ads_line_item where id = $2`,
        values: [ids.next(), BigInt(decimal(lineItem)), type, value, type === 'CONTENT_PUBLISHER_USER' ? 'NE' : 'EQ'],
      })
  }
  const decimal = (id: string) => [...id].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n)
  const inPortugal = async () => {
    const lineItem = await scene.lineItem()
    await target(lineItem, 'LOCATION', targetingValue('country', 'PT'))
    return lineItem
  }
  const PATH = 'line_item_curated_categories'
  const attach = (line_item_id: string, curated_category_id = '9be') =>
    scene.post(PATH, { line_item_id, curated_category_id })

  test('one is attached, changed in place and removed', async () => {
    const [first, second] = [await inPortugal(), await inPortugal()]
    const made = (await attach(first)).body.data
    expect(made).toEqual({
      id: expect.any(String),
      line_item_id: first,
      curated_category_id: '9be',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    const changed = await scene.put(`${PATH}/${made.id}`, { curated_category_id: '9bf' })
    expect(changed.body.data).toMatchObject({
      id: made.id,
      line_item_id: first,
      curated_category_id: '9bf',
      deleted: false,
    })
    const moved = await scene.put(`${PATH}/${made.id}`, { line_item_id: second })
    expect(moved.body.data).toMatchObject({ id: made.id, line_item_id: second, curated_category_id: '9bf' })
    expect((await scene.delete(`${PATH}/${made.id}`)).body.data).toMatchObject({ id: made.id, deleted: true })
    expect(firstError(await scene.delete(`${PATH}/${made.id}`))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await scene.get(`${PATH}/${made.id}`, { with_deleted: true })).body.data.deleted).toBe(true)
    expect((await scene.get(PATH)).body.data.map((item: Any) => item.id)).not.toContain(made.id)
  })

  test('a line item has one at a time, and another after it was removed', async () => {
    const lineItem = await inPortugal()
    const { id } = (await attach(lineItem)).body.data
    expect(firstError(await attach(lineItem, '9bf'))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'line_item_id',
      details: 'the line item already has a curated category',
    })
    await scene.delete(`${PATH}/${id}`)
    expect((await attach(lineItem, '9bf')).status).toBe(200)
  })

  test('one of two simultaneous requests is refused', async () => {
    const lineItem = await inPortugal()
    const answers = await Promise.all([attach(lineItem), attach(lineItem, '9bf')])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  })

  test('the line item must already target a country of the category', async () => {
    const nowhere = await scene.lineItem()
    expect(firstError(await attach(nowhere))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'curated_category_id',
      details: expect.stringContaining('PT'),
    })
    await target(nowhere, 'LOCATION', targetingValue('country', 'US'))
    expect((await attach(nowhere)).status).toBe(400)
    const lineItem = await inPortugal()
    const { id } = (await attach(lineItem)).body.data
    // Cricket cannot be used in Portugal.
    expect((await scene.put(`${PATH}/${id}`, { curated_category_id: '9b3' })).status).toBe(400)
  })

  test('it excludes the targeting of content categories and more than five excluded publishers', async () => {
    const withContent = await inPortugal()
    await target(withContent, 'IAB_CATEGORY', 'IAB2')
    expect(firstError(await attach(withContent)).details).toMatch(/content categories/)
    const withExclusions = await inPortugal()
    await target(withExclusions, 'CONTENT_PUBLISHER_USER', '1', '2', '3', '4', '5')
    expect((await attach(withExclusions)).status).toBe(200)
    const withMore = await inPortugal()
    await target(withMore, 'CONTENT_PUBLISHER_USER', '1', '2', '3', '4', '5', '6')
    expect(firstError(await attach(withMore)).details).toMatch(/at most 5 publishers/)
  })

  test('a category or line item that is not there is not found', async () => {
    expect(firstError(await attach(await inPortugal(), 'zzz'))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      parameter: 'curated_category_id',
    })
    expect(firstError(await attach('zzz'))).toMatchObject({ status: 404, code: 'LINE_ITEM_NOT_FOUND' })
  })
})

describe('bidding rules and placements', () => {
  test('rules are those of the currencies that the caller pays in, or of one that is asked for', async () => {
    const USD = {
      currency: 'USD',
      minimum_cpe_bid_local_micro: 10_000,
      maximum_cpe_bid_local_micro: 1_000_000_000,
      minimum_denomination: 10_000,
    }
    expect((await global('bidding_rules')).body).toEqual({ request: { params: {} }, data: [USD], total_count: 1 })
    await scene.made('funding_instruments', { type: 'CREDIT_LINE', currency: 'JPY', start_time: '2026-01-01' })
    const { body } = await global('bidding_rules')
    expect(body.data.map((rule: Any) => rule.currency)).toEqual(['JPY', 'USD'])
    expect(body.data[0].minimum_denomination).toBe(1_000_000)
    const asked = await global('bidding_rules', { currency: 'KWD' })
    expect(asked.body).toMatchObject({ data: [{ currency: 'KWD', minimum_denomination: 1_000 }], total_count: 1 })
    // Outside the sandbox alice has an account that is paid in euros.
    const production = await scene.server.request('GET', '/ads/12/bidding_rules', { as: { user: 'alice' } })
    expect(production.body.data.map((rule: Any) => rule.currency)).toEqual(['EUR'])
    expect(firstError(await global('bidding_rules', { currency: 'XXX' }))).toMatchObject({
      status: 400,
      parameter: 'currency',
      details: expect.stringContaining('USD'),
    })
  })

  test('minimum_denomination is the step of bids', async () => {
    const bid = { bid_strategy: 'MAX', bid_amount_local_micro: 1_005_000 }
    const values = { ...bid, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_TWITTER' }
    const answer = await scene.post('line_items', { ...values, campaign_id: await scene.campaign(), ...FLIGHT })
    expect(firstError(answer)).toMatchObject({ code: 'INVALID_DENOMINATION', parameter: 'bid_amount_local_micro' })
  })
  const FLIGHT = { start_time: '2026-01-01', end_time: '2030-01-01' }

  test('placements are lists of combinations for each product type', async () => {
    const { body } = await global('line_items/placements')
    expect(body.data.map((item: Any) => item.product_type)).toEqual(['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_POSTS'])
    expect(Object.keys(body).sort()).toEqual(['data', 'request'])
    const account = await global('line_items/placements', { product_type: 'PROMOTED_ACCOUNT' })
    expect(account.body.data).toEqual([
      { product_type: 'PROMOTED_ACCOUNT', placements: [['ALL_ON_TWITTER'], ['PLATFORM_TIMELINE']] },
    ])
    const legacy = await global('line_items/placements', { product_type: 'PROMOTED_TWEETS' })
    expect(legacy.body.data[0].placements).toContainEqual(['TWITTER_SEARCH', 'TWITTER_TIMELINE'])
    expect(firstError(await global('line_items/placements', { product_type: 'CARDS' }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'product_type',
    })
  })

  test('a combination that is listed can be bought, another cannot', async () => {
    const { body } = await global('line_items/placements', { product_type: 'PROMOTED_POSTS' })
    const listed = new Set(body.data[0].placements.map((set: string[]) => set.join()))
    const buy = async (placements: string) =>
      scene.post('line_items', {
        objective: 'ENGAGEMENTS',
        product_type: 'PROMOTED_POSTS',
        campaign_id: await scene.campaign(),
        placements,
        ...FLIGHT,
      })
    expect(listed.has('PLATFORM_REPLIES,PLATFORM_SEARCH')).toBe(true)
    expect((await buy('PLATFORM_REPLIES,PLATFORM_SEARCH')).status).toBe(200)
    expect(listed.has('PLATFORM_PROFILE')).toBe(false)
    expect(firstError(await buy('PLATFORM_PROFILE'))).toMatchObject({ status: 400, code: 'INVALID_PLACEMENT_TYPE' })
  })
})
