import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutcomeName } from '../../src/ads/serving/outcomes.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { convertServed, makePromotion, makeViewer, type Promotion, serve } from './served-ads.ts'

type Values = Record<string, string | undefined>
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
type Json = any

const NOW = '2026-11-10T20:00:00Z'
const UNITED_STATES = targetingValue('country', 'US')

let scene: AdsScene
let promotion: Promotion
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  await scene.server.command('clock', { set: NOW })
  promotion = await makePromotion(scene)
})
afterAll(() => scene.close())

const jobs = () => `stats/jobs/accounts/${scene.account}`
const create = (values: Values = {}) =>
  scene.call('POST', jobs(), {
    entity: 'CAMPAIGN',
    entity_ids: promotion.campaign,
    start_time: '2026-10-01T07:00:00Z',
    end_time: '2026-10-11T07:00:00Z',
    granularity: 'TOTAL',
    placement: 'ALL_ON_TWITTER',
    metric_groups: 'ENGAGEMENT',
    ...values,
  })
const created = async (values: Values = {}): Promise<Json> => {
  const answer = await create(values)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const find = async (job: Json): Promise<Json> => (await scene.call('GET', jobs(), { job_ids: job.id_str })).body.data[0]
const download = (url: string) => fetch(url)
/** The file of a new job. */
async function fileOf(values: Values): Promise<Json> {
  const job = await created(values)
  await scene.server.command('ads.work')
  const done = await find(job)
  expect(done.status).toBe('SUCCESS')
  const answer = await download(done.url)
  expect(answer.status).toBe(200)
  return JSON.parse(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString())
}
/** The values of a metric by the name of the segment. */
const bySegment = (file: Json, metric: string): Record<string, Json> =>
  Object.fromEntries(file.data[0].id_data.map((item: Json) => [item.segment.segment_name, item.metrics[metric]]))
const firstError = ({ status, body }: TestAnswer) => ({ status, ...body.errors[0] })

describe('a statistics job', () => {
  test('is processed, and its file has the statistics at an address that expires after 48 hours', async () => {
    await serve(scene, [
      { promotion, viewer: 1, at: '2026-10-01T07:10:00Z', outcomes: ['impressions', 'likes'], charge: 700 },
      { promotion, viewer: 1, at: '2026-10-03T07:10:00Z', outcomes: ['impressions'] },
    ])
    const job = await created({ granularity: 'DAY', metric_groups: 'ENGAGEMENT,BILLING' })
    expect(job).toEqual({
      id: expect.any(Number),
      id_str: expect.stringMatching(/^\d{15,}$/),
      account_id: scene.account,
      status: 'PROCESSING',
      url: null,
      expires_at: null,
      start_time: '2026-10-01T07:00:00Z',
      end_time: '2026-10-11T07:00:00Z',
      entity: 'CAMPAIGN',
      entity_ids: [promotion.campaign],
      granularity: 'DAY',
      placement: 'ALL_ON_TWITTER',
      metric_groups: ['ENGAGEMENT', 'BILLING'],
      segmentation_type: null,
      country: null,
      platform: null,
      created_at: expect.stringMatching(/^2026-11-10T20:/),
      updated_at: expect.any(String),
    })
    expect(await find(job)).toEqual(job)
    expect((await scene.server.command('ads.work'))['statistics jobs']).toBe(1)
    const done = await find(job)
    expect(done).toMatchObject({ status: 'SUCCESS', expires_at: expect.stringMatching(/^2026-11-12T20:/) })
    const answer = await download(done.url)
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    const file = JSON.parse(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString())
    expect(file).toMatchObject({
      data_type: 'stats',
      time_series_length: 10,
      data: [{ id: promotion.campaign, id_data: [{ segment: null }] }],
      request: { params: { entity: 'CAMPAIGN', segmentation_type: null, start_time: '2026-10-01T07:00:00Z' } },
    })
    expect(file.data[0].id_data[0].metrics).toMatchObject({
      impressions: [1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
      likes: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      replies: null,
      billed_charge_local_micro: [700, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    })
    expect((await download(done.url.replace('.json.gz', 'x.json.gz'))).status).toBe(403)
    await scene.server.command('clock', { advance_ms: 48 * 3_600_000 + 60_000 })
    expect((await download(done.url)).status).toBe(403)
    await scene.server.command('clock', { set: '2026-11-10T21:00:00Z' })
  })

  test('spans up to 90 days, and 45 with segments', async () => {
    const range = { start_time: '2026-06-01T07:00:00Z', end_time: '2026-08-30T07:00:00Z', granularity: 'HOUR' }
    expect((await fileOf(range)).time_series_length).toBe(90 * 24)
    const refused: [Values, string][] = [
      [{ ...range, end_time: '2026-08-30T08:00:00Z' }, 'end_time'],
      [{ ...range, end_time: '2026-07-16T08:00:00Z', segmentation_type: 'AGE' }, 'end_time'],
    ]
    for (const [values, parameter] of refused)
      expect(firstError(await create(values))).toMatchObject({ status: 400, code: 'INVALID_TIME_WINDOW', parameter })
    await created({ ...range, end_time: '2026-07-16T07:00:00Z', segmentation_type: 'AGE' })
  })

  test('refuses what the rules do not allow, with the parameter', async () => {
    const cases: [Values, string, string][] = [
      [{ segmentation_type: 'METROS' }, 'MISSING_PARAMETER', 'country'],
      [{ segmentation_type: 'METROS', country: 'zz' }, 'INVALID_PARAMETER', 'country'],
      [{ segmentation_type: 'AGE', country: UNITED_STATES }, 'INVALID_PARAMETER', 'country'],
      [{ platform: '0' }, 'INVALID_PARAMETER', 'platform'],
      [{ segmentation_type: 'DEVICES' }, 'INVALID_PARAMETER', 'segmentation_type'],
      [{ segmentation_type: 'CONVERSION_TAGS' }, 'INVALID_PARAMETER', 'segmentation_type'],
      [{ segmentation_type: 'AGE', metric_groups: 'WEB_CONVERSION' }, 'INVALID_PARAMETER', 'segmentation_type'],
      [
        { segmentation_type: 'AGE', metric_groups: 'LIFE_TIME_VALUE_MOBILE_CONVERSION' },
        'INVALID_PARAMETER',
        'segmentation_type',
      ],
      [{ start_time: '2026-10-01T07:30:00Z' }, 'INVALID_PARAMETER', 'start_time'],
    ]
    for (const [values, code, parameter] of cases)
      expect(firstError(await create(values)), JSON.stringify(values)).toMatchObject({ status: 400, code, parameter })
    expect(firstError(await create({ entity_ids: 'zzz' }))).toMatchObject({ status: 404, code: 'CAMPAIGN_NOT_FOUND' })
  })

  test('can be cancelled while it is in progress', async () => {
    const job = await created()
    const cancelled = await scene.call('DELETE', `${jobs()}/${job.id_str}`)
    expect(cancelled.body.data).toMatchObject({ id_str: job.id_str, status: 'CANCELLED', url: null })
    await scene.server.command('ads.work')
    expect(await find(job)).toMatchObject({ status: 'CANCELLED', url: null })
    expect(firstError(await scene.call('DELETE', `${jobs()}/${job.id_str}`))).toMatchObject({
      status: 403,
      code: 'ACTION_NOT_ALLOWED',
      details: 'its status is CANCELLED',
    })
    expect(firstError(await scene.call('DELETE', `${jobs()}/77`))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test('is listed with others by pages, newest first, with how many more there may be', async () => {
    const made = [await created(), await created(), await created()].map((job) => job.id_str).reverse()
    const page = await scene.call('GET', jobs(), { count: '2' })
    expect(page.body.data.map((job: Json) => job.id_str)).toEqual(made.slice(0, 2))
    expect(page.headers.get('x-concurrent-job-limit')).toBe('100')
    expect(Number(page.headers.get('x-concurrent-job-limit-remaining'))).toBeLessThanOrEqual(97)
    const next = await scene.call('GET', jobs(), { count: '1', cursor: page.body.next_cursor })
    expect(next.body.data[0].id_str).toBe(made[2])
    await scene.server.command('ads.work')
    const idle = await scene.call('GET', jobs())
    expect(idle.headers.get('x-concurrent-job-limit-remaining')).toBe('100')
    expect(idle.body.next_cursor).toBeNull()
  })

  test('is refused while 100 are in progress', async () => {
    await created()
    // The others are copies: making them one by one takes seconds.
    await scene.server.runtime.database.query({
      text: `insert into ads_stats_job select (jsonb_populate_record(j, jsonb_build_object('id', j.id + n))).* from ads_stats_job j, generate_series(1, 98) n
              where j.status = 'PROCESSING'`,
    })
    expect((await create()).headers.get('x-concurrent-job-limit-remaining')).toBe('0')
    const refused = await create()
    expect(firstError(refused)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
    expect(refused.headers.get('x-concurrent-job-limit-remaining')).toBe('0')
    await scene.server.runtime.database.query({ text: `delete from ads_stats_job where status = 'PROCESSING'` })
    expect((await create()).headers.get('x-concurrent-job-limit-remaining')).toBe('99')
  })

  test('works on version 11, and its file has the words of that version', async () => {
    const query = `entity=PROMOTED_TWEET&entity_ids=${promotion.promoted}&start_time=2026-10-01T07:00:00Z&end_time=2026-10-11T07:00:00Z&granularity=TOTAL&placement=ALL_ON_TWITTER&metric_groups=ENGAGEMENT&segmentation_type=PLATFORMS`
    const path = `/ads/11/stats/jobs/accounts/${scene.account}`
    const job = await scene.server.request('POST', `${path}?${query}`, { as: ALICE })
    expect(job.body.data).toMatchObject({ entity: 'PROMOTED_TWEET', status: 'PROCESSING' })
    const viewer = await makeViewer(scene, { platform: '0' })
    await serve(scene, [{ promotion, viewer, at: '2026-10-02T07:10:00Z', outcomes: ['impressions', 'reposts'] }])
    await scene.server.command('ads.work')
    const listed = await scene.server.request('GET', `${path}?job_ids=${job.body.data.id_str}`, { as: ALICE })
    const bytes = await (await download(listed.body.data[0].url)).arrayBuffer()
    const file = JSON.parse(gunzipSync(Buffer.from(bytes)).toString())
    expect(file.request.params).toMatchObject({ entity: 'PROMOTED_TWEET', segmentation_type: 'PLATFORMS' })
    expect(file.data[0].id_data[0]).toMatchObject({
      segment: { segment_name: 'iOS', segment_value: '0' },
      metrics: { retweets: [1] },
    })
  })
})

describe('segments', () => {
  let shown: Promotion
  const range = { start_time: '2026-09-01T07:00:00Z', end_time: '2026-09-03T07:00:00Z' }
  beforeAll(async () => {
    shown = await makePromotion(scene)
    const viewers: Record<string, string | number>[] = [
      { age: 19, gender: 1, platform: '0', metro: targetingValue('metro', 'US-807') },
      { age: 56, gender: 2, platform: '4', metro: '807' },
      { age: 20, gender: 1, platform: '1', metro: '501' },
      {},
    ]
    const likes: OutcomeName[] = ['impressions', 'likes']
    for (const [at, facts] of viewers.entries()) {
      const viewer = await makeViewer(scene, facts)
      await serve(
        scene,
        Array.from({ length: at + 1 }, (_, nth) => ({
          promotion: shown,
          viewer,
          at: `2026-09-0${(nth % 2) + 1}T12:0${nth}:00Z`,
          outcomes: nth === 0 ? likes : likes.slice(0, 1),
          charge: 10,
        })),
      )
      await convertServed(scene, [
        {
          promotion: shown,
          metric: 'conversion_purchases',
          at: '2026-09-01T13:00:00Z',
          creditedTo: 'view',
          viewer,
          amount: 5,
        },
        {
          promotion: shown,
          metric: 'conversion_add_to_carts',
          at: '2026-09-01T13:00:00Z',
          creditedTo: 'engagement',
          viewer,
          tag: String(at % 2),
        },
      ])
    }
  })
  const segmented = (segmentation_type: string, values: Values = {}) =>
    fileOf({ ...range, entity_ids: shown.campaign, segmentation_type, ...values })

  test('of age, gender and platform add up to the whole with the unknown ones', async () => {
    expect(bySegment(await segmented('AGE'), 'impressions')).toEqual({ '18-20': [4], '55+': [2], Unknown: [4] })
    expect(bySegment(await segmented('GENDER', { granularity: 'DAY' }), 'impressions')).toEqual({
      Male: [3, 1],
      Female: [1, 1],
      Unknown: [2, 2],
    })
    const platforms = await segmented('PLATFORMS', { metric_groups: 'ENGAGEMENT,BILLING,WEB_CONVERSION' })
    expect(bySegment(platforms, 'billed_charge_local_micro')).toEqual({
      Platform_A: [30],
      Platform_B: [10],
      'Desktop and laptop computers': [20],
      Unknown: [40],
    })
    for (const metrics of Object.values(bySegment(platforms, 'conversion_purchases')))
      expect(metrics).toMatchObject({ metric: [1], sale_amount_view: [5], post_engagement: null })
    for (const level of ['PROMOTED_POST', 'LINE_ITEM', 'FUNDING_INSTRUMENT', 'ACCOUNT'] as const) {
      const ids = {
        PROMOTED_POST: shown.promoted,
        LINE_ITEM: shown.lineItem,
        FUNDING_INSTRUMENT: shown.funding,
        ACCOUNT: shown.account,
      }
      const file = await segmented('GENDER', { entity: level, entity_ids: ids[level] })
      expect(bySegment(file, 'likes')).toEqual({ Male: [2], Female: [1], Unknown: [1] })
    }
  })

  test('of metros have the codes of the market areas of the country', async () => {
    const file = await segmented('METROS', { country: UNITED_STATES })
    const found = file.data[0].id_data.map((item: Json) => [item.segment, item.metrics.impressions])
    expect(found).toEqual([
      [{ segment_name: 'New York', segment_value: '501' }, [3]],
      [{ segment_name: 'San Francisco-Oakland-San Jose', segment_value: '807' }, [3]],
      [{ segment_name: 'Unknown', segment_value: 'UNKNOWN' }, [4]],
    ])
    const elsewhere = await segmented('METROS', { country: targetingValue('country', 'PT') })
    expect(bySegment(elsewhere, 'impressions')).toEqual({ Unknown: [10] })
  })

  test('of conversion tags have the newer web conversions, and the names of the tags', async () => {
    await scene.server.runtime.database.query({
      text: `insert into ads_web_event_tag (id, account_id, name, type, click_window, view_through_window, retargeting_enabled, created_at, updated_at)
             select 1, id, 'Shop', 'PURCHASE', 30, 1, false, created_at, created_at from ads_account limit 1`,
    })
    const file = await segmented('CONVERSION_TAGS', { metric_groups: 'WEB_CONVERSION' })
    const segments = file.data[0].id_data
    expect(segments.map((item: Json) => item.segment)).toEqual([
      { segment_name: '0', segment_value: '0' },
      { segment_name: 'Shop', segment_value: '1' },
    ])
    for (const { metrics } of segments) {
      expect(Object.keys(metrics)).toHaveLength(8)
      expect(metrics.conversion_add_to_carts).toMatchObject({ metric: [2], post_view: null, post_engagement: [2] })
    }
  })

  test('of a record without any are an empty list', async () => {
    const empty = await scene.campaign()
    const file = await segmented('AGE', { entity_ids: `${empty},${shown.campaign}` })
    const lengths = Object.fromEntries(file.data.map((item: Json) => [item.id, item.id_data.length]))
    expect(lengths).toEqual({ [empty]: 0, [shown.campaign]: 3 })
  })
})
