import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FEATURES } from '../../src/ads/accounts/features.data.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const firstError = (answer: { body: { errors: Record<string, unknown>[] } }) => answer.body.errors[0]

describe('accounts', () => {
  test('are made in the sandbox with the defaults of the platform, and their maker administers them', async () => {
    const answer = await scene.call('POST', 'accounts')
    const [account] = answer.body.data
    expect(account).toMatchObject({
      name: 'Sandbox account',
      timezone: 'America/Los_Angeles',
      timezone_switch_at: null,
      approval_status: 'ACCEPTED',
      deleted: false,
    })
    expect(account.id).toMatch(/^[0-9a-z]+$/)
    expect(
      (await scene.call('PUT', `accounts/${account.id}`, { name: 'Mine', industry_type: 'TRAVEL' })).body.data,
    ).toMatchObject({
      name: 'Mine',
      industry_type: 'TRAVEL',
    })
    const unchanged = (await scene.call('GET', `accounts/${account.id}`)).body.data
    const nothing = await scene.call('PUT', `accounts/${account.id}`)
    expect([nothing.status, nothing.body.data]).toEqual([200, unchanged])
    const timezone = await scene.call('PUT', `accounts/${account.id}`, { timezone: 'Europe/Rome' })
    expect([timezone.status, timezone.body.data]).toEqual([200, unchanged])
  })

  test('are deleted in the sandbox, and then found only with_deleted', async () => {
    const id = (await scene.call('POST', 'accounts')).body.data[0].id
    expect((await scene.call('DELETE', `accounts/${id}`)).body.data.deleted).toBe(true)
    expect((await scene.call('GET', `accounts/${id}`)).status).toBe(404)
    expect((await scene.call('GET', `accounts/${id}`, { with_deleted: true })).body.data.deleted).toBe(true)
    expect((await scene.call('GET', `accounts/${id}/campaigns`)).status).toBe(403)
    const again = await scene.call('DELETE', `accounts/${id}`)
    expect(again.status).toBe(404)
    expect(firstError(again)).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', parameter: 'account_id', value: id })
    expect((await scene.call('PUT', `accounts/${id}`, { name: 'x' })).status).toBe(403)
    expect((await scene.call('DELETE', `accounts/${id}`, {}, { user: 'bob' })).status).toBe(403)
    const listed = (await scene.call('GET', 'accounts')).body.data.map((item: { id: string }) => item.id)
    expect(listed).not.toContain(id)
  })

  test('have every feature from the start; in the sandbox each can be taken away and added back', async () => {
    const all = [...FEATURES].sort()
    expect((await scene.get('features')).body.data).toEqual(all)
    const { ads_account_id: account } = scene.server.credentials
    expect((await scene.server.get(`/ads/12/accounts/${account}/features`, ALICE)).body.data).toEqual(all)
    const feature_keys = all.join(',')
    expect((await scene.delete('features', { feature_keys })).body.data).toEqual([])
    const added = await scene.post('features', { feature_keys: 'REACH_FREQUENCY_CAP,AGE_TARGETING' })
    expect(added.body.data).toEqual(['AGE_TARGETING', 'REACH_FREQUENCY_CAP'])
    expect(
      (await scene.get('features', { feature_keys: 'REACH_FREQUENCY_CAP,WEBSITE_CLICKS_CPM_BILLING' })).body.data,
    ).toEqual(['REACH_FREQUENCY_CAP'])
    expect((await scene.post('features', { feature_keys })).body.data).toEqual(all)
    const unknown = await scene.post('features', { feature_keys: 'EVERYTHING' })
    expect(firstError(unknown)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'feature_keys' })
  })
})

describe('funding instruments', () => {
  test('are created active and able to fund', async () => {
    const made = await scene.made('funding_instruments', {
      type: 'INSERTION_ORDER',
      currency: 'EUR',
      start_time: '2026-01-01',
      funded_amount_local_micro: 5_000_000,
    })
    expect(made).toMatchObject({
      account_id: scene.account,
      type: 'INSERTION_ORDER',
      entity_status: 'ACTIVE',
      able_to_fund: true,
      reasons_not_able_to_fund: [],
      credit_remaining_local_micro: null,
      funded_amount_local_micro: 5_000_000,
    })
  })

  test.each([
    [{ type: 'CREDIT_LINE', funded_amount_local_micro: 1_000_000 }, 'INVALID_PARAMETER', 'funded_amount_local_micro'],
    [{ type: 'INSERTION_ORDER', credit_limit_local_micro: 1_000_000 }, 'INVALID_PARAMETER', 'credit_limit_local_micro'],
    [{ type: 'CREDIT_CARD', currency: 'XYZ' }, 'INVALID_PARAMETER', 'currency'],
    [{ type: 'CREDIT_CARD', start_time: '2026-02-01', end_time: '2026-01-01' }, 'INVALID_TIME_WINDOW', 'end_time'],
    [{ type: 'GIFT' }, 'INVALID_PARAMETER', 'type'],
  ])('with %o are refused', async (values, code, parameter) => {
    const answer = await scene.post('funding_instruments', { currency: 'USD', start_time: '2026-01-01', ...values })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code, parameter })
  })

  test('say why they cannot fund: deleted, in the future, expired', async () => {
    const make = (values: Record<string, string>) =>
      scene.made('funding_instruments', { type: 'CREDIT_LINE', currency: 'USD', ...values })
    expect((await make({ start_time: '2040-01-01' })).reasons_not_able_to_fund).toEqual(['STARTS_IN_FUTURE'])
    expect((await make({ start_time: '2020-01-01', end_time: '2021-01-01' })).reasons_not_able_to_fund).toEqual([
      'EXPIRED',
    ])
    const { id } = await make({ start_time: '2020-01-01' })
    expect((await scene.delete(`funding_instruments/${id}`)).body.data).toMatchObject({
      deleted: true,
      able_to_fund: false,
      reasons_not_able_to_fund: ['DELETED'],
      entity_status: 'ACTIVE',
    })
  })

  test('of partners are paused and funded by them, others are not', async () => {
    const { id } = await scene.made('funding_instruments', {
      type: 'PARTNER_MANAGED',
      currency: 'USD',
      start_time: '2026-01-01',
    })
    const paused = await scene.put(`funding_instruments/${id}`, { paused: true, funded_amount_local_micro: 7_000_000 })
    expect(paused.body.data).toMatchObject({
      entity_status: 'PAUSED',
      funded_amount_local_micro: 7_000_000,
      reasons_not_able_to_fund: ['PAUSED'],
    })
    const other = await scene.put(`funding_instruments/${scene.funding}`, { paused: true })
    expect(other.status).toBe(403)
    expect(firstError(other)).toMatchObject({ code: 'FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED' })
  })

  test('cannot be created in production', async () => {
    const path = `/ads/12/accounts/${scene.server.credentials.ads_account_id}/funding_instruments`
    const answer = await scene.server.request('POST', `${path}?type=CREDIT_LINE&currency=USD&start_time=2026-01-01`, {
      as: ALICE,
    })
    expect(answer.status).toBe(404)
    expect(firstError(answer)).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
    expect((await scene.server.get(path, ALICE)).body.data[0]).toMatchObject({ type: 'CREDIT_LINE', currency: 'EUR' })
  })
})

describe('campaigns', () => {
  test('start active, with the currency of their funding instrument, and do not serve before they have line items', async () => {
    const made = await scene.made('campaigns', {
      funding_instrument_id: scene.funding,
      name: 'New',
      daily_budget_amount_local_micro: 5_500_000,
    })
    expect(made).toMatchObject({
      budget_optimization: 'LINE_ITEM',
      entity_status: 'ACTIVE',
      effective_status: 'ACTIVE',
      servable: false,
      reasons_not_servable: ['INCOMPLETE'],
      currency: 'USD',
      standard_delivery: null,
    })
    await scene.lineItem({ campaign_id: made.id })
    expect((await scene.get(`campaigns/${made.id}`)).body.data).toMatchObject({
      servable: true,
      reasons_not_servable: [],
      effective_status: 'RUNNING',
    })
    const paused = await scene.put(`campaigns/${made.id}`, { entity_status: 'PAUSED' })
    expect(paused.body.data).toMatchObject({
      servable: false,
      reasons_not_servable: ['PAUSED_BY_ADVERTISER'],
      effective_status: 'PAUSED',
    })
    expect((await scene.put(`campaigns/${made.id}/activate`)).body.data.entity_status).toBe('ACTIVE')
    expect((await scene.delete(`campaigns/${made.id}`)).body.data).toMatchObject({
      servable: null,
      reasons_not_servable: [],
      entity_status: 'ACTIVE',
    })
  })

  test('serve what is active in them: drafts are not there yet, and all paused is paused', async () => {
    const id = await scene.campaign()
    const shown = async () => {
      const {
        servable,
        reasons_not_servable: reasons,
        effective_status: status,
      } = (await scene.get(`campaigns/${id}`)).body.data
      return [servable, reasons, status]
    }
    const ended = { start_time: '2020-01-01', end_time: '2020-02-01' }
    const item = await scene.lineItem({ campaign_id: id, entity_status: 'DRAFT' })
    expect(await shown()).toEqual([false, ['INCOMPLETE'], 'ACTIVE'])
    await scene.put(`line_items/${item}`, { entity_status: 'PAUSED' })
    expect(await shown()).toEqual([false, ['PAUSED_BY_ADVERTISER'], 'PAUSED'])
    const past = await scene.lineItem({ campaign_id: id, ...ended })
    expect(await shown()).toEqual([false, ['EXPIRED'], 'ACTIVE'])
    await scene.delete(`line_items/${past}`)
    await scene.lineItem({ campaign_id: id, entity_status: 'DRAFT' })
    await scene.put(`line_items/${item}/activate`)
    expect(await shown()).toEqual([true, [], 'RUNNING'])
  })

  test('cannot become drafts again or get another funding instrument', async () => {
    const id = await scene.campaign({ entity_status: 'DRAFT' })
    expect((await scene.put(`campaigns/${id}`, { entity_status: 'ACTIVE' })).body.data.entity_status).toBe('ACTIVE')
    expect(firstError(await scene.put(`campaigns/${id}`, { entity_status: 'DRAFT' }))).toMatchObject({
      parameter: 'entity_status',
    })
    expect(firstError(await scene.put(`campaigns/${id}`, { funding_instrument_id: 'a1' }))).toMatchObject({
      parameter: 'funding_instrument_id',
    })
  })

  test('keep their children when they are deleted', async () => {
    const campaign = await scene.campaign()
    const item = await scene.lineItem({ campaign_id: campaign })
    await scene.delete(`campaigns/${campaign}`)
    expect((await scene.get(`line_items/${item}`)).body.data.deleted).toBe(false)
    expect((await scene.put(`line_items/${item}`, { name: 'Still there' })).status).toBe(200)
    const more = await scene.post('line_items', {
      campaign_id: campaign,
      objective: 'REACH',
      product_type: 'PROMOTED_POSTS',
      placements: 'PLATFORM_TIMELINE',
    })
    expect(more.status).toBe(404)
    expect(firstError(more)).toMatchObject({ code: 'CAMPAIGN_NOT_FOUND', parameter: 'campaign_id' })
  })

  test.each([
    [{ daily_budget_amount_local_micro: undefined }, 'MISSING_PARAMETER', 'daily_budget_amount_local_micro'],
    [
      { daily_budget_amount_local_micro: 5_000_000, total_budget_amount_local_micro: 4_000_000 },
      'INVALID_PARAMETER',
      'daily_budget_amount_local_micro',
    ],
    [{ daily_budget_amount_local_micro: 5_000_001 }, 'INVALID_DENOMINATION', 'daily_budget_amount_local_micro'],
    [{ name: 'x'.repeat(256) }, 'INVALID_PARAMETER', 'name'],
    [{ purchase_order_number: 'x'.repeat(51) }, 'INVALID_PARAMETER', 'purchase_order_number'],
    [{ budget_optimization: 'CAMPAIGN' }, 'INVALID_PARAMETER', 'budget_optimization'],
  ])('with %o are refused', async (values, code, parameter) => {
    const answer = await scene.post('campaigns', {
      funding_instrument_id: scene.funding,
      name: 'x',
      daily_budget_amount_local_micro: 1_000_000,
      ...values,
    })
    expect(answer.status).toBe(400)
    expect(firstError(answer)).toMatchObject({ code, parameter })
  })

  test('are limited in number: paused ones count, deleted and finished ones do not', async () => {
    const account = (await scene.call('POST', 'accounts')).body.data[0].id
    await scene.server.command('ads.account.set', { account, campaign_cap: 2 })
    const base = `accounts/${account}`
    const funding = (
      await scene.call('POST', `${base}/funding_instruments`, {
        type: 'INSERTION_ORDER',
        currency: 'USD',
        start_time: '2026-01-01',
      })
    ).body.data.id
    const make = (entity_status = 'ACTIVE') =>
      scene.call('POST', `${base}/campaigns`, { funding_instrument_id: funding, name: 'x', entity_status })
    const first = (await make('PAUSED')).body.data.id
    const second = (await make()).body.data.id
    const third = await make()
    expect(third.status).toBe(400)
    expect(firstError(third)).toMatchObject({ code: 'TOO_MANY_CAMPAIGNS' })
    await scene.call('DELETE', `${base}/campaigns/${first}`)
    expect((await make()).status).toBe(200)
    expect((await make()).status).toBe(400)
    const ended = {
      campaign_id: second,
      objective: 'REACH',
      product_type: 'PROMOTED_POSTS',
      placements: 'PLATFORM_TIMELINE',
      start_time: '2020-01-01',
      end_time: '2020-02-01',
    }
    await scene.call('POST', `${base}/line_items`, ended)
    expect((await scene.call('GET', `${base}/campaigns/${second}`)).body.data.reasons_not_servable).toEqual(['EXPIRED'])
    expect((await make()).status).toBe(200)
  })

  test('created at the same time never exceed the limit', async () => {
    const account = (await scene.call('POST', 'accounts')).body.data[0].id
    await scene.server.command('ads.account.set', { account, campaign_cap: 5 })
    const base = `accounts/${account}`
    const funding = (
      await scene.call('POST', `${base}/funding_instruments`, {
        type: 'INSERTION_ORDER',
        currency: 'USD',
        start_time: '2026-01-01',
      })
    ).body.data.id
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        scene.call('POST', `${base}/campaigns`, { funding_instrument_id: funding, name: `n${at}` }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5)
  })
})
