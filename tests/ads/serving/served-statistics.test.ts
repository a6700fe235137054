import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasOutcome, OUTCOME_NAMES } from '../../../src/ads/serving/outcomes.ts'
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
