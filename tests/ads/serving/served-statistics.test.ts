import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { hasOutcome, OUTCOME_NAMES } from '../../../src/ads/serving/outcomes.ts'
import { makePost } from '../../social/acting.ts'
import { type ServingScene, startServingScene } from './serving-scene.ts'

const FROM = Date.parse('2026-11-20T12:50:00Z')

let scene: ServingScene
beforeAll(async () => {
  scene = await startServingScene(40)
})
afterAll(() => scene.close())

// biome-ignore lint/suspicious/noExplicitAny: answers whose members the test asserts.
type Json = any

test('statistics, segments, activity and reach tell what the ad server showed and what it charged', async () => {
  const { lineItem, campaign } = await scene.promote({
    daily_budget_amount_local_micro: 100_000_000,
    standard_delivery: false,
  })
  // Two looks of everybody, in two hours.
  const { looks, shown } = await scene.look(FROM, 2, 20_000)
  const ads = shown.flat()
  expect(ads.length).toBeGreaterThan(40)
  const range = { start_time: '2026-11-20T12:00:00Z', end_time: '2026-11-20T14:00:00Z' }
  const question = {
    ...range,
    entity: 'LINE_ITEM',
    entity_ids: lineItem,
    granularity: 'TOTAL',
    placement: 'ALL_ON_TWITTER',
    metric_groups: 'ENGAGEMENT,BILLING,VIDEO',
  }
  const below = `accounts/${scene.account}`
  const read = async (path: string, values: Record<string, string>): Promise<Json> => {
    const answer = await scene.call('GET', path, values)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }
  const metrics = (await read(`stats/${below}`, question))[0].id_data[0].metrics
  for (const name of OUTCOME_NAMES) {
    const count = ads.filter((ad) => hasOutcome(ad.outcomes, name)).length
    expect(metrics[name], name).toEqual(count === 0 ? null : [count])
  }
  const charge = ads.reduce((sum, ad) => sum + ad.charge, 0)
  expect(metrics.billed_charge_local_micro).toEqual(charge === 0 ? null : [charge])
  const people = new Set(looks.filter((_look, at) => shown[at]!.length > 0).map((look) => look.viewer.number)).size
  expect(await read(`stats/${below}/reach/campaigns`, { ...range, campaign_ids: campaign })).toEqual([
    { id: campaign, total_audience_reach: people, average_frequency: ads.length / people },
  ])
  const active = await read(`stats/${below}/active_entities`, { ...range, entity: 'LINE_ITEM' })
  expect(active.map((item: Json) => item.entity_id)).toEqual([lineItem])
  await scene.call('POST', `stats/jobs/${below}`, { ...question, segmentation_type: 'GENDER' })
  await scene.server.command('ads.work')
  const [job] = await read(`stats/jobs/${below}`, {})
  const file = JSON.parse(gunzipSync(Buffer.from(await (await fetch(job.url)).arrayBuffer())).toString())
  const bySegment = file.data[0].id_data.map((item: Json) => [item.segment.segment_value, item.metrics.impressions[0]])
  const genderOf = (value: number) =>
    looks.reduce((sum, look, at) => sum + (look.viewer.gender === value ? shown[at]!.length : 0), 0)
  expect(bySegment).toEqual([
    ['1', genderOf(1)],
    ['2', genderOf(2)],
  ])
})

test('hours and days are those of an account in a zone of half hours', async () => {
  const { id: account } = await scene.server.command('ads.account.create', { owner: 'alice', timezone: 'Asia/Kolkata' })
  const { id: funding } = await scene.server.command('ads.funding.create', {
    account,
    amount_local_micro: 1_000_000_000,
  })
  const make = async (path: string, values: Record<string, string | number | boolean>): Promise<Json> => {
    const answer = await scene.call('POST', `accounts/${account}/${path}`, values)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }
  const campaign = await make('campaigns', {
    funding_instrument_id: funding,
    name: 'Evening',
    daily_budget_amount_local_micro: 100_000_000,
  })
  const { id: lineItem } = await make('line_items', {
    campaign_id: campaign.id,
    objective: 'REACH',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_TWITTER',
    bid_strategy: 'AUTO',
    standard_delivery: false,
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2030-01-01T00:00:00Z',
  })
  const post = await makePost(scene.server, 'alice', { text: 'An offer for everybody who is awake at midnight' })
  await make('promoted_posts', { line_item_id: lineItem, post_ids: post })
  // Twenty minutes before midnight there, ten minutes after it, and forty.
  const counts: number[] = []
  for (const at of ['2026-11-20T18:10:00Z', '2026-11-20T18:40:00Z', '2026-11-20T19:10:00Z']) {
    const ads = (await scene.look(Date.parse(at), 1, 1_000)).shown.flat()
    counts.push(ads.filter((ad) => ad.lineItemId === parseBase36(lineItem)).length)
  }
  const [before, soon, later] = counts as [number, number, number]
  expect(Math.min(...counts)).toBeGreaterThan(0)
  const read = async (path: string, values: Record<string, string>): Promise<Json> => {
    const answer = await scene.call('GET', `stats/accounts/${account}${path}`, values)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data
  }
  const impressions = async (granularity: string, start_time: string, end_time: string) => {
    const of = { entity: 'LINE_ITEM', entity_ids: lineItem, placement: 'ALL_ON_TWITTER', metric_groups: 'ENGAGEMENT' }
    return (await read('', { ...of, granularity, start_time, end_time }))[0].id_data[0].metrics.impressions
  }
  expect(await impressions('DAY', '2026-11-20', '2026-11-22')).toEqual([before, soon + later])
  expect(await impressions('HOUR', '2026-11-20T17:30:00Z', '2026-11-20T19:30:00Z')).toEqual([before, soon + later])
  const active = (start_time: string, end_time: string) =>
    read('/active_entities', { entity: 'LINE_ITEM', start_time, end_time })
  expect(await active('2026-11-20T18:00:00Z', '2026-11-20T18:30:00Z')).toHaveLength(1)
  expect(await active('2026-11-20T19:30:00Z', '2026-11-20T21:30:00Z')).toEqual([])
})
