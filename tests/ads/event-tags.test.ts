import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { As, TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

const purchase = {
  name: 'Thank you',
  type: 'PURCHASE',
  click_window: 14,
  view_through_window: 7,
  retargeting_enabled: true,
}
const install = {
  app_store_identifier: 'com.example.shop',
  os_type: 'PLATFORM_A',
  conversion_type: 'INSTALL',
  provider_app_event_id: '1',
  provider_app_event_name: 'Install',
}

describe('web event tags', () => {
  test('share the tag of the website, are unverified at first, and have no times', async () => {
    const [first, second] = [await scene.made('web_event_tags', purchase), await scene.made('web_event_tags', purchase)]
    expect(first).toEqual({
      ...purchase,
      id: expect.stringMatching(/^[0-9a-z]+$/),
      website_tag_id: second.website_tag_id,
      embed_code: expect.stringContaining(`data-event="tw-${first.website_tag_id}-${first.id}"`),
      status: 'UNVERIFIED',
      last_tracked_at: null,
      deleted: false,
    })
    expect(first.embed_code).toContain(`src="${scene.server.baseUrl}/i/pixel.js"`)
    expect(second.id).not.toBe(first.id)
    expect(first.website_tag_id).not.toBe(first.id)
  })

  test('change one by one, are deleted softly, and are listed in pages', async () => {
    const { id } = await scene.made('web_event_tags', { ...purchase, name: 'Old' })
    const changed = await scene.put(`web_event_tags/${id}`, { name: 'New', type: 'SIGN_UP', view_through_window: 0 })
    expect(changed.body.data).toMatchObject({ name: 'New', type: 'SIGN_UP', click_window: 14, view_through_window: 0 })
    expect((await scene.delete(`web_event_tags/${id}`)).body.data).toMatchObject({ id, deleted: true })
    expect(firstError(await scene.get(`web_event_tags/${id}`))).toMatchObject({
      status: 404,
      code: 'WEB_EVENT_TAG_NOT_FOUND',
    })
    expect((await scene.get(`web_event_tags/${id}`, { with_deleted: true })).body.data.name).toBe('New')
    expect(firstError(await scene.delete(`web_event_tags/${id}`)).status).toBe(404)
    await scene.made('web_event_tags', { ...purchase, name: 'A' })
    const page = await scene.get('web_event_tags', { count: 1, sort_by: 'name-asc' })
    expect(page.body.data.map((tag: { name: string }) => tag.name)).toEqual(['A'])
    expect(page.body.next_cursor).not.toBeNull()
  })

  test.each([
    [{ click_window: 60 }, 'click_window'],
    [{ click_window: 7, view_through_window: 14 }, 'view_through_window'],
    [{ type: 'INSTALL' }, 'type'],
    [{ name: '' }, 'name'],
    [{ retargeting_enabled: undefined }, 'retargeting_enabled'],
  ])('are refused with %j, and nothing is made', async (values, parameter) => {
    const before = (await scene.get('web_event_tags', { with_total_count: true })).body.total_count
    expect(firstError(await scene.post('web_event_tags', { ...purchase, ...values }))).toMatchObject({
      status: 400,
      parameter,
    })
    expect((await scene.get('web_event_tags', { with_total_count: true })).body.total_count).toBe(before)
  })

  test('can be sent back as they are', async () => {
    const tag = await scene.made('web_event_tags', purchase)
    const { last_tracked_at: _none, ...sent } = tag
    const answer = await scene.put(`web_event_tags/${tag.id}`, sent)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toEqual(tag)
  })

  test('keep a view window within the click window when either changes', async () => {
    const { id } = await scene.made('web_event_tags', purchase)
    expect(firstError(await scene.put(`web_event_tags/${id}`, { click_window: 1 }))).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'view_through_window',
    })
  })
})

describe('app event tags', () => {
  test('have the windows of the platform unless others are chosen', async () => {
    expect(await scene.made('app_event_tags', install)).toMatchObject({
      ...install,
      deep_link_scheme: null,
      post_engagement_attribution_window: 30,
      post_view_attribution_window: 1,
      retargeting_enabled: true,
      status: 'UNVERIFIED',
      last_tracked_at: null,
    })
  })

  test.each([
    [{ app_store_identifier: '12345' }, 'app_store_identifier', 'INVALID_APP_ID'],
    [{ os_type: 'PLATFORM_B' }, 'app_store_identifier', 'INVALID_APP_ID'],
    [{ conversion_type: 'CUSTOM' }, 'conversion_type', 'INVALID_PARAMETER'],
    [
      { post_engagement_attribution_window: 1, post_view_attribution_window: 7 },
      'post_view_attribution_window',
      'INVALID_PARAMETER',
    ],
  ])('are refused with %j', async (values, parameter, code) => {
    expect(firstError(await scene.post('app_event_tags', { ...install, ...values }))).toMatchObject({ parameter, code })
  })

  test('cannot be changed', async () => {
    const { id } = await scene.made('app_event_tags', install)
    expect(firstError(await scene.put(`app_event_tags/${id}`, { deep_link_scheme: 'shop' }))).toMatchObject({
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    })
  })
})

describe('the measurement partner of an account', () => {
  const collection = () => `/ads-sandbox/11/accounts/${scene.account}/app_event_provider_configurations`
  const create = (as: As = ALICE) =>
    scene.server.request('POST', `${collection()}?provider_advertiser_id=shop-7`, { as })

  test('is the app that makes the call, once, and can be replaced', async () => {
    const made = await create()
    expect(made.body.data).toMatchObject({
      provider_advertiser_id: 'shop-7',
      provider_advertiser_identifier: 'shop-7',
      provider_name: expect.stringMatching(/./),
      deleted: false,
    })
    expect(firstError(await create())).toMatchObject({ status: 400, parameter: 'provider_advertiser_id' })
    const { id } = made.body.data
    expect((await scene.server.get(`${collection()}/${id}`, ALICE)).body.data.id).toBe(id)
    expect((await scene.server.delete(`${collection()}/${id}`, ALICE)).body.data.deleted).toBe(true)
    expect(firstError(await scene.server.get(`${collection()}/${id}`, ALICE))).toMatchObject({
      code: 'APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND',
    })
    expect((await create()).status).toBe(200)
  })

  test('is an app that is a partner; one that is enrolled for conversions only can be one', async () => {
    const app = await scene.server.command('app.create', { name: 'Measures', owner: 'alice' })
    const token = await scene.server.command('user.token', { user: 'alice', app: app.id })
    const as = {
      keys: {
        consumerKey: app.api_key,
        consumerSecret: app.api_key_secret,
        token: token.access_token,
        tokenSecret: token.access_token_secret,
      },
    }
    await scene.server.command('ads.enrol', { app: app.id, level: 'conversion-only' })
    expect(firstError(await create(as))).toMatchObject({
      status: 404,
      code: 'NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION',
    })
    expect((await scene.get('web_event_tags', {}, as)).status).toBe(200)
    expect(firstError(await scene.get('campaigns', {}, as))).toMatchObject({ status: 403 })
    const another = await scene.call('POST', 'accounts')
    await scene.server.command('ads.enrol', {
      app: app.id,
      level: 'conversion-only',
      allowlists: ['mobile_measurement'],
    })
    const path = `accounts/${another.body.data[0].id}/app_event_provider_configurations`
    const made = await scene.call('POST', path, { provider_advertiser_id: 'x' }, as)
    expect(made.body.data.provider_name).toBe('Measures')
  })
})
