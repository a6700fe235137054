import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from '../ads/ads-scene.ts'
import { makePost } from '../social/acting.ts'
import { until } from '../support/until.ts'

const BUDGET = 5_000_000
const FROM = '2027-03-02T19:00:00Z'
const UNTIL = '2027-03-02T21:00:00Z'

let scene: AdsScene
let campaign: string
let items: string[]
let post: string
let life: { state: string; reason: string; ads: { impressions: number; engagements: number } }

/** A line item that shows a post to some people. */
async function promote(postId: string, targeting: Record<string, string>): Promise<string> {
  // Paid by the impression, so something is spent whatever people do.
  const how = { objective: 'REACH', bid_strategy: 'AUTO', placements: 'PLATFORM_TIMELINE' }
  const item = await scene.lineItem({ campaign_id: campaign, ...how })
  await scene.made('targeting_criteria', { line_item_id: item, operator_type: 'EQ', ...targeting })
  await scene.made('promoted_posts', { line_item_id: item, post_ids: postId })
  return item
}

beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production', events: true })
  const { server } = scene
  await server.command('clock', { set: '2027-03-02T18:59:30Z' })
  await server.command('ads.account.set', { account: scene.account, add_features: ['REACH_AND_FREQUENCY_ANALYTICS'] })
  campaign = await scene.campaign({ daily_budget_amount_local_micro: BUDGET })
  post = await makePost(server, 'alice', { text: 'Spring is here, and so is our new offer' })
  items = await Promise.all([
    promote(post, { targeting_type: 'GENDER', targeting_value: '1' }),
    promote(post, { targeting_type: 'GENDER', targeting_value: '2' }),
  ])
  const { id } = await server.command('live.start', { personas: 200, seed: 5, for: '2h', speed: 'max' })
  for (;;) {
    life = await server.command('live.show', { id })
    if (life.state === 'ended') break
    if (life.state === 'failed') throw new Error(life.reason)
    await sleep(20)
  }
})
afterAll(() => scene.close())

const sum = (series: number[] | null): number => (series ?? []).reduce((total, value) => total + value, 0)

/** The sums of records, from the interface. */
async function statsOf(entity: string, ids: string[]) {
  const { status, body, text } = await scene.call('GET', `stats/accounts/${scene.account}`, {
    entity,
    entity_ids: ids.join(','),
    start_time: FROM,
    end_time: UNTIL,
    granularity: 'HOUR',
    placement: 'ALL_ON_TWITTER',
    metric_groups: 'ENGAGEMENT,BILLING',
  })
  expect(status, text).toBe(200)
  const all: { id_data: { metrics: Record<string, number[] | null> }[] }[] = body.data
  return all.map(({ id_data: [only] }) => ({
    impressions: sum(only!.metrics.impressions!),
    engagements: sum(only!.metrics.engagements!),
    results: sum(only!.metrics.billed_engagements!),
    spend: sum(only!.metrics.billed_charge_local_micro!),
  }))
}

describe('a campaign that a population sees', () => {
  test('has the impressions and engagements of the population, and costs within its budget', async () => {
    const [all] = await statsOf('CAMPAIGN', [campaign])
    expect(all!.impressions).toBeGreaterThan(0)
    expect({ impressions: all!.impressions, engagements: all!.engagements }).toEqual(life.ads)
    expect(all!.spend).toBeGreaterThan(0)
    expect(all!.spend).toBeLessThanOrEqual(BUDGET)
  })

  test('has the sums of its line items', async () => {
    const [[all], parts] = await Promise.all([statsOf('CAMPAIGN', [campaign]), statsOf('LINE_ITEM', items)])
    for (const part of parts) expect(part.impressions).toBeGreaterThan(0)
    for (const name of ['impressions', 'engagements', 'results', 'spend'] as const)
      expect(parts[0]![name] + parts[1]![name]).toBe(all![name])
  })

  test('reaches at most as many people as it has impressions', async () => {
    const { body } = await scene.call('GET', `stats/accounts/${scene.account}/reach/campaigns`, {
      campaign_ids: campaign,
      start_time: FROM,
      end_time: UNTIL,
    })
    const [{ total_audience_reach: people, average_frequency: frequency }] = body.data
    const [all] = await statsOf('CAMPAIGN', [campaign])
    expect(people).toBeGreaterThan(0)
    expect(people).toBeLessThanOrEqual(Math.min(200, all!.impressions))
    expect(people * frequency).toBeCloseTo(all!.impressions, 6)
  })

  test('is seen in the promoted metrics of its post', async () => {
    const [all] = await statsOf('CAMPAIGN', [campaign])
    const path = `/2/posts/${post}?post.fields=promoted_metrics`
    // Views of posts are stored soon after they happened.
    await until(async () => {
      const { body } = await scene.server.get(path, { user: 'alice' })
      return body.data.promoted_metrics?.impression_count === all!.impressions
    })
  })

  test('has the same sums for operators, by the hour and by the day, with its reach and what is left of its budget', async () => {
    const { server, account } = scene
    const [all] = await statsOf('CAMPAIGN', [campaign])
    const totals = {
      impressions: all!.impressions,
      engagements: all!.engagements,
      billed_engagements: all!.results,
      billed_charge_local_micro: all!.spend,
      engagement_rate: all!.engagements / all!.impressions,
      cost_per_result_local_micro: all!.results === 0 ? null : all!.spend / all!.results,
    }
    const hours = await server.command('ads.statistics', { account, campaign, by: 'hour' })
    expect(hours).toMatchObject({ entity: 'CAMPAIGN', id: campaign, currency: 'USD', totals })
    expect(hours.series).toHaveLength(24)
    expect(hours.to).toBe('2027-03-02T22:00:00.000Z')
    expect(hours.totals.reach).toBeGreaterThan(0)
    expect(hours.budget_left_today_local_micro).toBe(BUDGET - all!.spend)
    const days = await server.command('ads.statistics', { account, campaign })
    expect(days.series).toHaveLength(14)
    // A day of the account begins at eight in UTC.
    expect(days.series.at(-1)).toMatchObject({ at: '2027-03-02T08:00:00.000Z', impressions: all!.impressions })
    const whole = await server.command('ads.statistics', { account })
    expect(whole).toMatchObject({ entity: 'ACCOUNT', totals: { impressions: all!.impressions } })
    const parts = await Promise.all(items.map((item) => server.command('ads.statistics', { account, line_item: item })))
    expect(parts.reduce((total, part) => total + part.totals.impressions, 0)).toBe(all!.impressions)
    expect(parts[0]).toMatchObject({ entity: 'LINE_ITEM', budget_left_today_local_micro: BUDGET - all!.spend })
  })

  test.each([
    ['an unknown campaign', { campaign: 'zz9' }, 404, 'has no campaign [zz9]'],
    ['an unknown line item', { line_item: 'zz9' }, 404, 'has no line item [zz9]'],
    [
      'more days than a plot of hours has room for',
      { by: 'hour', days: 8 },
      400,
      'days must be from 1 to 7 by the hour',
    ],
    ['two records', { campaign: 'a', line_item: 'b' }, 400, 'line_item cannot be used together with campaign'],
  ])('operators are told about %s', async (_name, args, status, words) => {
    const refused = await scene.server.tryCommand('ads.statistics', { account: scene.account, ...args })
    expect(refused.status).toBe(status)
    expect(refused.text).toContain(words)
  })
})
