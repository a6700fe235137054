import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { serveLooks } from '../../../src/ads/serving/ad-server.ts'
import { OUTCOME } from '../../../src/ads/serving/outcomes.ts'
import { ServedPruner } from '../../../src/ads/serving/prune-served.ts'
import { recordOutcome } from '../../../src/ads/serving/record-outcome.ts'
import { viewerOf } from '../../../src/ads/serving/viewers.ts'
import { ALICE } from '../ads-scene.ts'
import { hash } from '../people.ts'
import { GERMANY, type ServingScene, startServingScene } from './serving-scene.ts'

const MICROS = 1_000_000
const DAY = Date.parse('2026-11-20T12:00:00Z')

let scene: ServingScene
beforeAll(async () => {
  scene = await startServingScene(60)
})
afterAll(() => scene.close())

const idOf = (base36: string): string => parseBase36(base36)!
// biome-ignore lint/suspicious/noExplicitAny: rows of whatever a test asks for.
const rows = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await scene.server.runtime.database.query({ text, values })).rows

test('a line item without criteria reaches everyone, and what is shown is counted at every level', async () => {
  const { campaign, lineItem, promoted, post } = await scene.promote({
    daily_budget_amount_local_micro: 100 * MICROS,
    standard_delivery: false,
  })
  const { shown } = await scene.look(DAY)
  const all = shown.flat()
  expect(all).toHaveLength(60)
  expect(all.every((ad) => ad.lineItemId === idOf(lineItem) && ad.postId === post)).toBe(true)
  const counted = await rows(
    'select entity_id, sum(impressions)::int as impressions, sum(billed_charge)::int as charge from ads_hour group by 1 order by 1',
  )
  const ids = [promoted, lineItem, campaign, scene.funding, scene.account].map(idOf)
  expect(counted.map((row) => row.entity_id).sort()).toEqual([...ids].sort())
  const charge = all.reduce((sum, ad) => sum + ad.charge, 0)
  for (const row of counted) expect(row).toMatchObject({ impressions: 60, charge })
  const [spent] = await rows(`select spent::int from ads_spend where entity_id = $1 and day = 'infinity'`, [
    idOf(lineItem),
  ])
  expect(spent.spent).toBe(charge)
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
  expect((await scene.look(DAY + 600_000)).shown.flat()).toEqual([])
})

test('only people of the targeting are reached, and nobody who is excluded', async () => {
  const { lineItem } = await scene.promote({ standard_delivery: false, daily_budget_amount_local_micro: 100 * MICROS })
  const add = (targeting_type: string, targeting_value: string, operator_type = 'EQ') =>
    scene.made('targeting_criteria', { line_item_id: lineItem, targeting_type, targeting_value, operator_type })
  await add('LOCATION', GERMANY)
  await add('GENDER', '2')
  await add('AGE', 'AGE_25_TO_49')
  const { looks, shown } = await scene.look(DAY + 3_600_000)
  for (const [at, look] of looks.entries()) {
    const { viewer } = look
    const fits = viewer.locations.includes(GERMANY) && viewer.gender === 2 && viewer.age! >= 25 && viewer.age! <= 49
    expect(shown[at]!.length).toBe(fits ? 1 : 0)
  }
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('followers are reached as soon as they follow, and no longer when they block', async () => {
  const { lineItem } = await scene.promote({ standard_delivery: false, daily_budget_amount_local_micro: 100 * MICROS })
  await scene.made('targeting_criteria', {
    line_item_id: lineItem,
    targeting_type: 'FOLLOWERS_OF_USER',
    targeting_value: scene.server.userId('alice'),
  })
  await rows(
    `insert into follow (source_id, target_id, id, pending) select 7000000000 + n, $1, 8000000000 + n, false from generate_series(1, 5) n`,
    [scene.server.userId('alice')],
  )
  await rows('insert into block (source_id, target_id, id) values (7000000002, $1, 8100000000)', [
    scene.server.userId('alice'),
  ])
  const { looks, shown } = await scene.look(DAY + 2 * 3_600_000)
  const reached = looks
    .filter((_, at) => shown[at]!.length > 0)
    .map((look) => Number(look.viewer.userId) - 7_000_000_000)
  expect(reached).toEqual([1, 3, 4, 5])
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('budgets are never exceeded, to the last micro, at any level', async () => {
  const { lineItem, campaign } = await scene.promote(
    {
      standard_delivery: false,
      objective: 'REACH',
      goal: 'MAX_REACH',
      bid_strategy: 'TARGET',
      bid_amount_local_micro: 8 * MICROS,
      daily_budget_amount_local_micro: 50_000,
    },
    { daily_budget_amount_local_micro: 1_000_000, total_budget_amount_local_micro: 1_000_000 },
  )
  const rival = await scene.promote({
    standard_delivery: false,
    objective: 'REACH',
    goal: 'MAX_REACH',
    bid_strategy: 'TARGET',
    bid_amount_local_micro: 7 * MICROS,
  })
  await scene.look(DAY + 3 * 3_600_000, 5)
  const spent = Number(
    (await rows(`select spent from ads_spend where entity_id = $1 and day = 'infinity'`, [idOf(lineItem)]))[0].spent,
  )
  expect(spent).toBe(50_000)
  const [sums] = await rows('select sum(charge)::int as charge from ads_event where campaign_id = $1', [idOf(campaign)])
  expect(sums.charge).toBe(50_000)
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
  await scene.put(`line_items/${rival.lineItem}`, { entity_status: 'PAUSED' })
})

test('a frequency cap holds over all looks', async () => {
  const { lineItem } = await scene.promote({
    standard_delivery: false,
    objective: 'REACH',
    bid_strategy: 'AUTO',
    frequency_cap: 2,
    duration_in_days: 7,
  })
  const { shown } = await scene.look(DAY + 4 * 3_600_000, 4)
  // One of the sixty has blocked the advertiser.
  expect(shown.flat()).toHaveLength(118)
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('a frequency cap that is set later counts what people saw before', async () => {
  const reach = { standard_delivery: false, objective: 'REACH', bid_strategy: 'AUTO' }
  const { lineItem } = await scene.promote(reach)
  const first = await scene.look(DAY + 4.5 * 3_600_000)
  expect(first.shown.flat().length).toBeGreaterThan(50)
  await scene.put(`line_items/${lineItem}`, { frequency_cap: 1, duration_in_days: 7 })
  expect((await scene.look(DAY + 4.6 * 3_600_000)).shown.flat()).toEqual([])
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('who is put on a Do Not Reach list is not reached from then on, nor is anything of a suspended author shown', async () => {
  const { lineItem } = await scene.promote({ standard_delivery: false, objective: 'REACH', bid_strategy: 'AUTO' })
  const reached = async (at: number) => {
    const { looks, shown } = await scene.look(at, 1, 100)
    return new Set(looks.filter((_, index) => shown[index]!.length > 0).map((look) => look.viewer.userId))
  }
  const from = DAY + 4.7 * 3_600_000
  const [one] = scene.viewers
  expect(await reached(from)).toContain(one!.userId)
  await rows(
    `insert into user_sign_in (user_id, email, email_confirmed) values ($1, 'one@example.com', true) on conflict (user_id) do update set email = excluded.email, email_confirmed = true`,
    [one!.userId],
  )
  const list = await scene.made('do_not_reach_lists', {})
  const users = [{ operation_type: 'Update', params: { users: [{ email: [hash('one@example.com')] }] } }]
  const path = `/ads/12/batch/accounts/${scene.account}/do_not_reach_lists/${list.id}/users`
  expect((await scene.server.request('POST', path, { as: ALICE, json: users })).status).toBe(200)
  await scene.server.command('ads.work')
  const left = await reached(from + 10_000)
  expect(left.size).toBeGreaterThan(50)
  expect(left).not.toContain(one!.userId)
  const alice = scene.server.userId('alice')
  await rows('update user_account set suspended = true where id = $1', [alice])
  expect((await reached(from + 20_000)).size).toBe(0)
  await rows('update user_account set suspended = false where id = $1', [alice])
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
  await scene.delete(`do_not_reach_lists/${list.id}`)
})

test('people see only their own arm of an A/B test, from the moment it begins', async () => {
  const reach = { standard_delivery: false, objective: 'REACH', bid_strategy: 'TARGET' }
  const first = await scene.promote({ ...reach, bid_amount_local_micro: 9 * MICROS })
  const second = await scene.promote({ ...reach, bid_amount_local_micro: 5 * MICROS })
  const begins = DAY + 4.8 * 3_600_000
  const seenBy = async (at: number, rounds: number) => {
    const { looks, shown } = await scene.look(at, rounds, 100)
    const seen = new Map<number, Set<string>>()
    for (const [index, look] of looks.entries())
      for (const ad of shown[index]!)
        seen.set(look.viewer.number, (seen.get(look.viewer.number) ?? new Set()).add(ad.campaignId))
    return seen
  }
  const answer = await scene.json('POST', 'ab_tests', {
    start_time: new Date(begins).toISOString().replace('.000', ''),
    end_time: '2026-11-30T00:00:00Z',
    entity_type: 'CAMPAIGN',
    user_groups: [first, second].map(({ campaign }) => ({ entity_ids: [campaign], size: '50' })),
  })
  expect(answer.status, answer.text).toBe(200)
  const best = idOf(first.campaign)
  for (const campaigns of (await seenBy(begins - 60_000, 1)).values()) expect([...campaigns]).toEqual([best])
  const seen = await seenBy(begins, 3)
  const count = { first: 0, second: 0 }
  for (const campaigns of seen.values()) {
    expect(campaigns.size).toBe(1)
    count[campaigns.has(best) ? 'first' : 'second'] += 1
  }
  expect(count.first).toBeGreaterThan(10)
  expect(count.second).toBeGreaterThan(10)
  for (const { lineItem } of [first, second]) await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('a look that is repeated gets the same and counts once', async () => {
  const { lineItem } = await scene.promote({ standard_delivery: false })
  const { runtime } = scene.server
  const viewer = await viewerOf(runtime, scene.server.userId('bob'))
  const look = {
    id: runtime.ids.next(),
    at: runtime.clock.now(),
    viewer,
    placement: 'PLATFORM_TIMELINE' as const,
    slots: 1,
  }
  const [first] = await serveLooks(runtime, [look], { responds: 'later' })
  const [second] = await serveLooks(runtime, [look], { responds: 'later' })
  expect(first).toHaveLength(1)
  expect(second).toEqual(first)
  const impressions = async () =>
    Number((await rows('select sum(impressions) as n from ads_hour where entity_id = $1', [idOf(lineItem)]))[0].n)
  expect(await impressions()).toBe(1)

  const late = { viewer: viewer.number, impressionId: first![0]!.impressionId, outcomes: OUTCOME.likes }
  expect(await recordOutcome(runtime, late)).toBe(OUTCOME.likes | OUTCOME.engagements)
  expect(await recordOutcome(runtime, late)).toBe(0)
  const [counted] = await rows(
    'select sum(likes)::int as likes, sum(engagements)::int as engagements, sum(billed_engagements)::int as billed, sum(billed_charge)::int as charge from ads_hour where entity_id = $1',
    [idOf(lineItem)],
  )
  expect(counted).toMatchObject({ likes: 1, engagements: 1, billed: 1 })
  expect(counted.charge).toBeGreaterThan(0)
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})

test('sandbox accounts show nothing, except in a dry run of their own', async () => {
  const funding = await scene.server.request('POST', '/ads-sandbox/12/accounts', { as: { user: 'alice' } })
  expect(funding.status).toBe(200)
  expect((await scene.look(DAY + 6 * 3_600_000)).shown.flat()).toEqual([])
})

test('ads that were shown long ago are forgotten, and their counts stay', async () => {
  const { lineItem } = await scene.promote({ standard_delivery: false, daily_budget_amount_local_micro: 100 * MICROS })
  await scene.look(DAY + 40 * 3_600_000)
  const events = async () =>
    (await rows('select count(*)::int as count from ads_event where line_item_id = $1', [idOf(lineItem)]))[0].count
  const counted = async () =>
    (await rows('select sum(impressions)::int as count from ads_hour where entity_id = $1', [idOf(lineItem)]))[0].count
  const before = await counted()
  expect(before).toBeGreaterThan(0)
  const pruner = new ServedPruner()
  const database = scene.server.runtime.database
  await pruner.prune(database, DAY + 390 * 86_400_000)
  expect(await events()).toBe(before)
  for (let times = 0; times < 3; times++) await pruner.prune(database, DAY + 410 * 86_400_000)
  expect(await events()).toBe(0)
  expect(await counted()).toBe(before)
  expect(await rows('select from ads_sighting')).toEqual([])
  await scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })
})
