import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstAppId } from '../../src/world/first-facts.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
const campaigns: string[] = []
beforeAll(async () => {
  scene = await startAdsScene()
  for (const name of ['Apple', 'apricot', 'Banana', 'Cherry', 'Date']) campaigns.push(await scene.campaign({ name }))
})
afterAll(() => scene.close())

const names = (body: { data: { name: string }[] }) => body.data.map((item) => item.name)

describe('the envelope', () => {
  test('echoes what was read in typed form: lists, numbers, truth values, times in UTC', async () => {
    const list = await scene.get('campaigns', {
      campaign_ids: campaigns.slice(0, 2).join(','),
      count: 7,
      with_deleted: 'true',
      sort_by: 'name-asc',
    })
    expect(list.body.request).toEqual({
      params: {
        account_id: scene.account,
        campaign_ids: campaigns.slice(0, 2),
        count: 7,
        with_deleted: true,
        sort_by: ['name-asc'],
      },
    })
    const item = await scene.made('line_items', {
      campaign_id: campaigns[0]!,
      objective: 'REACH',
      product_type: 'PROMOTED_POSTS',
      placements: 'PLATFORM_TIMELINE,PLATFORM_SEARCH',
      start_time: '2026-03-01T02:00:00+0200',
      end_time: '2026-04-01',
    })
    expect(item).toMatchObject({ start_time: '2026-03-01T00:00:00Z', end_time: '2026-04-01T00:00:00Z' })
  })

  test('leaves out what was not sent', async () => {
    expect((await scene.get('campaigns')).body.request).toEqual({ params: { account_id: scene.account } })
  })

  test('takes parameters from a form as from the query', async () => {
    const answer = await scene.server.request('POST', `/ads-sandbox/12/accounts/${scene.account}/campaigns`, {
      as: ALICE,
      form: { funding_instrument_id: scene.funding, name: 'From a form', daily_budget_amount_local_micro: '1000000' },
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.name).toBe('From a form')
    expect(answer.body.request.params.daily_budget_amount_local_micro).toBe(1_000_000)
    await scene.delete(`campaigns/${answer.body.data.id}`)
  })

  test('refuses a JSON body where none is named, and a form where JSON is', async () => {
    const json = await scene.json('POST', 'campaigns', { name: 'x' })
    expect(json.status).toBe(415)
    expect(json.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'Content-Type' })
    const form = await scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/campaigns`, {
      as: ALICE,
      form: { a: 'b' },
    })
    expect(form.status).toBe(415)
  })
})

describe('lists', () => {
  test('page by cursor until next_cursor is null, in the order of creation unless sorted', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await scene.get('campaigns', { count: 2, cursor })
      expect(page.status, page.text).toBe(200)
      seen.push(...names(page.body))
      cursor = page.body.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(['Apple', 'apricot', 'Banana', 'Cherry', 'Date'])
  })

  test.each([
    'name-asc',
    'name-desc',
    'created_at-desc',
    'updated_at-desc',
    'daily_budget_amount_local_micro-asc,name-desc',
    'deleted-asc',
    'end_time-desc',
  ])('sorted by %s show every record once over all pages', async (sort_by) => {
    const whole = names((await scene.get('campaigns', { sort_by })).body)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await scene.get('campaigns', { count: 2, sort_by, cursor })
      expect(page.status, page.text).toBe(200)
      seen.push(...names(page.body))
      cursor = page.body.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(whole)
    expect(new Set(seen).size).toBe(5)
  })

  test('refuse an attribute that cannot be sorted by, and name those that can', async () => {
    const answer = await scene.get('campaigns', { sort_by: 'currency-asc' })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'sort_by' })
    expect(answer.body.errors[0].details).toContain('name-asc')
  })

  test('refuse a malformed cursor, and one of another order', async () => {
    const { next_cursor } = (await scene.get('campaigns', { count: 1 })).body
    for (const values of [{ cursor: 'abc' }, { cursor: next_cursor, sort_by: 'name-asc' }]) {
      const answer = await scene.get('campaigns', values)
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'cursor' })
    }
  })

  test.each([0, 1001, 'many'])('refuse a count of %s', async (count) => {
    const answer = await scene.get('campaigns', { count })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].parameter).toBe('count')
  })

  test('find names by a prefix, whatever the case, and take its signs literally', async () => {
    expect(names((await scene.get('campaigns', { q: 'AP' })).body)).toEqual(['Apple', 'apricot'])
    expect(names((await scene.get('campaigns', { q: '%' })).body)).toEqual([])
    expect((await scene.get('campaigns', { q: '' })).status).toBe(400)
  })

  test('count all records when asked, which excludes a cursor', async () => {
    const counted = await scene.get('campaigns', { count: 1, with_total_count: true })
    expect(counted.body.total_count).toBe(5)
    expect((await scene.get('campaigns', { count: 1 })).body).not.toHaveProperty('total_count')
    const both = await scene.get('campaigns', { cursor: counted.body.next_cursor, with_total_count: true })
    expect(both.status).toBe(400)
    expect(both.body.errors[0].code).toBe('EXCLUSIVE_PARAMETERS')
  })

  test('take up to 200 ids in a filter', async () => {
    const ids = (length: number) => Array.from({ length }, (_, at) => (at + 36).toString(36)).join(',')
    expect((await scene.get('campaigns', { campaign_ids: ids(200) })).body.data).toEqual([])
    expect((await scene.get('campaigns', { campaign_ids: ids(201) })).body.errors[0].parameter).toBe('campaign_ids')
    expect((await scene.get('campaigns', { campaign_ids: campaigns[3]!.toUpperCase() })).body.data[0].id).toBe(
      campaigns[3],
    )
  })

  test('show deleted records only when asked', async () => {
    const id = await scene.campaign({ name: 'Gone' })
    await scene.delete(`campaigns/${id}`)
    expect(names((await scene.get('campaigns')).body)).not.toContain('Gone')
    expect(names((await scene.get('campaigns', { with_deleted: true })).body)).toContain('Gone')
  })

  test('show drafts only when asked', async () => {
    const id = await scene.campaign({ name: 'A draft', entity_status: 'DRAFT' })
    expect(names((await scene.get('campaigns')).body)).not.toContain('A draft')
    expect(names((await scene.get('campaigns', { with_draft: true })).body)).toContain('A draft')
    await scene.delete(`campaigns/${id}`)
  })
})

describe('changes', () => {
  test('change only what is sent, and an empty value clears an optional member', async () => {
    const id = await scene.campaign({ total_budget_amount_local_micro: 9_000_000, purchase_order_number: 'PO 1' })
    const renamed = await scene.put(`campaigns/${id}`, { name: 'Renamed' })
    expect(renamed.body.data).toMatchObject({
      name: 'Renamed',
      total_budget_amount_local_micro: 9_000_000,
      purchase_order_number: 'PO 1',
    })
    const cleared = await scene.put(`campaigns/${id}`, { purchase_order_number: '' })
    expect(cleared.body.data.purchase_order_number).toBeNull()
    const needed = await scene.put(`campaigns/${id}`, { name: '' })
    expect(needed.status).toBe(400)
    expect(needed.body.errors[0].parameter).toBe('name')
    await scene.delete(`campaigns/${id}`)
  })

  test('report every error of a request at once', async () => {
    const answer = await scene.post('campaigns', { entity_status: 'RUNNING', daily_budget_amount_local_micro: 'much' })
    expect(answer.status).toBe(400)
    expect(
      answer.body.errors.map((fault: { code: string; parameter: string }) => `${fault.code} ${fault.parameter}`).sort(),
    ).toEqual([
      'INVALID_PARAMETER daily_budget_amount_local_micro',
      'INVALID_PARAMETER entity_status',
      'MISSING_PARAMETER funding_instrument_id',
      'MISSING_PARAMETER name',
    ])
    expect(
      answer.body.errors.find((fault: { parameter: string }) => fault.parameter === 'entity_status').details,
    ).toContain('ACTIVE, DRAFT, PAUSED')
  })

  test('answer 404 for a deleted record, also when it is deleted again', async () => {
    const id = await scene.campaign()
    expect((await scene.delete(`campaigns/${id}`)).body.data).toMatchObject({ id, deleted: true })
    for (const answer of [
      await scene.delete(`campaigns/${id}`),
      await scene.get(`campaigns/${id}`),
      await scene.put(`campaigns/${id}`, { name: 'x' }),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body.errors[0]).toMatchObject({ code: 'CAMPAIGN_NOT_FOUND', parameter: 'campaign_id' })
    }
    expect((await scene.get(`campaigns/${id}`, { with_deleted: true })).body.data.deleted).toBe(true)
  })

  test('do not reach the records of another account', async () => {
    const other = (await scene.call('POST', 'accounts')).body.data[0].id
    const answer = await scene.call('GET', `accounts/${other}/campaigns/${campaigns[0]}`)
    expect(answer.status).toBe(404)
    const taken = await scene.call('POST', `accounts/${other}/campaigns`, {
      funding_instrument_id: scene.funding,
      name: 'x',
      daily_budget_amount_local_micro: 1_000_000,
    })
    expect(taken.status).toBe(404)
    expect(taken.body.errors[0].code).toBe('FUNDING_INSTRUMENT_NOT_FOUND')
  })
})

describe('batches', () => {
  const batch = (json: unknown) =>
    scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/campaigns`, { as: ALICE, json })
  const create = (name: string) => ({
    operation_type: 'Create',
    params: { funding_instrument_id: scene.funding, name, daily_budget_amount_local_micro: 1_000_000 },
  })

  test('do all of their operations in order, and echo each with the account', async () => {
    const id = await scene.campaign({ name: 'To change' })
    const gone = await scene.campaign({ name: 'To delete' })
    const answer = await batch([
      create('Batch one'),
      { operation_type: 'Update', params: { campaign_id: id, name: 'Changed' } },
      { operation_type: 'Delete', params: { campaign_id: gone } },
    ])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.map((item: { name: string; deleted: boolean }) => [item.name, item.deleted])).toEqual([
      ['Batch one', false],
      ['Changed', false],
      ['To delete', true],
    ])
    expect(answer.body.request[1]).toEqual({
      params: { account_id: scene.account, campaign_id: id, name: 'Changed' },
      operation_type: 'Update',
    })
    for (const item of answer.body.data) await scene.delete(`campaigns/${item.id}`)
  })

  test('do nothing when one operation is wrong, and report its errors at its position', async () => {
    const before = (await scene.get('campaigns', { with_total_count: true, with_deleted: true })).body.total_count
    const answer = await batch([
      create('Not made'),
      { operation_type: 'Create', params: { name: 'No money' } },
      { operation_type: 'Destroy', params: {} },
    ])
    expect(answer.status).toBe(400)
    expect(answer.body.operation_errors[0]).toEqual([])
    expect(answer.body.operation_errors[1][0]).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'funding_instrument_id',
    })
    expect(answer.body.operation_errors[2][0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'operation_type' })
    expect((await scene.get('campaigns', { with_total_count: true, with_deleted: true })).body.total_count).toBe(before)
  })

  test('have at most 40 operations, which is an error of the whole request', async () => {
    const answer = await batch(Array.from({ length: 41 }, (_, at) => create(`Number ${at}`)))
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].details).toContain('40')
    expect(answer.body).not.toHaveProperty('operation_errors')
  })
})

describe('access', () => {
  const bob: As = { user: 'bob' }

  test('goes by the role of the user on the account', async () => {
    const roles: [permission: string, sees: number, manages: number][] = [
      ['AD_MANAGER', 200, 200],
      ['CREATIVE_MANAGER', 200, 403],
      ['CAMPAIGN_ANALYST', 200, 403],
      ['ANALYST', 403, 403],
      ['PARTNER_AUDIENCE_MANAGER', 403, 403],
    ]
    for (const [permission, sees, manages] of roles) {
      await scene.server.command('ads.account.grant', {
        account: scene.account,
        user: 'bob',
        permissions: [permission],
      })
      expect((await scene.get('campaigns', {}, bob)).status, permission).toBe(sees)
      const changed = await scene.put(`campaigns/${campaigns[0]}`, { name: 'Apple' }, bob)
      expect(changed.status, permission).toBe(manages)
      if (manages === 403) expect(changed.body.errors[0].code).toBe('ACTION_NOT_ALLOWED')
      expect((await scene.call('PUT', `accounts/${scene.account}`, { name: 'Bob' }, bob)).status, permission).toBe(403)
    }
  })

  test('is refused on an account whose id has illegal characters', async () => {
    const answer = await scene.call('GET', 'accounts/a-b!/campaigns')
    expect(answer.status).toBe(404)
    expect(answer.body.errors[0].code).toBe('INVALID_ID_ILLEGAL_CHARACTERS')
  })

  test('is only for reading with a token of the level read', async () => {
    await scene.server.command('ads.account.grant', {
      account: scene.account,
      user: 'bob',
      permissions: ['AD_MANAGER'],
    })
    const pair = await scene.server.command('user.token', { user: 'bob', app: firstAppId(0), access_level: 'read' })
    const keys = { ...scene.server.keysOf('bob'), token: pair.access_token, tokenSecret: pair.access_token_secret }
    expect((await scene.get('campaigns', {}, { keys })).status).toBe(200)
    const answer = await scene.post('campaigns', { name: 'x' }, { keys })
    expect(answer.status).toBe(403)
    expect(answer.body.errors[0].code).toBe('READONLY_CLIENT_APPLICATION')
  })
})

describe('addresses', () => {
  test('of the sandbox and of production hold separate data', async () => {
    const { server } = scene
    const production = server.credentials.ads_account_id
    expect((await server.get(`/ads/12/accounts/${production}`, ALICE)).body.data.name).toBe('First account')
    expect((await server.get(`/ads-sandbox/12/accounts/${production}`, ALICE)).status).toBe(403)
    expect((await server.get(`/ads/12/accounts/${scene.account}`, ALICE)).status).toBe(403)
    const ids = async (base: string) =>
      (await server.get(`${base}/12/accounts`, ALICE)).body.data.map((item: { id: string }) => item.id)
    expect(await ids('/ads')).toEqual([production])
    expect(await ids('')).toEqual([production])
    expect(await ids('/ads-sandbox')).toContain(scene.account)
    expect(await ids('/ads-sandbox')).not.toContain(production)
  })

  test('of sandbox-only calls are not found in production', async () => {
    const answer = await scene.server.request('POST', '/ads/12/accounts', { as: ALICE })
    expect(answer.status).toBe(404)
    expect(answer.body.errors[0].code).toBe('ROUTE_NOT_FOUND')
  })

  test('of version 11 answer as version 12 and say that it is deprecated', async () => {
    const answer = await scene.server.get(`/ads-sandbox/11/accounts/${scene.account}/campaigns`, ALICE)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-current-api-version')).toBe('12')
    expect(answer.headers.get('x-api-warn')).toContain('12')
    expect((await scene.get('campaigns')).headers.get('x-api-warn')).toBeNull()
  })

  test('of version 11 always answer in the legacy words, also with an app that speaks the others', async () => {
    const id = await scene.lineItem()
    const path = `accounts/${scene.account}/line_items/${id}`
    const legacy = await scene.server.get(`/ads-sandbox/11/${path}`, ALICE)
    expect(legacy.body.data).toMatchObject({ product_type: 'PROMOTED_TWEETS', ios_app_store_identifier: null })
    expect((await scene.server.get(`/ads-sandbox/12/${path}`, ALICE)).body.data.product_type).toBe('PROMOTED_POSTS')
    const refused = await scene.server.request('PUT', `/ads-sandbox/11/${path}?name=`, { as: ALICE })
    expect(refused.status, refused.text).toBe(200)
    const unfit = await scene.server.request('PUT', `/ads-sandbox/11/${path}?platform_b_app_store_identifier=x`, {
      as: ALICE,
    })
    expect(unfit.body.errors[0].parameter, unfit.text).toBe('ios_app_store_identifier')
  })

  test('that are not there are ROUTE_NOT_FOUND, and with the wrong method METHOD_NOT_ALLOWED', async () => {
    for (const path of ['/ads/12/nothing', '/12/nothing', '/ads/4/accounts', '/ads'])
      expect((await scene.server.get(path, ALICE)).body.errors[0].code, path).toBe('ROUTE_NOT_FOUND')
    const answer = await scene.server.request('DELETE', '/ads/12/accounts', { as: ALICE })
    expect(answer.status).toBe(405)
    expect(answer.body.errors[0].code).toBe('METHOD_NOT_ALLOWED')
  })

  test('take the legacy spelling of paths, parameters and words, and answer in it', async () => {
    const campaign = await scene.campaign()
    const answer = await scene.post('line_items', {
      campaign_id: campaign,
      objective: 'APP_INSTALLS',
      product_type: 'PROMOTED_TWEETS',
      placements: 'TWITTER_TIMELINE,TWITTER_SEARCH',
      ios_app_store_identifier: '12345',
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({
      product_type: 'PROMOTED_TWEETS',
      placements: ['TWITTER_TIMELINE', 'TWITTER_SEARCH'],
      ios_app_store_identifier: '12345',
    })
    expect(answer.body.request.params).toMatchObject({
      product_type: 'PROMOTED_TWEETS',
      ios_app_store_identifier: '12345',
    })
  })
})
