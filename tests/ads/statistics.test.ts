import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OutcomeName } from '../../src/ads/serving/outcomes.ts'
import { GROUPS_OF_ENTITY, STATS_ENTITIES } from '../../src/ads/statistics/metrics.data.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, createAdsScene, startAdsScene } from './ads-scene.ts'
import { convertServed, makePromotion, makeViewer, type Promotion, type ServedEvent, serve } from './served-ads.ts'

type Values = Record<string, string | undefined>

let scene: AdsScene
let first: Promotion
let second: Promotion
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  // Los Angeles, where clocks were set back on the first of November: since then eight hours before UTC, before that seven.
  await scene.server.command('clock', { set: '2026-11-10T20:00:00Z' })
  first = await makePromotion(scene)
  second = await makePromotion(scene)
})
afterAll(() => scene.close())

const stats = (values: Values, path = '') =>
  scene.call('GET', `stats/accounts/${scene.account}${path}`, {
    entity: 'LINE_ITEM',
    entity_ids: first.lineItem,
    start_time: '2026-11-02',
    end_time: '2026-11-09',
    granularity: 'TOTAL',
    placement: 'ALL_ON_TWITTER',
    metric_groups: 'ENGAGEMENT',
    ...values,
  })
const read = async (values: Values) => {
  const { status, body, text } = await stats(values)
  expect(status, text).toBe(200)
  return body
}
const metricsOf = async (values: Values) => (await read(values)).data[0].id_data[0].metrics
const firstError = ({ status, body }: TestAnswer) => ({ status, ...body.errors[0] })
const shown = (promotion: Promotion, at: string, more: Partial<ServedEvent> = {}): ServedEvent => ({
  promotion,
  viewer: 1,
  at,
  outcomes: ['impressions'],
  ...more,
})

describe('statistics', () => {
  test('tell what was counted as one value, a value a day, and a value an hour', async () => {
    await serve(scene, [
      shown(first, '2026-11-02T08:10:00Z', {
        outcomes: ['impressions', 'engagements', 'clicks', 'url_clicks', 'billed_engagements'],
        charge: 1_500_000,
      }),
      shown(first, '2026-11-02T08:50:00Z', { placement: 'PLATFORM_SEARCH' }),
      shown(first, '2026-11-03T07:59:00Z'),
      shown(first, '2026-11-03T08:00:00Z', { outcomes: ['impressions', 'video_total_views', 'video_views_25'] }),
      shown(first, '2026-11-09T08:00:00Z'),
    ])
    const total = await read({ metric_groups: 'ENGAGEMENT,BILLING,VIDEO' })
    expect(total).toMatchObject({ data_type: 'stats', time_series_length: 1 })
    expect(total.data).toEqual([{ id: first.lineItem, id_data: [{ segment: null, metrics: expect.any(Object) }] }])
    expect(total.data[0].id_data[0].metrics).toMatchObject({
      impressions: [4],
      engagements: [1],
      clicks: [1],
      url_clicks: [1],
      likes: null,
      posts_send: null,
      billed_engagements: [1],
      billed_charge_local_micro: [1_500_000],
      video_total_views: [1],
      video_views_50: null,
    })
    expect(total.request.params).toEqual({
      start_time: '2026-11-02T08:00:00Z',
      end_time: '2026-11-09T08:00:00Z',
      entity: 'LINE_ITEM',
      entity_ids: [first.lineItem],
      granularity: 'TOTAL',
      placement: 'ALL_ON_TWITTER',
      metric_groups: ['ENGAGEMENT', 'BILLING', 'VIDEO'],
      segmentation_type: null,
      country: null,
      platform: null,
    })
    expect((await metricsOf({ granularity: 'DAY' })).impressions).toEqual([3, 1, 0, 0, 0, 0, 0])
    const hours = (await metricsOf({ granularity: 'HOUR' })).impressions
    expect(hours).toHaveLength(168)
    expect([hours[0], hours[23], hours[24], hours.filter(Boolean).length]).toEqual([2, 1, 1, 3])
  })

  test('are exact for large amounts, and add up placements of an hour', async () => {
    const large = await makePromotion(scene)
    const charge = 5_000_000_000_000
    await serve(scene, [
      shown(large, '2026-10-20T08:10:00Z', { charge }),
      shown(large, '2026-10-20T08:20:00Z', { charge: 1, placement: 'PLATFORM_PROFILE' }),
      shown(large, '2026-10-20T10:20:00Z', { charge: 7 }),
    ])
    const range = { start_time: '2026-10-20T08:00:00Z', end_time: '2026-10-20T11:00:00Z' }
    const asked = { entity_ids: large.lineItem, metric_groups: 'ENGAGEMENT,BILLING', ...range }
    expect(await metricsOf({ ...asked, granularity: 'HOUR' })).toMatchObject({
      impressions: [2, 0, 1],
      billed_charge_local_micro: [charge + 1, 0, 7],
    })
    expect(await metricsOf(asked)).toMatchObject({ impressions: [3], billed_charge_local_micro: [charge + 8] })
  })

  test('are kept apart by placement, and are null where nothing is shown', async () => {
    await serve(scene, [shown(first, '2026-11-04T12:00:00Z', { placement: 'PUBLISHER_NETWORK' })])
    expect((await metricsOf({ placement: 'PUBLISHER_NETWORK' })).impressions).toEqual([1])
    for (const placement of ['SPOTLIGHT', 'TREND']) {
      const metrics = await metricsOf({ placement, metric_groups: 'ENGAGEMENT,BILLING,VIDEO' })
      expect(Object.values(metrics).every((series) => series === null)).toBe(true)
    }
  })

  test('have the metrics that each kind of record has', async () => {
    const ids: Record<string, string> = {
      ACCOUNT: first.account,
      FUNDING_INSTRUMENT: first.funding,
      CAMPAIGN: first.campaign,
      PROMOTED_POST: first.promoted,
    }
    const base = ['engagements', 'follows', 'impressions', 'likes', 'replies', 'reposts']
    for (const [entity, id] of Object.entries(ids)) {
      const metrics = await metricsOf({ entity, entity_ids: id })
      if (entity === 'ACCOUNT' || entity === 'FUNDING_INSTRUMENT') expect(Object.keys(metrics).sort()).toEqual(base)
      else expect(Object.keys(metrics)).toHaveLength(15)
      expect(metrics.impressions[0]).toBeGreaterThanOrEqual(4)
    }
    for (const entity of STATS_ENTITIES)
      for (const group of ['BILLING', 'VIDEO'] as const) {
        if (GROUPS_OF_ENTITY[entity].includes(group)) continue
        const refused = firstError(await stats({ entity, entity_ids: ids[entity], metric_groups: group }))
        expect(refused).toMatchObject({
          status: 400,
          code: 'INVALID_PARAMETER',
          parameter: 'metric_groups',
          value: group,
        })
      }
  })

  test('tell conversions with their views, engagements, quantities and amounts', async () => {
    const purchase = { promotion: first, metric: 'conversion_purchases', at: '2026-11-05T09:30:00Z' } as const
    await convertServed(scene, [
      { ...purchase, creditedTo: 'view', quantity: 2, amount: 10_000_000 },
      { ...purchase, creditedTo: 'engagement', assisted: true, amount: 5_000_000 },
      { ...purchase, metric: 'mobile_conversion_installs', creditedTo: 'engagement' },
      { ...purchase, metric: 'mobile_conversion_key_page_views', creditedTo: 'view' },
      { ...purchase, metric: 'mobile_conversion_purchases', creditedTo: 'view', amount: 2_000_000 },
      {
        ...purchase,
        metric: 'mobile_conversion_lifetime_value_purchases',
        creditedTo: 'view',
        amount: 7_000_000,
      },
    ])
    const web = await metricsOf({ metric_groups: 'ENGAGEMENT,WEB_CONVERSION' })
    expect(web.impressions).toEqual([4])
    expect(web.conversion_purchases).toEqual({
      metric: [2],
      post_view: [1],
      post_engagement: [1],
      assisted: [1],
      order_quantity: [3],
      order_quantity_view: [2],
      order_quantity_engagement: [1],
      sale_amount: [15_000_000],
      sale_amount_view: [10_000_000],
      sale_amount_engagement: [5_000_000],
    })
    expect(web.conversion_sign_ups).toMatchObject({ metric: null, sale_amount: null })
    const mobile = await metricsOf({ metric_groups: 'MOBILE_CONVERSION', granularity: 'DAY' })
    expect(mobile.mobile_conversion_installs).toEqual({
      post_view: null,
      post_engagement: [0, 0, 0, 1, 0, 0, 0],
      assisted: null,
      order_quantity: [0, 0, 0, 1, 0, 0, 0],
      sale_amount: null,
    })
    expect(Object.keys(mobile.mobile_conversion_key_page_views)).toEqual(['post_view', 'post_engagement'])
    const lifetime = await metricsOf({ metric_groups: 'LIFE_TIME_VALUE_MOBILE_CONVERSION' })
    expect(Object.keys(lifetime)).toHaveLength(15)
    expect(lifetime.mobile_conversion_lifetime_value_purchases).toMatchObject({
      post_view: [1],
      sale_amount: [7_000_000],
    })
  })

  test('are told for deleted records too', async () => {
    const gone = await makePromotion(scene)
    await serve(scene, [shown(gone, '2026-11-03T12:00:00Z')])
    expect((await scene.delete(`line_items/${gone.lineItem}`)).status).toBe(200)
    expect((await metricsOf({ entity_ids: gone.lineItem })).impressions).toEqual([1])
  })

  test('refuse records of others and records that do not exist', async () => {
    for (const [entity, code] of [
      ['LINE_ITEM', 'LINE_ITEM_NOT_FOUND'],
      ['PROMOTED_ACCOUNT', 'PROMOTED_ACCOUNT_NOT_FOUND'],
      ['CAMPAIGN', 'CAMPAIGN_NOT_FOUND'],
    ])
      expect(firstError(await stats({ entity, entity_ids: `${first.promoted},zzz` }))).toMatchObject({
        status: 404,
        code,
        parameter: 'entity_ids',
      })
    const other = (await scene.server.command('ads.account.create', { owner: 'alice' })).id
    const foreign = await scene.call('GET', `stats/accounts/${other}`, {
      entity: 'CAMPAIGN',
      entity_ids: first.campaign,
      start_time: '2026-11-02',
      end_time: '2026-11-03',
      granularity: 'TOTAL',
      placement: 'TREND',
      metric_groups: 'VIDEO',
    })
    expect(foreign.body.errors[0]).toMatchObject({ code: 'CAMPAIGN_NOT_FOUND', value: first.campaign })
    expect(firstError(await stats({ entity: 'ACCOUNT', entity_ids: other })).code).toBe('ACCOUNT_NOT_FOUND')
  })

  test('refuse what the rules do not allow, with the parameter', async () => {
    const ids = Array.from({ length: 21 }, (_, at) => `a${at}`).join(',')
    const cases: [Values, string, string][] = [
      [{ entity_ids: ids }, 'INVALID_PARAMETER', 'entity_ids'],
      [{ entity_ids: '' }, 'MISSING_PARAMETER', 'entity_ids'],
      [{ placement: 'ALL_ON_TWITTER,TREND' }, 'INVALID_PARAMETER', 'placement'],
      [{ granularity: 'WEEK' }, 'INVALID_PARAMETER', 'granularity'],
      [{ entity: 'MEDIA_CREATIVE' }, 'INVALID_PARAMETER', 'entity'],
      [{ metric_groups: 'MEDIA' }, 'INVALID_PARAMETER', 'metric_groups'],
      [{ metric_groups: 'MOBILE_CONVERSION,BILLING' }, 'EXCLUSIVE_PARAMETERS', 'metric_groups'],
      [{ start_time: '2026-11-02T08:30:00Z' }, 'INVALID_PARAMETER', 'start_time'],
      [{ end_time: '2026-11-02T08:00:01Z' }, 'INVALID_PARAMETER', 'end_time'],
      [{ end_time: '2026-11-02' }, 'INVALID_TIME_WINDOW', 'end_time'],
      [{ end_time: '2026-11-10' }, 'INVALID_TIME_WINDOW', 'end_time'],
      [{ granularity: 'HOUR', end_time: '2026-11-09T09:00:00Z' }, 'INVALID_TIME_WINDOW', 'end_time'],
      [{ granularity: 'DAY', start_time: '2026-11-02T09:00:00Z' }, 'INVALID_PARAMETER', 'start_time'],
      [{ granularity: 'DAY', end_time: '2026-11-08T07:00:00Z' }, 'INVALID_PARAMETER', 'end_time'],
      [{ start_time: undefined }, 'MISSING_PARAMETER', 'start_time'],
    ]
    for (const [values, code, parameter] of cases)
      expect(firstError(await stats(values)), JSON.stringify(values)).toMatchObject({ status: 400, code, parameter })
  })

  test('of mobile conversions need the feature', async () => {
    const { account } = scene
    const MOBILE = 'MOBILE_CONVERSION_TRANSACTION_VALUE'
    await scene.server.command('ads.account.set', { account, remove_features: [MOBILE] })
    expect(firstError(await stats({ metric_groups: 'MOBILE_CONVERSION' }))).toMatchObject({
      status: 400,
      code: 'FEATURE_NOT_AVAILABLE',
      parameter: 'metric_groups',
    })
    await scene.server.command('ads.account.set', { account, add_features: [MOBILE] })
  })

  test('work on version 11, with the words of that version', async () => {
    const query = `entity=PROMOTED_TWEET&entity_ids=${first.promoted}&start_time=2026-11-02T00:00:00-0800&end_time=2026-11-09T00:00:00-0800&granularity=DAY&placement=ALL_ON_TWITTER&metric_groups=ENGAGEMENT`
    const answer = await scene.server.request('GET', `/ads/11/stats/accounts/${scene.account}?${query}`, { as: ALICE })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.request.params).toMatchObject({ entity: 'PROMOTED_TWEET', start_time: '2026-11-02T08:00:00Z' })
    expect(answer.body.data[0].id_data[0].metrics).toMatchObject({ impressions: [3, 1, 0, 0, 0, 0, 0], retweets: null })
  })
})

describe('days of a zone whose clocks change', () => {
  test('have 25 hours when both ends are midnight there', async () => {
    await serve(scene, [
      shown(second, '2026-10-31T07:00:00Z'),
      // The last hour of the first of November, which had 25 of them.
      shown(second, '2026-11-02T07:30:00Z', { outcomes: ['impressions', 'likes'] }),
      shown(second, '2026-11-02T08:00:00Z'),
    ])
    const local = {
      entity_ids: second.lineItem,
      start_time: '2026-10-31T00:00:00-07:00',
      end_time: '2026-11-07T00:00:00-08:00',
    }
    const days = await read({ ...local, granularity: 'DAY' })
    expect(days.time_series_length).toBe(7)
    expect(days.data[0].id_data[0].metrics).toMatchObject({
      impressions: [1, 1, 1, 0, 0, 0, 0],
      likes: [0, 1, 0, 0, 0, 0, 0],
    })
    expect((await read({ ...local, granularity: 'HOUR' })).time_series_length).toBe(169)
  })

  test('are told by the offset of today for dates', async () => {
    const days = await read({
      entity_ids: second.lineItem,
      start_time: '2026-10-31',
      end_time: '2026-11-03',
      granularity: 'DAY',
    })
    expect(days.request.params).toMatchObject({ start_time: '2026-10-31T08:00:00Z', end_time: '2026-11-03T08:00:00Z' })
    expect(days.data[0].id_data[0].metrics.impressions).toEqual([0, 1, 1])
  })
})

describe('sums', () => {
  /** Numbers that look random and are the same in every run. */
  function* random(seed: number): Generator<number, never> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      yield state / 2 ** 32
    }
  }
  const NAMES: OutcomeName[] = ['impressions', 'engagements', 'likes', 'replies', 'reposts', 'follows']

  test('hours add up to days and to the total, and records to what they belong to', async () => {
    const own = await createAdsScene(scene.server, 'production')
    const { account: other, funding } = own
    const campaigns = [await own.campaign(), await own.campaign()]
    const lineItems = [
      { campaign: campaigns[0]!, lineItem: await own.lineItem({ campaign_id: campaigns[0] }) },
      { campaign: campaigns[0]!, lineItem: await own.lineItem({ campaign_id: campaigns[0] }) },
      { campaign: campaigns[1]!, lineItem: await own.lineItem({ campaign_id: campaigns[1] }) },
    ]
    const promotions = await Promise.all([...lineItems, lineItems[0]!].map((above) => makePromotion(own, above)))
    const next = random(14)
    const draw = (below: number) => Math.floor(next.next().value * below)
    const start = Date.parse('2026-11-02T08:00:00Z')
    await serve(
      own,
      Array.from({ length: 600 }, (_, at) => ({
        promotion: promotions[draw(promotions.length)]!,
        viewer: 1_000 + at,
        at: start + draw(7 * 24 * 3_600_000),
        outcomes: NAMES.filter((_name, index) => index === 0 || draw(3) === 0),
        charge: draw(5_000),
        placement: (['PLATFORM_TIMELINE', 'PLATFORM_SEARCH', 'PLATFORM_REPLIES'] as const)[draw(3)]!,
      })),
    )
    type Series = Record<string, number[] | null>
    const read = async (entity: string, ids: readonly string[], granularity: string): Promise<Series[]> => {
      const answer = await scene.call('GET', `stats/accounts/${other}`, {
        entity,
        entity_ids: ids.join(','),
        granularity,
        start_time: '2026-11-02',
        end_time: '2026-11-09',
        placement: 'ALL_ON_TWITTER',
        metric_groups: entity === 'ACCOUNT' ? 'ENGAGEMENT' : 'ENGAGEMENT,BILLING',
      })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.map((item: { id_data: { metrics: Series }[] }) => item.id_data[0]!.metrics)
    }
    const names = [...NAMES, 'billed_charge_local_micro']
    const sum = (series: (number[] | null)[]) =>
      series.reduce<number[]>(
        (all, one) => (one ?? []).map((value, at) => value + (all[at] ?? 0)).concat(all.slice(one?.length ?? 0)),
        [],
      )
    const levels: [string, string[]][] = [
      ['PROMOTED_POST', promotions.map((item) => item.promoted)],
      ['LINE_ITEM', lineItems.map((item) => item.lineItem)],
      ['CAMPAIGN', campaigns],
      ['FUNDING_INSTRUMENT', [funding]],
      ['ACCOUNT', [other]],
    ]
    for (const granularity of ['HOUR', 'DAY', 'TOTAL']) {
      const sums = await Promise.all(
        levels.map(async ([entity, ids]) => {
          const all = await read(entity, ids, granularity)
          return Object.fromEntries(names.map((name) => [name, sum(all.map((metrics) => metrics[name] ?? null))]))
        }),
      )
      for (const name of NAMES) for (const level of sums) expect(level[name]).toEqual(sums[0]![name])
      for (const level of sums.slice(0, 4))
        expect(level.billed_charge_local_micro).toEqual(sums[0]!.billed_charge_local_micro)
      expect(sums[0]!.impressions!.reduce((left, right) => left + right)).toBe(600)
    }
    const [hours, days] = await Promise.all([read('CAMPAIGN', campaigns, 'HOUR'), read('CAMPAIGN', campaigns, 'DAY')])
    for (const [at, metrics] of hours.entries())
      for (const name of names) {
        const byDay = Array.from({ length: 7 }, (_, day) =>
          (metrics[name] ?? []).slice(day * 24, day * 24 + 24).reduce((left, right) => left + right, 0),
        )
        expect(days[at]![name]).toEqual(byDay)
      }
  })
})

describe('active entities', () => {
  const active = async (values: Values) => {
    const answer = await scene.call('GET', `stats/accounts/${scene.account}/active_entities`, {
      entity: 'LINE_ITEM',
      start_time: '2026-09-01',
      end_time: '2026-09-02',
      ...values,
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data_type).toBe('active_entities')
    return answer.body.data
  }

  test('are the records whose counts changed in the hours asked for', async () => {
    await serve(scene, [
      shown(first, '2026-09-01T10:05:00Z'),
      shown(first, '2026-09-01T12:40:10Z'),
      shown(second, '2026-09-01T12:59:59Z', { placement: 'PUBLISHER_NETWORK' }),
    ])
    const inFirst = {
      entity_id: first.lineItem,
      activity_start_time: '2026-09-01T10:05:00Z',
      activity_end_time: '2026-09-01T12:40:10Z',
      placements: ['ALL_ON_TWITTER'],
    }
    const inSecond = {
      entity_id: second.lineItem,
      activity_start_time: '2026-09-01T12:59:59Z',
      activity_end_time: '2026-09-01T12:59:59Z',
      placements: ['PUBLISHER_NETWORK'],
    }
    expect(await active({})).toEqual([inFirst, inSecond])
    // A window within an hour selects that hour.
    const quarter = { start_time: '2026-09-01T12:15:00Z', end_time: '2026-09-01T12:30:00Z' }
    expect(await active(quarter)).toEqual([{ ...inFirst, activity_start_time: '2026-09-01T12:40:10Z' }, inSecond])
    expect(await active({ start_time: '2026-09-01T11:00:00Z', end_time: '2026-09-01T12:00:00Z' })).toEqual([])
    const kinds = { CAMPAIGN: 'campaign', FUNDING_INSTRUMENT: 'funding', PROMOTED_POST: 'promoted' } as const
    for (const [entity, level] of Object.entries(kinds)) {
      const found = (await active({ entity })).map((item: { entity_id: string }) => item.entity_id)
      expect(found).toEqual([...new Set([first[level], second[level]])])
    }
    expect(await active({ entity: 'PROMOTED_ACCOUNT' })).toEqual([])
  })

  test('can be those of campaigns, of funding instruments or of line items', async () => {
    const idsOf = async (values: Values) => (await active(values)).map((item: { entity_id: string }) => item.entity_id)
    expect(await idsOf({ campaign_ids: second.campaign })).toEqual([second.lineItem])
    expect(await idsOf({ funding_instrument_ids: first.funding })).toEqual([first.lineItem, second.lineItem])
    expect(await idsOf({ entity: 'CAMPAIGN', line_item_ids: first.lineItem })).toEqual([first.campaign])
    expect(await idsOf({ entity: 'PROMOTED_POST', line_item_ids: 'zzz' })).toEqual([])
  })

  test('have a change that was told later in the hour of the telling', async () => {
    await convertServed(scene, [
      {
        promotion: first,
        metric: 'conversion_purchases',
        at: '2026-08-30T10:00:00Z',
        creditedTo: 'view',
        toldAt: '2026-09-05T10:20:00Z',
      },
    ])
    const told = { start_time: '2026-09-05T10:00:00Z', end_time: '2026-09-05T11:00:00Z' }
    expect(await active(told)).toEqual([
      {
        entity_id: first.lineItem,
        activity_start_time: '2026-08-30T10:00:00Z',
        activity_end_time: '2026-08-30T10:00:00Z',
        placements: ['ALL_ON_TWITTER'],
      },
    ])
  })

  test('refuse filters together, accounts and long windows', async () => {
    const ask = async (values: Values) =>
      firstError(
        await scene.call('GET', `stats/accounts/${scene.account}/active_entities`, {
          entity: 'LINE_ITEM',
          start_time: '2026-09-01',
          end_time: '2026-09-02',
          ...values,
        }),
      )
    expect(await ask({ campaign_ids: first.campaign, line_item_ids: first.lineItem })).toMatchObject({
      code: 'EXCLUSIVE_PARAMETERS',
      parameter: 'line_item_ids',
    })
    expect(await ask({ entity: 'ACCOUNT' })).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'entity' })
    expect(await ask({ end_time: '2026-12-05' })).toMatchObject({ code: 'INVALID_TIME_WINDOW', parameter: 'end_time' })
    expect(await ask({ end_time: '2026-08-31' })).toMatchObject({ code: 'INVALID_TIME_WINDOW', parameter: 'end_time' })
  })
})

describe('reach', () => {
  const reach = (path: string, values: Values) =>
    scene.call('GET', `stats/accounts/${scene.account}/reach/${path}`, {
      start_time: '2026-08-01',
      end_time: '2026-08-03',
      ...values,
    })

  test('counts people once, in campaigns and over the campaigns of a funding instrument', async () => {
    const [ann, ben, cleo] = [await makeViewer(scene), await makeViewer(scene), await makeViewer(scene)]
    const like: OutcomeName[] = ['likes', 'engagements']
    await serve(scene, [
      ...['01T00:00', '01T10:00', '02T23:59'].map((at) => shown(first, `2026-08-${at}:00Z`, { viewer: ann })),
      shown(first, '2026-08-01T11:00:00Z', { viewer: ben }),
      // What follows later is not a sight.
      shown(first, '2026-08-01T12:00:00Z', { viewer: cleo, outcomes: like }),
      shown(second, '2026-08-01T11:00:00Z', { viewer: ben }),
      shown(second, '2026-08-01T11:00:00Z', { viewer: cleo }),
      shown(first, '2026-08-03T00:00:00Z', { viewer: cleo }),
    ])
    const campaigns = await reach('campaigns', { campaign_ids: `${second.campaign},${first.campaign}` })
    expect(campaigns.body).toMatchObject({
      data_type: 'reach',
      data: [
        { id: second.campaign, total_audience_reach: 2, average_frequency: 1 },
        { id: first.campaign, total_audience_reach: 2, average_frequency: 2 },
      ],
      request: { params: { start_time: '2026-08-01T00:00:00Z', account_id: scene.account } },
    })
    const funding = await reach('funding_instruments', { funding_instrument_ids: first.funding })
    expect(funding.body.data).toEqual([{ id: first.funding, total_audience_reach: 3, average_frequency: 2 }])
    const none = await reach('campaigns', {
      campaign_ids: first.campaign,
      start_time: '2026-07-01',
      end_time: '2026-07-02',
    })
    expect(none.body.data).toEqual([{ id: first.campaign, total_audience_reach: 0, average_frequency: 0 }])
  })

  test('refuses unknown records, parts of hours and accounts without the feature', async () => {
    const { account } = scene
    const ids = { campaign_ids: first.campaign }
    expect(firstError(await reach('campaigns', { campaign_ids: 'zzz' }))).toMatchObject({
      status: 404,
      code: 'CAMPAIGN_NOT_FOUND',
      parameter: 'campaign_ids',
      value: 'zzz',
    })
    expect(firstError(await reach('funding_instruments', { funding_instrument_ids: 'zzz' })).code).toBe(
      'FUNDING_INSTRUMENT_NOT_FOUND',
    )
    expect(firstError(await reach('campaigns', { ...ids, end_time: '2026-08-02T10:15:00Z' }))).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'end_time',
    })
    expect(firstError(await reach('campaigns', { ...ids, end_time: '2026-07-31' })).code).toBe('INVALID_TIME_WINDOW')
    await scene.server.command('ads.account.set', { account, remove_features: ['REACH_AND_FREQUENCY_ANALYTICS'] })
    expect(firstError(await reach('campaigns', ids)).code).toBe('FEATURE_NOT_AVAILABLE')
    await scene.server.command('ads.account.set', { account, add_features: ['REACH_AND_FREQUENCY_ANALYTICS'] })
  })
})
