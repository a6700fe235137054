import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUSINESS_CATEGORIES } from '../../src/ads/categories/business-categories.data.ts'
import { CONTENT_CATEGORIES } from '../../src/ads/categories/content-categories.data.ts'
import { CURATED_CATEGORIES } from '../../src/ads/categories/curated-categories.data.ts'
import { locations } from '../../src/ads/targeting-options/locations.ts'
import { SHOWS } from '../../src/ads/targeting-options/shows.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { addPeople, hash } from './people.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
  await scene.server.command('ads.account.set', { account: scene.account, add_features: ['PREROLL_VIEWS_OBJECTIVE'] })
})
afterAll(() => scene.close())

const firstApp = async (): Promise<string> => (await scene.server.command('app.list')).apps[0].id

const country = (code: string) => targetingValue('country', code)
type Item = [lineItem: string, type: string, value: string | number, operator?: string]
const creation = ([line_item_id, targeting_type, targeting_value, operator_type]: Item) => ({
  operation_type: 'Create',
  params: { line_item_id, targeting_type, targeting_value, ...(operator_type ? { operator_type } : {}) },
})
const deletion = (targeting_criterion_id: string) => ({ operation_type: 'Delete', params: { targeting_criterion_id } })
const batch = (json: unknown) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/targeting_criteria`, {
    as: ALICE,
    json,
  })
const add = (line_item_id: string, targeting_type: string, targeting_value: string, operator_type?: string) =>
  scene.post('targeting_criteria', { line_item_id, targeting_type, targeting_value, operator_type })
const criteriaOf = async (line: string) => (await scene.get('targeting_criteria', { line_item_ids: line })).body.data
const platformsOf = async (line: string): Promise<string[]> =>
  (await criteriaOf(line)).map((item: { name: string }) => item.name)

/** The first error of a reply. */
const firstError = ({ status, body }: TestAnswer) => {
  const first = body.errors?.[0] ?? body.operation_errors?.flat()[0]
  return first ? [status, first.code, first.parameter, first.details] : [status]
}

describe('a batch', () => {
  test('creates and deletes in order, with the operator, and echoes the account', async () => {
    const line = await scene.lineItem()
    const old = (await add(line, 'GENDER', '1')).body.data.id
    const answer = await batch([
      creation([line, 'BROAD_KEYWORD', '+bread rolls']),
      deletion(old),
      creation([line, 'GENDER', 2, 'NE']),
    ])
    const shared = { account_id: scene.account, line_item_id: line }
    expect(answer.body.request).toEqual([
      {
        operation_type: 'Create',
        params: { ...shared, targeting_type: 'BROAD_KEYWORD', targeting_value: '+bread rolls' },
      },
      { operation_type: 'Delete', params: { account_id: scene.account, targeting_criterion_id: old } },
      {
        operation_type: 'Create',
        params: { ...shared, targeting_type: 'GENDER', targeting_value: '2', operator_type: 'NE' },
      },
    ])
    const shown = answer.body.data.map((item: Record<string, unknown>) => [
      item.targeting_type,
      item.targeting_value,
      item.operator_type,
      item.deleted,
    ])
    expect(shown).toEqual([
      ['BROAD_KEYWORD', '+bread rolls', 'EQ', false],
      ['GENDER', '1', 'EQ', true],
      ['GENDER', '2', 'NE', false],
    ])
  })

  test('takes at most 500 operations, no updates, and fails as a whole', async () => {
    const line = await scene.lineItem()
    const many = await batch(Array.from({ length: 501 }, (_, at) => creation([line, 'BROAD_KEYWORD', `w${at}`])))
    expect(firstError(many)).toEqual([400, 'REQUEST_TOO_COMPLEX', undefined, 'a batch has 1 to 500 operations'])
    const update = await batch([{ operation_type: 'Update', params: { targeting_criterion_id: 'a1' } }])
    expect(firstError(update)).toEqual([400, 'INVALID_PARAMETER', 'operation_type', 'must be one of Create, Delete'])
    const mixed = await batch([creation([line, 'GENDER', '1']), creation([line, 'GENDER', '7'])])
    const codes = mixed.body.operation_errors.map((errors: { code: string }[]) => errors.map((item) => item.code))
    expect(codes).toEqual([[], ['INVALID_PARAMETER']])
    expect(await criteriaOf(line)).toEqual([])
  })

  test('fills a line item with 2000 locations and no more', async () => {
    await scene.server.command('ads.account.set', { account: scene.account, add_features: ['CITY_TARGETING'] })
    const line = await scene.lineItem()
    const items = locations()
      .slice(0, 2_001)
      .map((item) => creation([line, 'LOCATION', item.value]))
    for (let at = 0; at < 2_000; at += 500) expect((await batch(items.slice(at, at + 500))).status).toBe(200)
    expect(firstError(await batch(items.slice(2_000)))).toEqual([
      400,
      'INVALID_PARAMETER',
      'targeting_type',
      'a line item has at most 2000 of the type LOCATION',
    ])
  })

  test('takes a show together with its location', async () => {
    const line = await scene.lineItem()
    const tatort = Number(SHOWS.find((item) => item.name === 'Tatort')!.value)
    const answer = await batch([creation([line, 'TV_SHOW', tatort]), creation([line, 'LOCATION', country('DE')])])
    expect(answer.body.data.map((item: { name: string }) => item.name)).toEqual(['Tatort', 'Germany'])
  })

  test('is in the account history', async () => {
    const line = await scene.lineItem()
    const [{ id }] = (await batch([creation([line, 'GENDER', '1'])])).body.data
    const hour = Math.floor(scene.server.runtime.clock.now() / 3600_000) * 3600_000
    const history = await scene.get('account_history', {
      entity_type: 'TARGETING_CRITERIA',
      entity_id: id,
      start_time: new Date(hour).toISOString(),
      end_time: new Date(hour + 3600_000).toISOString(),
    })
    expect(history.body.data).toMatchObject([
      { change_type: 'CREATE', entity_data: { targeting_type: 'GENDER', targeting_value: '1', line_item_id: line } },
    ])
  })
})

describe('pre-roll line items', () => {
  const preroll = () =>
    scene.lineItem({
      objective: 'PREROLL_VIEWS',
      product_type: 'MEDIA',
      categories: BUSINESS_CATEGORIES[0]!.iab_categories[0]!,
    })
  const news = CONTENT_CATEGORIES.find((item) => item.name === 'News & Current Events')!.iab_categories

  test('accept content categories only as complete sets', async () => {
    const line = await preroll()
    expect(news.length).toBeGreaterThan(1)
    const part = await batch(news.slice(1).map((code) => creation([line, 'IAB_CATEGORY', code])))
    expect(firstError(part)).toEqual([
      400,
      'INVALID_PARAMETER',
      'targeting_value',
      `needs the complete set of a content category: ${news.join(', ')}`,
    ])
    const unknown = await batch([creation([line, 'IAB_CATEGORY', 'IAB99'])])
    expect(unknown.body.operation_errors[0][0]).toMatchObject({ code: 'INVALID_IAB_CATEGORY', value: 'IAB99' })
    const made = (await batch(news.map((code) => creation([line, 'IAB_CATEGORY', code])))).body.data
    expect(made.map((item: { targeting_value: string }) => item.targeting_value)).toEqual(news)
    expect(made[0].name).toBe('News')
    expect(firstError(await scene.delete(`targeting_criteria/${made[0].id}`))[3]).toMatch(/complete sets/)
    expect((await batch(made.map((item: { id: string }) => deletion(item.id)))).status).toBe(200)
  })

  test('exclude up to 50 publishers, and 5 beside a curated category', async () => {
    const people = await addPeople(scene.server, 52)
    for (const person of people.slice(0, 51)) await scene.server.command('ads.publisher.set', { user: person.handle })
    const line = await preroll()
    const excluded = (count: number, id: string) =>
      batch(people.slice(0, count).map((person) => creation([id, 'CONTENT_PUBLISHER_USER', person.id, 'NE'])))
    const wanted = await batch([creation([line, 'CONTENT_PUBLISHER_USER', people[0]!.id])])
    expect(firstError(wanted)[3]).toBe('must be NE with the type CONTENT_PUBLISHER_USER')
    const stranger = await batch([creation([line, 'CONTENT_PUBLISHER_USER', people[51]!.id, 'NE'])])
    expect(firstError(stranger).slice(0, 2)).toEqual([400, 'INVALID_USER_ID'])
    expect(firstError(await excluded(51, line))[3]).toBe(
      'a line item with content categories may exclude at most 50 publishers',
    )
    const made = await excluded(50, line)
    // A number with all of its digits, as the platform writes it.
    expect(made.text).toContain(`"targeting_value":${people[0]!.id},`)

    const other = await preroll()
    const curated = CURATED_CATEGORIES[0]!
    await add(other, 'LOCATION', country(curated.country_codes[0]!))
    await scene.made('line_item_curated_categories', { line_item_id: other, curated_category_id: curated.id })
    expect(firstError(await excluded(6, other))[3]).toBe(
      'a line item with a curated category may exclude at most 5 publishers',
    )
    expect((await excluded(5, other)).status).toBe(200)
    const both = await batch(news.map((code) => creation([other, 'IAB_CATEGORY', code])))
    expect(firstError(both)[3]).toBe(
      'the line item has a curated category, which cannot be combined with content categories',
    )
  })

  test('are the only ones that accept these types', async () => {
    const line = await scene.lineItem()
    const answer = await batch(news.map((code) => creation([line, 'IAB_CATEGORY', code])))
    expect(firstError(answer)).toEqual([
      400,
      'INVALID_TARGETING_TYPE',
      'targeting_type',
      'is only allowed with the objective PREROLL_VIEWS',
    ])
  })
})

test('a custom audience must be targetable, owned or shared, and excludes its lookalike', async () => {
  const line = await scene.lineItem()
  const audience = (await scene.made('custom_audiences', { name: 'Readers' })).id
  expect(firstError(await add(line, 'CUSTOM_AUDIENCE', audience))).toEqual([
    400,
    'INVALID_PARAMETER',
    'targeting_value',
    'the audience cannot be targeted: its targetable is false',
  ])
  const people = await addPeople(scene.server, 110)
  const users = people.map((person) => ({ email: [hash(person.email)] }))
  await scene.json('POST', `custom_audiences/${audience}/users`, [{ operation_type: 'Update', params: { users } }])
  await scene.server.command('clock', { advance_ms: 24 * 3600_000 })
  await scene.server.command('ads.work')
  expect((await add(line, 'CUSTOM_AUDIENCE', audience.toUpperCase())).body.data).toMatchObject({
    name: 'Readers',
    targeting_value: audience,
  })
  expect(firstError(await add(line, 'CUSTOM_AUDIENCE_EXPANDED', audience))[3]).toBe(
    'an audience and its lookalike cannot be on the same line item',
  )
  const other = await scene.server.command('ads.account.create', { owner: 'alice', sandbox: true })
  const estimate = () =>
    scene.server.request('POST', `/ads-sandbox/12/accounts/${other.id}/audience_estimate`, {
      as: ALICE,
      json: { targeting_criteria: [{ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audience }] },
    })
  expect(firstError(await estimate()).slice(0, 3)).toEqual([
    404,
    'TAILORED_AUDIENCE_NOT_FOUND',
    'targeting_criteria[0].targeting_value',
  ])
})

describe('a line item with an app', () => {
  const app = (values: Record<string, string>) =>
    scene.lineItem({ objective: 'APP_INSTALLS', placements: 'PLATFORM_TIMELINE', ...values })

  test('gets the platform of each store identifier, once', async () => {
    const line = await app({ platform_b_app_store_identifier: '123456' })
    expect(await platformsOf(line)).toEqual(['Platform_B'])
    await scene.put(`line_items/${line}`, { name: 'Renamed', platform_b_app_store_identifier: '123456' })
    await scene.put(`line_items/${line}`, { platform_b_app_store_identifier: '777' })
    expect(await platformsOf(line)).toEqual(['Platform_B'])
    await scene.put(`line_items/${line}`, { platform_a_app_store_identifier: 'com.example.app' })
    expect(await platformsOf(line)).toEqual(['Platform_B', 'Platform_A'])
  })

  test('keeps to its devices where it targets some of the platform', async () => {
    const line = await app({ platform_b_app_store_identifier: '123456' })
    await add(line, 'DEVICE', targetingValue('device', 'Google/Pixel 8'))
    await scene.put(`line_items/${line}`, { platform_a_app_store_identifier: 'com.example.app' })
    expect(await platformsOf(line)).toEqual(['Platform_B', 'Pixel 8'])
  })

  test('names its platforms in the naming of the caller', async () => {
    const line = await app({ platform_a_app_store_identifier: 'com.example.app' })
    await scene.server.command('app.update', { app: await firstApp(), naming: 'legacy' })
    const names = await platformsOf(line)
    await scene.server.command('app.update', { app: await firstApp(), naming: 'auto' })
    expect(names).toEqual(['Android'])
  })
})

describe('app lists', () => {
  test('show the store of each app; the list of lists shows only names', async () => {
    const made = await scene.made('app_lists', {
      name: 'Rivals',
      app_store_identifiers: 'com.example.one,123456,com.example.one',
    })
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Rivals',
      apps: [
        { app_store_identifier: 'com.example.one', os_type: 'Platform_A' },
        { app_store_identifier: '123456', os_type: 'Platform_B' },
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    expect((await scene.get(`app_lists/${made.id}`)).body.data).toEqual(made)
    const list = await scene.get('app_lists', { app_list_ids: made.id })
    expect(list.body.data).toEqual([{ id: made.id, name: 'Rivals' }])
    expect((await scene.put(`app_lists/${made.id}`, { name: 'x' })).status).toBe(405)
    expect((await scene.delete(`app_lists/${made.id}`)).body.data).toMatchObject({ deleted: true })
    expect((await scene.get(`app_lists/${made.id}`)).status).toBe(404)
    expect((await scene.get(`app_lists/${made.id}`, { with_deleted: true })).status).toBe(200)
    const line = await scene.lineItem()
    expect(firstError(await add(line, 'APP_LIST', made.id, 'NE')).slice(0, 2)).toEqual([404, 'NOT_FOUND'])
  })

  test('have 1 to 500 identifiers of the stores', async () => {
    const of = (app_store_identifiers: string) => scene.post('app_lists', { name: 'x', app_store_identifiers })
    const identifiers = Array.from({ length: 501 }, (_, at) => `com.a${at}`)
    expect(firstError(await of(identifiers.join()))[3]).toBe('must have 1 to 500 items')
    expect((await of(identifiers.slice(1).join())).status).toBe(200)
    expect(firstError(await of('not an app'))[3]).toBe('must be a package name or an app store number')
    // The same rule as for line items and cards: each part of a package name begins with a letter.
    expect((await of('com.1app')).status).toBe(400)
    expect(firstError(await of(''))[1]).toBe('MISSING_PARAMETER')
  })

  test('are at most 100 for an account', async () => {
    const { id } = await scene.server.command('ads.account.create', { owner: 'alice', sandbox: true })
    const create = () => scene.call('POST', `accounts/${id}/app_lists`, { name: 'x', app_store_identifiers: '1' })
    for (let at = 0; at < 100; at++) expect((await create()).status).toBe(200)
    expect(firstError(await create())).toEqual([
      400,
      'INVALID_PARAMETER',
      'name',
      'an account has at most 100 app lists',
    ])
  })
})
