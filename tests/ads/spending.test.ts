import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { serveLooks } from '../../src/ads/serving/ad-server.ts'
import { viewerOf } from '../../src/ads/serving/viewers.ts'
import { idAt } from '../../src/process/ids.ts'
import { type AdsScene, createAdsScene, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const DAY_MS = 86_400_000

/** The date where the account is. */
async function localDay(): Promise<string> {
  const { timezone } = (await scene.call('GET', `accounts/${scene.account}`)).body.data
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(scene.server.runtime.clock.now())
}

/** What a record has spent today and in all; the ad server writes the same rows. */
async function spend(id: string, micros: number): Promise<void> {
  await scene.server.runtime.database.query({
    text: `insert into ads_spend (entity_id, day, spent) values ($1, $2, $3), ($1, 'infinity', $3)
           on conflict (entity_id, day) do update set spent = ads_spend.spent + excluded.spent`,
    values: [parseBase36(id), await localDay(), micros],
  })
}

const instrument = async (id: string) => (await scene.get(`funding_instruments/${id}`)).body.data
const campaignOf = async (id: string) => (await scene.get(`campaigns/${id}`)).body.data
const reasonsOf = async (id: string): Promise<string[]> => (await campaignOf(id)).reasons_not_servable
const advance = (ms: number) => scene.server.command('clock', { advance_ms: ms })

/** The reasons of a line item, as operators see them. */
async function itemReasons(campaign: string, item: string, account = scene.account): Promise<string[]> {
  const { campaigns } = await scene.server.command('ads.tree', { account })
  const { line_items: items } = campaigns.find((one: { id: string }) => one.id === campaign)
  return items.find((one: { id: string }) => one.id === item).reasons_not_servable
}

/** A campaign with a line item that shows a post. */
async function running(
  campaign: Record<string, string | number> = {},
  lineItem: Record<string, string | number | boolean> = {},
  of: AdsScene = scene,
) {
  const id = await of.campaign(campaign)
  const item = await of.lineItem({ campaign_id: id, ...lineItem })
  const { id: post } = (await scene.server.post('/2/posts', { text: `Promoted by ${item}` }, { user: 'alice' })).body
    .data
  await of.made('promoted_posts', { line_item_id: item, post_ids: post })
  return { id, item }
}

test('what is spent lowers the credit that remains, and a used up instrument cannot fund', async () => {
  const funding = await scene.made('funding_instruments', {
    type: 'CREDIT_LINE',
    currency: 'USD',
    start_time: '2026-01-01',
    credit_limit_local_micro: 10_000_000,
  })
  expect(funding.credit_remaining_local_micro).toBe(10_000_000)
  const { id } = await running({ funding_instrument_id: funding.id })
  await spend(funding.id, 4_000_000)
  expect(await instrument(funding.id)).toMatchObject({ credit_remaining_local_micro: 6_000_000, able_to_fund: true })
  await spend(funding.id, 6_000_000)
  expect(await instrument(funding.id)).toMatchObject({
    credit_remaining_local_micro: 0,
    able_to_fund: false,
    reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
  })
  expect(await campaignOf(id)).toMatchObject({
    servable: false,
    effective_status: 'ACTIVE',
    reasons_not_servable: ['FUNDING_PROBLEM'],
  })
  const order = await scene.made('funding_instruments', {
    type: 'INSERTION_ORDER',
    currency: 'USD',
    start_time: '2026-01-01',
    funded_amount_local_micro: 5_000_000,
  })
  await spend(order.id, 5_000_000)
  expect(await instrument(order.id)).toMatchObject({
    credit_remaining_local_micro: null,
    reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
  })
})

test('a daily budget is used up until midnight where the account is, a total one for good', async () => {
  const { id, item } = await running({ daily_budget_amount_local_micro: 2_000_000 })
  await spend(id, 1_999_999)
  expect(await campaignOf(id)).toMatchObject({ servable: true, effective_status: 'RUNNING', reasons_not_servable: [] })
  await spend(id, 1)
  expect(await campaignOf(id)).toMatchObject({
    servable: false,
    effective_status: 'ACTIVE',
    reasons_not_servable: ['BUDGET_EXHAUSTED'],
  })
  expect(await itemReasons(id, item)).toEqual(['BUDGET_EXHAUSTED'])
  const today = await localDay()
  // To the last second of the day, and over it.
  let low = 0
  let high = DAY_MS
  const { timezone } = (await scene.call('GET', `accounts/${scene.account}`)).body.data
  const dayAt = (ms: number) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(scene.server.runtime.clock.now() + ms)
  while (high - low > 1_000) {
    const middle = (low + high) / 2
    if (dayAt(middle) === today) low = middle
    else high = middle
  }
  await advance(Math.floor(low) - 30_000)
  expect(await reasonsOf(id)).toEqual(['BUDGET_EXHAUSTED'])
  await advance(60_000)
  expect(await campaignOf(id)).toMatchObject({ servable: true, effective_status: 'RUNNING' })
  expect(await itemReasons(id, item)).toEqual([])

  const total = await running({
    daily_budget_amount_local_micro: 2_000_000,
    total_budget_amount_local_micro: 3_000_000,
  })
  await spend(total.id, 3_000_000)
  await advance(2 * DAY_MS)
  expect(await reasonsOf(total.id)).toEqual(['BUDGET_EXHAUSTED'])
  await scene.put(`campaigns/${total.id}`, { total_budget_amount_local_micro: 4_000_000 })
  expect(await reasonsOf(total.id)).toEqual([])
})

test('a line item has its own budgets, and a campaign serves while one of its line items can', async () => {
  const { id, item } = await running({}, { total_budget_amount_local_micro: 1_000_000 })
  const other = await scene.lineItem({ campaign_id: id, daily_budget_amount_local_micro: 1_000_000 })
  await spend(item, 1_000_000)
  expect(await itemReasons(id, item)).toEqual(['BUDGET_EXHAUSTED'])
  expect(await itemReasons(id, other)).toEqual(['NO_ACTIVE_CREATIVE'])
  expect(await reasonsOf(id)).toEqual([])
  await spend(other, 1_000_000)
  expect(await reasonsOf(id)).toEqual(['BUDGET_EXHAUSTED'])
  await advance(DAY_MS)
  expect(await reasonsOf(id)).toEqual([])
})

test('a used up line item is not servable in the list of who targets an audience', async () => {
  const { id, item } = await running({}, { total_budget_amount_local_micro: 1_000_000 })
  const audience = await scene.made('custom_audiences', { name: 'Everybody' })
  await scene.server.runtime.database.query({
    text: `insert into ads_targeting_criterion (id, account_id, line_item_id, targeting_type, targeting_value, value_id, operator_type, created_at, updated_at)
           values ($1, $2, $3, 'CUSTOM_AUDIENCE', $4, $5, 'EQ', $6, $6)`,
    values: [
      scene.server.runtime.ids.next(),
      parseBase36(scene.account),
      parseBase36(item),
      audience.id,
      parseBase36(audience.id),
      new Date(scene.server.runtime.clock.now()),
    ],
  })
  const listed = async () => (await scene.get(`custom_audiences/${audience.id}/targeted`)).body.data
  expect(await listed()).toMatchObject([{ campaign_id: id, line_items: [{ id: item, servable: true }] }])
  await spend(item, 1_000_000)
  expect(await listed()).toEqual([])
  const all = await scene.get(`custom_audiences/${audience.id}/targeted`, { with_active: false })
  expect(all.body.data).toMatchObject([{ line_items: [{ id: item, servable: false }] }])
})

test('an account that is not accepted serves nothing', async () => {
  const { id, item } = await running()
  const set = (status: string) =>
    scene.server.runtime.database.query({
      text: 'update ads_account set approval_status = $2 where id = $1',
      values: [parseBase36(scene.account), status],
    })
  await set('UNDER_REVIEW')
  expect(await reasonsOf(id)).toEqual(['ACCOUNT_UNDER_REVIEW'])
  await set('REJECTED')
  expect(await itemReasons(id, item)).toEqual(['ACCOUNT_REJECTED'])
  await set('ACCEPTED')
  expect(await reasonsOf(id)).toEqual([])
})

test('the ad server shows what nothing speaks against, and nothing else', async () => {
  const shop = await createAdsScene(scene.server, 'production')
  const { database, clock } = scene.server.runtime
  const serving = { bid_strategy: 'AUTO', standard_delivery: false }
  const make = (campaign: Record<string, string | number> = {}, item: Record<string, string | number> = {}) =>
    running(campaign, { ...serving, ...item }, shop)
  const empty = await scene.server.command('ads.funding.create', {
    account: shop.account,
    amount_local_micro: 1_000_000,
  })
  const later = new Date(clock.now() + DAY_MS).toISOString()
  const made: Record<string, { id: string; item: string }> = {
    first: await make(),
    second: await make({}, { total_budget_amount_local_micro: 5_000_000 }),
    pausedCampaign: await make({ entity_status: 'PAUSED' }),
    pausedItem: await make({}, { entity_status: 'PAUSED' }),
    draft: await make({}, { entity_status: 'DRAFT' }),
    future: await make({}, { start_time: later }),
    usedUp: await make({}, { total_budget_amount_local_micro: 1_000_000 }),
    usedUpToday: await make({}, { daily_budget_amount_local_micro: 1_000_000 }),
    usedUpCampaign: await make({ daily_budget_amount_local_micro: 1_000_000 }),
    usedUpFunding: await make({ funding_instrument_id: empty.id }),
  }
  for (const name of ['usedUp', 'usedUpToday']) await spend(made[name]!.item, 1_000_000)
  await spend(made.usedUpCampaign!.id, 1_000_000)
  await spend(empty.id, 1_000_000)
  const viewer = await viewerOf(scene.server.runtime, scene.server.userId('bob'))
  const looks = Array.from({ length: 40 }, (_, at) => ({
    id: idAt(clock.now() - 60_000 + at * 1_000, 900),
    at: clock.now(),
    viewer,
    placement: 'PLATFORM_TIMELINE' as const,
    slots: 8,
  }))
  const shown = (await serveLooks(scene.server.runtime, looks, { responds: 'model' })).flat()
  const shownItems = new Set(shown.map((ad) => ad.lineItemId))
  const names = Object.keys(made)
  expect(names.filter((name) => shownItems.has(parseBase36(made[name]!.item)!))).toEqual(['first', 'second'])
  const free: string[] = []
  for (const name of names)
    if ((await itemReasons(made[name]!.id, made[name]!.item, shop.account)).length === 0) free.push(name)
  expect(free).toEqual(['first', 'second'])
  // What the shop paid is what it has spent.
  const { rows } = await database.query<{ spent: string }>({
    text: `select spent from ads_spend where entity_id = $1 and day = 'infinity'`,
    values: [parseBase36(shop.funding)],
  })
  const paid = shown.reduce((sum, ad) => sum + ad.charge, 0)
  expect(Number(rows[0]?.spent ?? 0)).toBe(paid)
  const read = (await shop.get(`funding_instruments/${shop.funding}`)).body.data
  expect(read.credit_remaining_local_micro).toBe(1_000_000_000 - paid)
})
