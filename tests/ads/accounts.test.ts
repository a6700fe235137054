import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { As } from '../support/server.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const BOB: As = { user: 'bob' }
const grant = (user: string, ...permissions: string[]) =>
  scene.server.command('ads.account.grant', { account: scene.account, user, permissions })
const HOUR_MS = 3600_000
// biome-ignore lint/suspicious/noExplicitAny: answers whose shape the tests assert.
const firstError = (answer: any) => ({ status: answer.status, ...answer.body.errors[0] })

test('an account cannot be made in a time zone that does not exist', async () => {
  const refused = await scene.server.tryCommand('ads.account.create', { owner: 'bob', timezone: 'Mars/Base' })
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0]).toMatchObject({
    parameters: { timezone: ['Mars/Base'] },
    message: 'timezone [Mars/Base] is not a name of the IANA time zone database',
  })
})

describe('account apps', () => {
  const apps = async (values = {}) =>
    (await scene.get('account_apps', { sort_by: 'created_at-asc', ...values })).body.data

  test('an app that a line item names belongs to the account from then on, once', async () => {
    expect(await apps()).toEqual([])
    const campaign = await scene.campaign()
    const both = { platform_a_app_store_identifier: 'com.example.first', platform_b_app_store_identifier: '333903271' }
    const lineItem = await scene.lineItem({ campaign_id: campaign, objective: 'APP_INSTALLS', ...both })
    await scene.lineItem({ campaign_id: campaign, objective: 'APP_INSTALLS', ...both })
    expect(
      (await apps()).map(({ app_store_identifier: id, os_type: type }: Record<string, string>) => [id, type]),
    ).toEqual([
      ['com.example.first', 'Platform_A'],
      ['333903271', 'Platform_B'],
    ])
    await scene.put(`line_items/${lineItem}`, { platform_a_app_store_identifier: 'com.example.second' })
    await scene.delete(`line_items/${lineItem}`)
    const all = await apps()
    expect(all).toHaveLength(3)
    expect(all[2]).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      app_store_identifier: 'com.example.second',
      os_type: 'Platform_A',
      conversion_tracking_enabled: false,
      deep_link_pattern: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      deleted: false,
    })
  })

  test('a line item that was refused adds no app', async () => {
    const campaign = await scene.campaign()
    const item = (values: object) => ({
      operation_type: 'Create',
      params: { campaign_id: campaign, product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_TWITTER', ...values },
    })
    const batch = await scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/line_items`, {
      as: { user: 'alice' },
      json: [
        item({ objective: 'APP_INSTALLS', platform_a_app_store_identifier: 'com.example.refused' }),
        item({ objective: 'NOTHING' }),
      ],
    })
    expect(batch.status).toBe(400)
    expect(JSON.stringify(await apps())).not.toContain('com.example.refused')
  })
})

describe('account history', () => {
  const hour = () => Math.floor(scene.server.runtime.clock.now() / HOUR_MS) * HOUR_MS
  const iso = (ms: number) => new Date(ms).toISOString()
  const window = (values = {}) => ({ start_time: iso(hour()), end_time: iso(hour() + HOUR_MS), ...values })
  const history = (entity_type: string, entity_id: string, values = {}, as?: As) =>
    scene.get('account_history', { entity_type, entity_id, ...window(), ...values }, as)

  test('shows what was created, changed and deleted, by which user, with a snapshot without the id', async () => {
    await grant('bob', 'AD_MANAGER')
    const campaign = await scene.campaign({ name: 'Historic' })
    await scene.put(`campaigns/${campaign}`, { name: 'Renamed', entity_status: 'PAUSED' }, BOB)
    await scene.delete(`campaigns/${campaign}`)
    const { body } = await history('CAMPAIGN', campaign)
    expect(body.next_cursor).toBeNull()
    expect(body.data.map((item: { change_type: string }) => item.change_type)).toEqual(['CREATE', 'UPDATE', 'DELETE'])
    const [created, updated, deleted] = body.data
    expect(created).toMatchObject({
      entity: 'CAMPAIGN',
      entity_id: campaign,
      change_by: { user_id: scene.server.userId('alice'), platform: 'API_OTHER' },
      changes: {},
    })
    const members = 'name start_time end_time entity_status standard_delivery daily_budget_amount_local_micro'.split(
      ' ',
    )
    members.push(...'total_budget_amount_local_micro duration_in_days frequency_cap purchase_order_number'.split(' '))
    members.push('created_at', 'updated_at', 'deleted')
    expect(Object.keys(created.entity_data)).toEqual(expect.arrayContaining(members))
    expect(created.entity_data).not.toHaveProperty('id')
    expect(created.entity_data).toMatchObject({ name: 'Historic', start_time: null, deleted: false })
    expect(updated.change_by.user_id).toBe(scene.server.userId('bob'))
    expect(updated.changes).toMatchObject({
      name: { old: 'Historic', new: 'Renamed' },
      entity_status: { old: 'ACTIVE', new: 'PAUSED' },
    })
    expect(updated.changes).not.toHaveProperty('purchase_order_number')
    expect(deleted).toMatchObject({ changes: { deleted: { old: false, new: true } }, entity_data: { deleted: true } })
  })

  test('changes of a batch are shown one by one, and a batch that failed is not shown', async () => {
    const lineItem = await scene.lineItem()
    const path = `/ads-sandbox/12/batch/accounts/${scene.account}/line_items`
    const send = (...items: object[]) => scene.server.request('POST', path, { as: { user: 'alice' }, json: items })
    const rename = (name: string) => ({ operation_type: 'Update', params: { line_item_id: lineItem, name } })
    expect((await send(rename('One'))).status).toBe(200)
    expect((await send(rename('Two'), { operation_type: 'Delete', params: { line_item_id: 'zzzz' } })).status).toBe(400)
    const { body } = await history('LINE_ITEM', lineItem)
    expect(body.data.map((item: { entity_data: { name: string } }) => item.entity_data.name)).toEqual([null, 'One'])
  })

  test('an update that changes nothing leaves no entry', async () => {
    const campaign = await scene.campaign({ name: 'Same' })
    await scene.put(`campaigns/${campaign}`, { name: 'Same' })
    expect((await history('CAMPAIGN', campaign)).body.data).toHaveLength(1)
  })

  test('user_id narrows it, and the echo names entity_type as entity', async () => {
    const campaign = await scene.campaign()
    await scene.put(`campaigns/${campaign}`, { name: 'By bob' }, BOB)
    const bob = scene.server.userId('bob')
    const { body } = await history('CAMPAIGN', campaign, { user_id: bob })
    expect(body.data.map((item: { change_type: string }) => item.change_type)).toEqual(['UPDATE'])
    expect(body.request.params).toEqual({
      account_id: scene.account,
      entity: 'CAMPAIGN',
      entity_id: campaign,
      start_time: iso(hour()).replace('.000', ''),
      end_time: iso(hour() + HOUR_MS).replace('.000', ''),
      user_id: Number(bob),
    })
  })

  test('pages follow each other by cursor, in the order of the changes', async () => {
    const campaign = await scene.campaign({ name: '0' })
    for (const name of ['1', '2', '3', '4']) await scene.put(`campaigns/${campaign}`, { name })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await history('CAMPAIGN', campaign, { count: 2, cursor })
      seen.push(...body.data.map((item: { entity_data: { name: string } }) => item.entity_data.name))
      cursor = body.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(['0', '1', '2', '3', '4'])
    expect(firstError(await history('CAMPAIGN', campaign, { cursor: 'abc' }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'cursor',
    })
  })

  test('only changes within the window are shown; its end does not belong to it', async () => {
    const campaign = await scene.campaign()
    const before = { start_time: iso(hour() - HOUR_MS), end_time: iso(hour()) }
    expect((await history('CAMPAIGN', campaign, before)).body.data).toEqual([])
    await scene.server.command('clock', { advance_ms: HOUR_MS })
    await scene.put(`campaigns/${campaign}`, { name: 'Later' })
    expect((await history('CAMPAIGN', campaign)).body.data).toHaveLength(1)
    expect((await history('CAMPAIGN', campaign, { start_time: iso(hour() - HOUR_MS) })).body.data).toHaveLength(2)
  })

  test.each([
    ['start_time', { start_time: '2026-01-01T10:30:00Z' }, 'INVALID_PARAMETER', 'must be on a whole hour'],
    ['end_time', { end_time: '2026-01-01T10:00:01Z' }, 'INVALID_PARAMETER', 'must be on a whole hour'],
    ['end_time', { end_time: '2020-01-01T10:00:00Z' }, 'INVALID_TIME_WINDOW', 'must be later than start_time'],
    ['entity_type', { entity_type: 'CARD' }, 'INVALID_PARAMETER', expect.stringContaining('PROMOTED_ACCOUNT')],
    ['start_time', { start_time: undefined }, 'MISSING_PARAMETER', undefined],
    ['end_time', { end_time: undefined }, 'MISSING_PARAMETER', undefined],
    ['entity_id', { entity_id: undefined }, 'MISSING_PARAMETER', undefined],
    ['entity_type', { entity_type: undefined }, 'MISSING_PARAMETER', undefined],
  ])('a wrong %s is refused (%o)', async (parameter, values, code, details) => {
    const answer = firstError(await history('CAMPAIGN', 'abc', values))
    expect(answer).toMatchObject({ status: 400, code, parameter, ...(details ? { details } : {}) })
  })

  test('names and words of snapshots are spelled in the naming of the caller, what people wrote is not', async () => {
    const lineItem = await scene.lineItem({ name: 'post', placements: 'PLATFORM_TIMELINE' })
    const legacyAsk = await scene.get('account_history', {
      entity_type: 'PROMOTED_TWEET',
      entity_id: lineItem,
      ...window(),
    })
    expect(legacyAsk.body.request.params.entity).toBe('PROMOTED_TWEET')
    const app = await scene.server.command('app.create', { name: 'Old words', owner: 'alice', naming: 'legacy' })
    await scene.server.command('ads.enrol', { app: app.id, allowlists: ['account_history'] })
    const token = await scene.server.command('user.token', { user: 'alice', app: app.id })
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: token.access_token,
      tokenSecret: token.access_token_secret,
    }
    const { body } = await history('LINE_ITEM', lineItem, {}, { keys })
    expect(body.data[0].entity_data).toMatchObject({
      name: 'post',
      product_type: 'PROMOTED_TWEETS',
      placements: ['TWITTER_TIMELINE'],
      android_app_store_identifier: null,
    })
    const legacyApps = await scene.get('account_apps', { count: 2 }, { keys })
    expect(legacyApps.body.data.map((item: { os_type: string }) => item.os_type)).toEqual(['Android', 'iOS'])
    await scene.server.command('ads.enrol', { app: app.id, allowlists: [] })
    expect(firstError(await history('LINE_ITEM', lineItem, {}, { keys }))).toMatchObject({
      status: 403,
      code: 'UNAUTHORIZED_CLIENT_APPLICATION',
      details: 'the app is not on the allowlist account_history',
    })
  })
})

describe('authenticated user access and roles', () => {
  test('shows the permissions of the caller on the account', async () => {
    await grant('bob', 'CREATIVE_MANAGER', 'POST_COMPOSER')
    expect((await scene.get('authenticated_user_access', {}, BOB)).body).toEqual({
      request: { params: { account_id: scene.account } },
      data: { user_id: scene.server.userId('bob'), permissions: ['CREATIVE_MANAGER', 'POST_COMPOSER'] },
    })
    const owner = (await scene.get('authenticated_user_access')).body.data
    expect(owner.permissions).toEqual(['ACCOUNT_ADMIN', 'POST_COMPOSER'])
    expect(firstError(await scene.get('authenticated_user_access', {}, { user: 'dario' }))).toMatchObject({
      status: 403,
      code: 'ACCOUNT_NOT_FOUND',
    })
  })

  test.each([
    // role, sees campaigns, changes campaigns, changes settings
    ['ACCOUNT_ADMIN', 200, 200, 200],
    ['AD_MANAGER', 200, 200, 403],
    ['CREATIVE_MANAGER', 200, 403, 403],
    ['CAMPAIGN_ANALYST', 200, 403, 403],
    ['ANALYST', 403, 403, 403],
    ['PARTNER_AUDIENCE_MANAGER', 403, 403, 403],
  ])('%s sees campaigns: %i, changes them: %i, changes settings: %i', async (role, sees, changes, sets) => {
    await grant('bob', role)
    const campaign = await scene.campaign()
    expect((await scene.get('authenticated_user_access', {}, BOB)).body.data.permissions).toEqual([role])
    expect((await scene.get('campaigns', { count: 1 }, BOB)).status).toBe(sees)
    expect((await scene.put(`campaigns/${campaign}`, { name: role }, BOB)).status).toBe(changes)
    expect((await scene.put('tax_settings', { address_city: 'Lagos' }, BOB)).status).toBe(sets)
    expect((await scene.get('tax_settings', {}, BOB)).status).toBe(sees)
  })

  test('POST_COMPOSER can only be granted with a role that creates creatives', async () => {
    await expect(grant('bob', 'CAMPAIGN_ANALYST', 'POST_COMPOSER')).rejects.toThrow(/POST_COMPOSER can only be granted/)
    await grant('bob', 'AD_MANAGER', 'POST_COMPOSER')
  })
})

describe('promotable users', () => {
  test('an account has one FULL user; others are REPOSTS_ONLY and come from operators', async () => {
    await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'chika' })
    await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'chika' })
    const { data } = (await scene.get('promotable_users')).body
    expect(data.map((item: Record<string, string>) => [item.user_id, item.promotable_user_type])).toEqual([
      [scene.server.userId('alice'), 'FULL'],
      [scene.server.userId('chika'), 'REPOSTS_ONLY'],
    ])
    const some = await scene.get('promotable_users', { promotable_user_ids: data[1].id })
    expect(some.body.data).toEqual([data[1]])
    expect((await scene.get(`promotable_users/${data[0].id}`)).body.data).toEqual(data[0])
    expect(firstError(await scene.get('promotable_users/zzz'))).toMatchObject({
      status: 404,
      code: 'PROMOTABLE_USER_NOT_FOUND',
    })
    expect((await scene.post('promotable_users', { user_id: '1' })).status).toBe(405)
  })
})

describe('tax settings', () => {
  const INITIAL = {
    address_city: null,
    address_company: null,
    address_country: null,
    address_email: null,
    address_first_name: null,
    address_last_name: null,
    address_postal_code: null,
    address_region: null,
    address_street1: null,
    address_street2: null,
    bill_to: 'NOT_SET',
    business_relationship: 'SELF',
    invoice_jurisdiction: 'NOT_SET',
    tax_category: 'INDIVIDUAL',
    tax_id: null,
  }

  test('an account has one record without an id, and only what is given changes', async () => {
    const { account: own } = scene
    const other = (await scene.call('POST', 'accounts')).body.data[0].id
    const path = `accounts/${other}/tax_settings`
    expect((await scene.call('GET', path)).body.data).toEqual(INITIAL)
    const first = await scene.call('PUT', path, {
      address_name: 'Moreau Lda',
      address_city: 'Lisbon',
      bill_to: 'AGENCY',
    })
    expect(first.body.data).toEqual({
      ...INITIAL,
      address_company: 'Moreau Lda',
      address_city: 'Lisbon',
      bill_to: 'AGENCY',
    })
    expect(first.body.request.params).toMatchObject({ address_name: 'Moreau Lda' })
    const second = await scene.call('PUT', path, { tax_category: 'BUSINESS_WITH_VAT', tax_id: 'PT1', address_city: '' })
    expect(second.body.data).toEqual({
      ...INITIAL,
      address_company: 'Moreau Lda',
      bill_to: 'AGENCY',
      tax_category: 'BUSINESS_WITH_VAT',
      tax_id: 'PT1',
    })
    expect((await scene.call('PUT', path)).body.data).toEqual(second.body.data)
    expect((await scene.call('GET', path)).body.data).toEqual(second.body.data)
    expect((await scene.call('GET', `accounts/${own}/tax_settings`)).body.data.tax_id).toBeNull()
  })

  test('the record of a new account can be sent back, with the value that only the server sets', async () => {
    const path = `accounts/${(await scene.call('POST', 'accounts')).body.data[0].id}/tax_settings`
    const settings = (await scene.call('GET', path)).body.data
    const sent = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >
    expect(sent.bill_to).toBe('NOT_SET')
    const answer = await scene.call('PUT', path, { ...sent, address_city: 'Lagos' })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toEqual({ ...settings, address_city: 'Lagos' })
  })

  test("the advertiser's address and the exemption are taken and not shown", async () => {
    const values = { business_relationship: 'AGENCY', client_address_name: 'Client', tax_exemption_id: 'X1' }
    const { status, body } = await scene.put('tax_settings', { ...values, client_address_country: 'PT' })
    expect(status).toBe(200)
    expect(Object.keys(body.data).sort()).toEqual(Object.keys(INITIAL).sort())
    const kept = await scene.server.runtime.database.query<{
      client_address_company: string
      tax_exemption_id: string
    }>({
      text: `select client_address_company, tax_exemption_id from ads_tax_settings where client_address_country = 'PT'`,
    })
    expect(kept.rows).toEqual([{ client_address_company: 'Client', tax_exemption_id: 'X1' }])
  })

  test.each([
    ['bill_to', 'NOT_SET', 'must be one of ADVERTISER, AGENCY'],
    ['bill_to', '', 'cannot be cleared'],
    ['tax_category', 'COMPANY', 'must be one of BUSINESS_NO_VAT, BUSINESS_WITH_VAT, INDIVIDUAL'],
    ['invoice_jurisdiction', 'EU', 'must be one of LOI_SAPIN, NONE, NOT_SET'],
    ['address_country', 'pt', 'must be a two-letter country code in upper case'],
    ['address_email', 'nobody', 'must be an email address'],
  ])('%s=%s is refused and changes nothing', async (name, value, details) => {
    await scene.put('tax_settings', { bill_to: 'AGENCY' })
    const before = (await scene.get('tax_settings')).body.data
    const answer = await scene.put('tax_settings', { address_region: 'Nowhere', [name]: value })
    expect(firstError(answer)).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', parameter: name, details })
    expect((await scene.get('tax_settings')).body.data).toEqual(before)
  })
})

describe('user settings', () => {
  const path = (username: string) => `user_settings/${scene.server.userId(username)}`
  const UNSET = { notification_email: '', contact_phone: '', contact_phone_extension: '' }

  test('belong to a user on an account; what is unset is empty text', async () => {
    await grant('bob', 'ANALYST')
    expect((await scene.get(path('bob'), {}, BOB)).body).toEqual({
      request: { params: { account_id: scene.account, user_id: Number(scene.server.userId('bob')) } },
      data: UNSET,
    })
    const values = {
      notification_email: 'b@example.com',
      contact_phone: '+351 21 000 00',
      contact_phone_extension: '7',
    }
    expect((await scene.put(path('bob'), values, BOB)).body.data).toEqual(values)
    const types = { subscribed_email_types: 'ACCOUNT_PERFORMANCE,PERFORMANCE_IMPROVEMENT', contact_phone: '' }
    expect((await scene.put(path('bob'), types, BOB)).body.data).toEqual({ ...values, contact_phone: '' })
    expect((await scene.get(path('alice'))).body.data).toEqual(UNSET)
    expect((await scene.get(path('bob'))).body.data.notification_email).toBe('b@example.com')
  })

  test('are changed only by the user, not by an administrator', async () => {
    expect(firstError(await scene.put(path('bob'), { contact_phone: '123' }))).toMatchObject({
      status: 403,
      code: 'ACTION_NOT_ALLOWED',
      parameter: 'user_id',
    })
    expect(firstError(await scene.get(path('alice'), {}, BOB))).toMatchObject({
      status: 403,
      code: 'ACTION_NOT_ALLOWED',
    })
    expect(firstError(await scene.get(path('dario')))).toMatchObject({ status: 403, code: 'USER_NOT_FOUND' })
  })

  test.each([
    ['notification_email', 'x@', 'must be an email address'],
    ['contact_phone', 'call me', 'must be a phone number'],
    ['contact_phone_extension', 'x', 'must be up to 10 digits'],
    ['subscribed_email_types', 'ALL', 'must be one of ACCOUNT_PERFORMANCE, PERFORMANCE_IMPROVEMENT'],
  ])('%s=%s is refused', async (name, value, details) => {
    const answer = await scene.put(path('alice'), { [name]: value })
    expect(firstError(answer)).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', parameter: name, details })
  })
})
