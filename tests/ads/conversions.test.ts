import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { clickId } from '../../src/ads/measurement/click-id.ts'
import { expectConversions } from '../../src/ads/measurement/expected-conversions.ts'
import { OUTCOME } from '../../src/ads/serving/outcomes.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { cardMedia } from './library-media.ts'
import { countsOf, makeAd, makeViewer, type ShownAd, showAd } from './shown-ads.ts'

let scene: AdsScene
let ad: ShownAd
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  ad = await makeAd(scene)
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const ago = (minutes: number) => new Date(scene.server.runtime.clock.now() - minutes * 60_000).toISOString()
const levels = (shown: ShownAd) => [shown.promoted, shown.lineItem, shown.campaign]

interface Tag {
  id: string
  website_tag_id: string
}
const makeTag = (values: Record<string, string | number> = {}): Promise<Tag> =>
  scene.made('web_event_tags', {
    name: 'Thanks',
    type: 'PURCHASE',
    click_window: 7,
    view_through_window: 1,
    retargeting_enabled: false,
    ...values,
  })
const send = (tag: Tag, conversions: unknown, as = ALICE) =>
  scene.server.request('POST', `/ads/12/measurement/conversions/${tag.website_tag_id}`, { as, json: { conversions } })
const linkOf = (viewer: number, impressionId: string) => clickId(scene.server.runtime, { viewer, impressionId })
const sale = (tag: Tag, identifiers: Record<string, string>, values = {}) => ({
  conversion_time: ago(0),
  event_id: tag.id,
  identifiers: [identifiers],
  ...values,
})

describe('a conversion on a website', () => {
  test('is credited to the click that its click id names, and counted at every level', async () => {
    const shown = await makeAd(scene)
    const tag = await makeTag()
    const viewer = await makeViewer(scene)
    const impression = await showAd(scene, shown, viewer, { minutesAgo: 60, did: ['url_clicks', 'clicks'] })
    const answer = await send(tag, [
      sale(tag, { twclid: linkOf(viewer, impression) }, { value: '12.50', price_currency: 'USD', number_items: 3 }),
    ])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toEqual({ conversions_processed: 1, debug_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(answer.body.request.params).toMatchObject({ account_id: scene.account, pixel_id: tag.website_tag_id })
    const counts = { view: 0, engagement: 1, assisted: 0, items: 3, amount: 12_500_000 }
    expect(await countsOf(scene, levels(shown), 'conversion_purchases')).toEqual([counts, counts, counts])
    const [funding] = await countsOf(scene, [scene.funding], 'conversion_purchases')
    expect(funding!.engagement).toBeGreaterThanOrEqual(1)
    expect((await scene.get(`web_event_tags/${tag.id}`)).body.data).toMatchObject({
      status: 'TRACKING',
      last_tracked_at: expect.stringMatching(/Z$/),
    })
  })

  test('is credited to a view where there was no engagement, by the address of a user', async () => {
    const shown = await makeAd(scene)
    const tag = await makeTag({ type: 'SIGN_UP' })
    const viewer = await makeViewer(scene, { user: 'bob' })
    await scene.server.runtime.database.query({
      text: `update user_sign_in set email = 'Bob@Example.com', email_confirmed = true where user_id = $1`,
      values: [scene.server.userId('bob')],
    })
    await showAd(scene, shown, viewer, { minutesAgo: 23 * 60 })
    expect((await send(tag, [sale(tag, { hashed_email: sha256('bob@example.com').toUpperCase() })])).status).toBe(200)
    expect(await countsOf(scene, levels(shown), 'conversion_sign_ups')).toEqual(
      Array(3).fill({ view: 1, engagement: 0, assisted: 0, items: 1, amount: 0 }),
    )
  })

  test('is credited to the latest engagement within its window, and assisted by another view', async () => {
    const [early, late, other, old] = [
      await makeAd(scene),
      await makeAd(scene),
      await makeAd(scene),
      await makeAd(scene),
    ]
    const tag = await makeTag({ type: 'DOWNLOAD' })
    const viewer = await makeViewer(scene)
    await showAd(scene, old, viewer, { minutesAgo: 8 * 24 * 60, did: ['likes'] })
    const first = await showAd(scene, early, viewer, { minutesAgo: 300, did: ['likes'] })
    await showAd(scene, late, viewer, { minutesAgo: 200, did: ['url_clicks'] })
    await showAd(scene, other, viewer, { minutesAgo: 100 })
    await send(tag, [sale(tag, { twclid: linkOf(viewer, first) })])
    const metric = 'conversion_downloads'
    expect(await countsOf(scene, [late.lineItem], metric)).toMatchObject([{ engagement: 1, view: 0, assisted: 1 }])
    expect(await countsOf(scene, [old.lineItem, early.lineItem, other.lineItem], metric)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('is stored without an ad when all of them are too old, later than it, or of another account', async () => {
    const shown = await makeAd(scene)
    const tag = await makeTag({ type: 'SEARCH', view_through_window: 0 })
    const viewer = await makeViewer(scene)
    const seen = await showAd(scene, shown, viewer, { minutesAgo: 8 * 24 * 60, did: ['url_clicks'] })
    await showAd(scene, shown, viewer, { minutesAgo: 10 })
    await showAd(scene, shown, viewer, { minutesAgo: 5, did: ['url_clicks'] })
    const early = sale(tag, { twclid: linkOf(viewer, seen) }, { conversion_time: ago(7) })
    expect((await send(tag, [early])).body.data.conversions_processed).toBe(1)
    expect(await countsOf(scene, levels(shown), 'conversion_searches')).toEqual([undefined, undefined, undefined])
  })

  test('counts once when it is told twice within 48 hours, and again later', async () => {
    const shown = await makeAd(scene)
    const tag = await makeTag({ type: 'SUBSCRIBE' })
    const viewer = await makeViewer(scene)
    const link = linkOf(viewer, await showAd(scene, shown, viewer, { minutesAgo: 5, did: ['url_clicks'] }))
    const order = sale(tag, { twclid: link }, { conversion_id: 'order 1' })
    await send(tag, [order, order])
    await send(tag, [{ ...order, event_id: `tw-${tag.website_tag_id}-${tag.id}` }])
    const counted = async () => (await countsOf(scene, [shown.campaign], 'conversion_subscriptions'))[0]!.engagement
    expect(await counted()).toBe(1)
    await scene.server.command('clock', { advance: '49h' })
    await send(tag, [{ ...order, conversion_time: ago(0) }])
    expect(await counted()).toBe(2)
    await scene.server.command('clock', { reset: true })
  })

  test('can be told with the same time as thousands of others', async () => {
    const tag = await makeTag()
    const midnight = sale(tag, { hashed_email: sha256('nobody') }, { conversion_time: '2024-01-01T00:00:00.000Z' })
    for (let batch = 0; batch < 18; batch++)
      expect(
        (
          await send(
            tag,
            Array.from({ length: 500 }, () => midnight),
          )
        ).status,
      ).toBe(200)
  })

  test('that has no count of its own is custom; in another currency it counts without its price', async () => {
    const tag = await makeTag({ type: 'START_TRIAL' })
    const viewer = await makeViewer(scene)
    const link = linkOf(viewer, await showAd(scene, ad, viewer, { minutesAgo: 5, did: ['url_clicks'] }))
    await send(tag, [sale(tag, { twclid: link }, { value: 5, price_currency: 'JPY' })])
    expect(await countsOf(scene, [ad.promoted], 'conversion_custom')).toMatchObject([{ engagement: 1, amount: 0 }])
  })

  test('is refused as a whole, with everything that is wrong, and nothing is counted', async () => {
    const tag = await makeTag({ type: 'CONTENT_VIEW' })
    const viewer = await makeViewer(scene)
    const link = linkOf(viewer, await showAd(scene, ad, viewer, { minutesAgo: 5, did: ['url_clicks'] }))
    const hash = sha256('x')
    const cases: [object, string, string][] = [
      [{ conversion_time: '2026-11-01T00:00:00' }, 'conversion_time', 'INVALID_PARAMETER'],
      [{ conversion_time: undefined }, 'conversion_time', 'MISSING_PARAMETER'],
      [{ conversion_time: '2126-11-01T00:00:00Z' }, 'conversion_time', 'INVALID_PARAMETER'],
      [{ event_id: tag.website_tag_id }, 'event_id', 'INVALID_PARAMETER'],
      [{ event_id: 'zzz' }, 'event_id', 'NOT_FOUND'],
      [{ event_id: `tw-zz-${tag.id}` }, 'event_id', 'NOT_FOUND'],
      [{ identifiers: [] }, 'identifiers', 'INVALID_PARAMETER'],
      [{ identifiers: [{ twclid: '' }] }, 'identifiers', 'INVALID_PARAMETER'],
      [{ identifiers: [{ ip_address: '10.0.0.1' }] }, 'identifiers', 'INVALID_PARAMETER'],
      [{ identifiers: [{ user_agent: 'Browser' }] }, 'identifiers', 'INVALID_PARAMETER'],
      [{ identifiers: [{ hashed_email: 'bob@example.com' }] }, 'identifiers[0].hashed_email', 'INVALID_PARAMETER'],
      [{ number_items: 0 }, 'number_items', 'INVALID_PARAMETER'],
      [{ price_currency: 'dollar' }, 'price_currency', 'INVALID_PARAMETER'],
      [{ value: -1 }, 'value', 'INVALID_PARAMETER'],
      [{ contents: [{ num_items: 0 }] }, 'contents[0].num_items', 'INVALID_PARAMETER'],
    ]
    const good = sale(tag, { twclid: link })
    const answer = await send(tag, [good, ...cases.map(([values]) => ({ ...good, ...values }))])
    expect(answer.status).toBe(400)
    const found = answer.body.errors.map((error: { parameter: string; code: string }) => [error.parameter, error.code])
    const expected = cases.map(([, member, code], at) => [`conversions[${at + 1}].${member}`, code])
    expect(found.sort()).toEqual(expected.sort())
    expect(answer.text).toContain('yyyy-MM-ddTHH:mm:ss.SSSZ')
    expect(await countsOf(scene, [ad.promoted], 'conversion_content_views')).toEqual([undefined])
    const both = { ...good, identifiers: [{ ip_address: '10.0.0.1', user_agent: 'Browser' }] }
    expect((await send(tag, [both, { ...good, identifiers: [{ hashed_phone_number: hash }] }])).status).toBe(200)
    expect((await send(tag, Array(501).fill(good))).status).toBe(400)
    expect((await send(tag, [])).status).toBe(400)
  })

  test('is told by those who manage the account', async () => {
    const tag = await makeTag()
    const conversion = sale(tag, { hashed_email: sha256('x') })
    expect(firstError(await send(tag, [conversion], { user: 'dario' }))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      parameter: 'pixel_id',
    })
    await scene.server.command('ads.account.grant', {
      account: scene.account,
      user: 'bob',
      permissions: ['CAMPAIGN_ANALYST'],
    })
    expect(firstError(await send(tag, [conversion], { user: 'bob' }))).toMatchObject({ code: 'ACTION_NOT_ALLOWED' })
    const single = { id: tag.id, website_tag_id: tag.id }
    expect(firstError(await send(single, [conversion]))).toMatchObject({ status: 400, parameter: 'pixel_id' })
    const elsewhere = await scene.server.request(
      'POST',
      `/ads-sandbox/12/measurement/conversions/${tag.website_tag_id}`,
      {
        as: ALICE,
        json: { conversions: [conversion] },
      },
    )
    expect(elsewhere.status).toBe(404)
  })
})

describe('an event in an app', () => {
  const APP = '333903271'
  let shown: ShownAd
  beforeAll(async () => {
    const button = {
      type: 'BUTTON',
      label: { type: 'ENUM', value: 'INSTALL' },
      destination: { type: 'APP', country_code: 'US', platform_b_app_store_identifier: APP },
    }
    const components = [{ type: 'MEDIA', media_key: await cardMedia.square(scene) }, button]
    const card = await scene.json('POST', 'cards', { name: 'Our app', components })
    const values = { objective: 'APP_INSTALLS', platform_b_app_store_identifier: APP }
    shown = await makeAd(scene, values, { card_uri: card.body.data.card_uri })
  })
  const event = (device: string, values = {}) => ({
    app_id: APP,
    os_type: 'PLATFORM_B',
    conversion_type: 'INSTALL',
    conversion_time: ago(0),
    hashed_device_id: device,
    ...values,
  })
  const device = (name: string) => sha256(`device ${name}`)

  test('is attributed to the click of the device, stored once, and counted for the tag of the account', async () => {
    const tag = await scene.made('app_event_tags', {
      app_store_identifier: APP,
      os_type: 'PLATFORM_B',
      conversion_type: 'INSTALL',
      provider_app_event_id: '1',
      provider_app_event_name: 'Install',
    })
    const viewer = await makeViewer(scene, { device: device('one'), locations: ['96683cc9126741d1'] })
    await showAd(scene, shown, viewer, { minutesAgo: 30, did: ['app_clicks'] })
    await showAd(scene, ad, viewer, { minutesAgo: 10, did: ['url_clicks'] })
    const values = event(device('one'), { price_micro: 2_000_000, price_currency: 'USD', level: 3 })
    const asked = await scene.call(
      'GET',
      'conversion_attribution',
      event('00'.repeat(32), { extra_device_ids: device('one') }),
    )
    const attribution = {
      engagement_type: 'CLICK',
      engagement_time: expect.stringMatching(/Z$/),
      country_code: 'US',
      attribution_type: 'PROMOTED',
      post_id: shown.post,
      promoted_properties: {
        campaign_id: shown.campaign,
        campaign_name: 'Spring',
        line_item_id: shown.lineItem,
        line_item_objective: 'APP_INSTALLS',
        account_id: scene.account,
      },
    }
    expect(asked.body.data.platform_attribution).toEqual(attribution)
    const metric = 'mobile_conversion_installs'
    expect(await countsOf(scene, [shown.lineItem], metric)).toEqual([undefined])
    const told = await scene.call('POST', 'conversion_event', values)
    expect(told.body.data).toMatchObject({
      platform_attribution: attribution,
      tpn_attribution: null,
      conversion_value_micro: 2_000_000,
      limit_ad_tracking: false,
      event_metadata: { level: 3, price_micro: 2_000_000, price_currency: 'USD' },
      non_platform_engagement_type: null,
      click_window: 14,
      view_through_window: 1,
    })
    expect((await scene.call('POST', 'conversion_event', values)).body.data.platform_attribution).toEqual(attribution)
    expect(await countsOf(scene, levels(shown), metric)).toEqual(
      Array(3).fill({ view: 0, engagement: 1, assisted: 0, items: 1, amount: 2_000_000 }),
    )
    expect((await scene.get(`app_event_tags/${tag.id}`)).body.data.status).toBe('TRACKING')
  })

  test('after an install that an ad led to is value of that ad, however late it is', async () => {
    for (const conversion_type of ['INSTALL', 'PURCHASE'])
      await scene.made('app_event_tags', {
        app_store_identifier: APP,
        os_type: 'PLATFORM_B',
        conversion_type,
        provider_app_event_id: conversion_type,
        provider_app_event_name: conversion_type,
      })
    const viewer = await makeViewer(scene, { device: device('loyal') })
    await makeViewer(scene, { device: device('stranger') })
    await showAd(scene, shown, viewer, { minutesAgo: 45 * 1440, did: ['app_clicks'] })
    const tell = async (values: Record<string, string | number>) => {
      const answer = await scene.call('POST', 'conversion_event', values)
      expect(answer.status, answer.text).toBe(200)
    }
    const purchase = { conversion_type: 'PURCHASE', price_micro: 3_000_000, price_currency: 'USD' }
    const minutes = (count: number) => new Date(scene.server.runtime.clock.now() - count * 60_000).toISOString()
    await tell(event(device('loyal'), { ...purchase, conversion_time: minutes(45 * 1440 + 60) }))
    await tell(event(device('loyal'), { conversion_time: minutes(45 * 1440 - 60) }))
    await tell(event(device('loyal'), purchase))
    await tell(event(device('stranger'), purchase))
    const value = 'mobile_conversion_lifetime_value_purchases'
    expect(await countsOf(scene, levels(shown), value)).toEqual(
      Array(3).fill({ view: 0, engagement: 1, assisted: 0, items: 1, amount: 3_000_000 }),
    )
    // No window reaches back to the click.
    expect(await countsOf(scene, [shown.lineItem], 'mobile_conversion_purchases')).toEqual([undefined])
  })

  test('is not claimed for an unknown device, a limited one, another app, or an earlier touch than one elsewhere', async () => {
    const viewer = await makeViewer(scene, { device: device('two') })
    await showAd(scene, shown, viewer, { minutesAgo: 30 })
    const claimed = async (values: Record<string, string>) =>
      (await scene.call('GET', 'conversion_attribution', event(device('two'), values))).body.data.platform_attribution
    const elsewhere = (type: string, minutes: number) => ({
      non_platform_engagement_type: type,
      non_platform_engagement_time: ago(minutes),
    })
    expect(await claimed({})).toMatchObject({ engagement_type: 'VIEW' })
    expect(await claimed(elsewhere('VIEW', 60))).toMatchObject({ engagement_type: 'VIEW' })
    expect(await claimed(elsewhere('VIEW', 5))).toBeNull()
    expect(await claimed(elsewhere('CLICK', 60))).toBeNull()
    expect(await claimed({ view_through_window: '0' })).toBeNull()
    expect(await claimed({ app_id: '1' })).toBeNull()
    expect(await claimed({ hashed_device_id: device('nobody') })).toBeNull()
    const limited = await scene.call('POST', 'conversion_event', event(device('two'), { limit_ad_tracking: true }))
    expect(limited.body.data).toMatchObject({ platform_attribution: null, limit_ad_tracking: true })
  })

  test('is claimed for the audience network instead, if an ad there led to it', async () => {
    const viewer = await makeViewer(scene, { device: device('three') })
    await showAd(scene, shown, viewer, { minutesAgo: 30, did: ['app_clicks'], placement: 4 })
    const { body } = await scene.call('POST', 'conversion_event', event(device('three')))
    expect(body.data.platform_attribution).toBeNull()
    expect(body.data.tpn_attribution).toMatchObject({ engagement_type: 'CLICK' })
  })

  test.each([
    [{ app_id: 'com.example' }, 'app_id'],
    [{ hashed_device_id: 'abc' }, 'hashed_device_id'],
    [{ conversion_time: '2126-01-01T00:00:00Z' }, 'conversion_time'],
    [{ click_window: 7, view_through_window: 14 }, 'view_through_window'],
    [{ non_platform_engagement_type: 'CLICK' }, 'non_platform_engagement_time'],
    [{ conversion_type: 'CUSTOM' }, 'conversion_type'],
  ])('is refused with %j', async (values, parameter) => {
    for (const [method, path] of [
      ['GET', 'conversion_attribution'],
      ['POST', 'conversion_event'],
    ] as const)
      expect(firstError(await scene.call(method, path, event(device('one'), values)))).toMatchObject({ parameter })
  })
})

describe('personas who clicked ads', () => {
  test('convert later, the same with the same seed, once, and as their accounts measure it', async () => {
    const shown = await makeAd(scene)
    const visit = await makeTag({ type: 'SITE_VISIT' })
    await makeTag({ type: 'CHECKOUT_INITIATED' })
    const { runtime } = scene.server
    const accountId = parseBase36(scene.account)!
    const ads = []
    for (let number = 0; number < 40; number++) {
      const viewer = await makeViewer(scene)
      const impressionId = await showAd(scene, shown, viewer, { minutesAgo: 1, did: number < 30 ? ['url_clicks'] : [] })
      const outcomes = number < 30 ? OUTCOME.url_clicks : OUTCOME.impressions
      ads.push({ viewer, impressionId, accountId, outcomes, at: runtime.clock.now() })
    }
    const planned = await expectConversions(runtime, 7, ads)
    expect(planned).toBeGreaterThan(10)
    expect(await expectConversions(runtime, 7, ads)).toBe(0)
    const visits = async () =>
      ((await countsOf(scene, [shown.lineItem], 'conversion_site_visits'))[0]?.engagement ?? 0) as number
    expect(await visits()).toBe(0)
    await scene.server.command('clock', { advance: '40d' })
    await scene.server.command('ads.work')
    const counted = await visits()
    expect(counted).toBeGreaterThan(10)
    await scene.server.command('ads.work')
    expect(await visits()).toBe(counted)
    expect((await scene.get(`web_event_tags/${visit.id}`)).body.data.status).toBe('TRACKING')
    await scene.server.command('clock', { reset: true })
  })
})
