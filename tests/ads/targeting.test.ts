import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENTS } from '../../src/ads/targeting-options/calendar.ts'
import { SHOWS } from '../../src/ads/targeting-options/shows.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
  await scene.server.command('ads.account.set', {
    account: scene.account,
    add_features: [
      'AGE_TARGETING',
      'EVENT_TARGETING',
      'ENGAGER_RETARGETING',
      'INSTALLED_APP_CATEGORY_TARGETING',
      'CITY_TARGETING',
      'PREROLL_VIEWS_OBJECTIVE',
    ],
  })
})
afterAll(() => scene.close())

const country = (code: string) => targetingValue('country', code)
const show = (name: string) => SHOWS.find((item) => item.name === name)!.value
const device = (maker: string, name: string) => targetingValue('device', `${maker}/${name}`)

/** Adds a criterion to a line item. */
const add = (line_item_id: string, targeting_type: string, targeting_value: string, operator_type?: string) =>
  scene.post('targeting_criteria', { line_item_id, targeting_type, targeting_value, operator_type })

type Item = [lineItem: string, type: string, value: string | number, operator?: string]
const creation = ([line_item_id, targeting_type, targeting_value, operator_type]: Item) => ({
  operation_type: 'Create',
  params: { line_item_id, targeting_type, targeting_value, ...(operator_type ? { operator_type } : {}) },
})
const batch = (json: unknown, account = scene.account) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${account}/targeting_criteria`, { as: ALICE, json })

/** The first error of a reply, without what it repeats. */
const firstError = ({ status, body }: TestAnswer) => {
  const first = body.errors?.[0] ?? body.operation_errors?.flat()[0]
  return first ? [status, first.code, first.parameter, first.details] : [status]
}

test('a criterion is created, read, listed and deleted; only lists show the operator', async () => {
  const line = await scene.lineItem()
  const made = await add(line, 'LOCATION', country('PT'), 'NE')
  expect(made.body.request.params).toEqual({
    account_id: scene.account,
    line_item_id: line,
    targeting_type: 'LOCATION',
    targeting_value: country('PT'),
    operator_type: 'NE',
  })
  const { id, created_at } = made.body.data
  const shown = {
    id,
    line_item_id: line,
    targeting_type: 'LOCATION',
    name: 'Portugal',
    targeting_value: country('PT'),
    location_type: 'COUNTRIES',
    created_at,
    updated_at: created_at,
    deleted: false,
  }
  expect(made.body.data).toEqual(shown)
  expect((await scene.get(`targeting_criteria/${id}`)).body.data).toEqual(shown)
  const list = await scene.get('targeting_criteria', { line_item_ids: line, targeting_criterion_ids: id })
  expect(list.body.data).toEqual([{ ...shown, operator_type: 'NE' }])
  await scene.server.command('clock', { advance_ms: 2_000 })
  const deleted = (await scene.delete(`targeting_criteria/${id}`)).body.data
  expect(deleted).toEqual({ ...shown, deleted: true, updated_at: expect.any(String) })
  expect(deleted.updated_at > created_at).toBe(true)
  expect((await scene.get('targeting_criteria', { line_item_ids: line })).body.data).toEqual([])
  expect((await scene.get('targeting_criteria', { line_item_ids: line, with_deleted: true })).body.data).toHaveLength(1)
  expect(firstError(await scene.get(`targeting_criteria/${id}`))).toEqual([
    404,
    'TARGETING_CRITERION_NOT_FOUND',
    'targeting_criterion_id',
    undefined,
  ])
  expect((await scene.delete(`targeting_criteria/${id}`)).status).toBe(404)
  expect((await scene.put(`targeting_criteria/${id}`, {})).body.errors[0].code).toBe('METHOD_NOT_ALLOWED')
})

test('a list must name line items, at most 200', async () => {
  expect(firstError(await scene.get('targeting_criteria'))).toEqual([
    400,
    'MISSING_PARAMETER',
    'line_item_ids',
    undefined,
  ])
  const many = await scene.get('targeting_criteria', {
    line_item_ids: Array.from({ length: 201 }, (_, at) => `a${at}`).join(),
  })
  expect(firstError(many)).toEqual([400, 'INVALID_PARAMETER', 'line_item_ids', 'must have 1 to 200 items'])
})

test('lang adds the localized name where there is one', async () => {
  const line = await scene.lineItem()
  for (const [type, value] of [
    ['LOCATION', country('DE')],
    ['LANGUAGE', 'pt'],
    ['PLATFORM', '4'],
    ['GENDER', '2'],
    ['PHRASE_KEYWORD', 'bread'],
  ] as const)
    expect((await add(line, type, value)).status).toBe(200)
  const list = await scene.get('targeting_criteria', { line_item_ids: line, lang: 'fr' })
  expect(
    list.body.data.map((item: { name: string; localized_name?: string }) => [item.name, item.localized_name]),
  ).toEqual([
    ['Germany', 'Allemagne'],
    ['Portuguese', 'portugais'],
    ['Desktop and laptop computers', 'Ordinateurs de bureau et portables'],
    ['Female', 'Femme'],
    ['bread', undefined],
  ])
  const plain = await scene.get('targeting_criteria', { line_item_ids: line })
  expect(plain.text).not.toContain('localized_name')
  const one = await scene.get(`targeting_criteria/${plain.body.data[0].id}`, { lang: 'xx' })
  expect(one.body.data.localized_name).toBeUndefined()
})

test('values that are records show the names of these', async () => {
  const campaign = await scene.campaign({ name: 'Autumn' })
  const line = await scene.lineItem({ campaign_id: campaign })
  const list = await scene.made('app_lists', { name: 'Rivals', app_store_identifiers: 'com.example.one' })
  const alice = scene.server.userId('alice')
  const names = []
  for (const [type, value, operator] of [
    ['CAMPAIGN_ENGAGEMENT', campaign],
    ['USER_ENGAGEMENT', alice],
    ['FOLLOWERS_OF_USER', alice],
    ['SIMILAR_TO_FOLLOWERS_OF_USER', scene.server.userId('erin')],
    ['APP_LIST', list.id, 'NE'],
    ['AGE', 'AGE_OVER_21'],
    ['ENGAGEMENT_TYPE', 'IMPRESSION'],
    ['INTEREST', targetingValue('interest', 'Food and drink/Baking')],
    ['EVENT', EVENTS.at(-1)!.value],
  ] as const)
    names.push((await add(line, type, value, operator)).body.data?.name)
  expect(names).toEqual([
    'Autumn',
    'alice',
    'alice',
    'erin',
    'Rivals',
    '21 and up',
    'IMPRESSION',
    'Food and drink/Baking',
    EVENTS.at(-1)!.name,
  ])
  await scene.put(`campaigns/${campaign}`, { name: 'Winter' })
  const shown = await scene.get('targeting_criteria', { line_item_ids: line })
  expect(shown.body.data[0].name).toBe('Winter')
})

describe('a criterion is refused', () => {
  const unknown = '1'
  const cases: [
    says: string,
    type: string,
    value: string,
    operator: string | undefined,
    code: string,
    details?: RegExp,
  ][] = [
    ['an unknown type', 'NEGATIVE_PHRASE_KEYWORD', 'x', undefined, 'UNKNOWN_CRITERIA_TYPE', /AGE, DEVICE/],
    ['a content category outside a batch', 'IAB_CATEGORY', 'IAB17', undefined, 'INVALID_TARGETING_TYPE', /batch/],
    ['a publisher outside a batch', 'CONTENT_PUBLISHER_USER', unknown, 'NE', 'INVALID_TARGETING_TYPE', /batch/],
    ['an age outside the list', 'AGE', 'AGE_5_TO_9', undefined, 'INVALID_PARAMETER', /AGE_13_TO_24/],
    ['a gender outside the list', 'GENDER', '3', undefined, 'INVALID_PARAMETER', /1 \(male\) or 2/],
    ['a gender that every object has', 'GENDER', 'constructor', undefined, 'INVALID_PARAMETER', /1 \(male\) or 2/],
    ['a Wi-Fi value other than 1', 'WIFI_ONLY', '2', undefined, 'INVALID_PARAMETER', /must be 1/],
    ['an unknown engagement', 'ENGAGEMENT_TYPE', 'LOOK', undefined, 'INVALID_PARAMETER', /VIDEO_VIEW_PARTIAL/],
    ['a location of no lookup', 'LOCATION', 'PT', undefined, 'INVALID_PARAMETER', /targeting_criteria\/locations/],
    ['an interest of no lookup', 'INTEREST', '9', undefined, 'INVALID_PARAMETER', /interests/],
    ['a language of no lookup', 'LANGUAGE', 'xx', undefined, 'INVALID_PARAMETER', /languages/],
    ['a device of no lookup', 'DEVICE', 'x', undefined, 'INVALID_PARAMETER', /devices/],
    ['a platform of no lookup', 'PLATFORM', '5', undefined, 'INVALID_PARAMETER', /platforms/],
    ['a version of no lookup', 'PLATFORM_VERSION', '17', undefined, 'INVALID_PARAMETER', /platform_versions/],
    ['an operator of no lookup', 'NETWORK_OPERATOR', 'x', undefined, 'INVALID_PARAMETER', /network_operators/],
    ['a conversation of no lookup', 'CONVERSATION', 'x', undefined, 'INVALID_PARAMETER', /conversations/],
    ['an event of no lookup', 'EVENT', 'x', undefined, 'INVALID_PARAMETER', /events/],
    ['a live event of no lookup', 'LIVE_TV_EVENT', 'x', undefined, 'INVALID_PARAMETER', /events/],
    ['an app category of no lookup', 'APP_STORE_CATEGORY', 'x', undefined, 'INVALID_PARAMETER', /app_store_categories/],
    ['a show of no lookup', 'TV_SHOW', '1', undefined, 'INVALID_PARAMETER', /tv_shows/],
    ['a keyword without words', 'BROAD_KEYWORD', '...', undefined, 'INVALID_PARAMETER', /word or phrase/],
    ['an app list with EQ', 'APP_LIST', 'a1', undefined, 'INVALID_PARAMETER', /must be NE/],
    ['an activation duration with EQ', 'NETWORK_ACTIVATION_DURATION', '3', undefined, 'INVALID_PARAMETER', /LT or GTE/],
    [
      'an activation duration that is not a number',
      'NETWORK_ACTIVATION_DURATION',
      'x',
      'LT',
      'INVALID_PARAMETER',
      /months/,
    ],
    ['a gender with GTE', 'GENDER', '1', 'GTE', 'INVALID_PARAMETER', /EQ or NE/],
    ['an excluded lookalike', 'CUSTOM_AUDIENCE_EXPANDED', 'a1', 'NE', 'INVALID_PARAMETER', /must be EQ/],
    ['a campaign that is not there', 'CAMPAIGN_ENGAGEMENT', 'a1', undefined, 'CAMPAIGN_NOT_FOUND'],
    ['a user that is not there', 'SIMILAR_TO_FOLLOWERS_OF_USER', unknown, undefined, 'INVALID_USER_ID'],
    [
      'followers of a user who is not FULL',
      'FOLLOWERS_OF_USER',
      unknown,
      undefined,
      'PROMOTABLE_USER_NOT_FOUND',
      /FULL/,
    ],
    [
      'engagement with a user who is not promotable',
      'USER_ENGAGEMENT',
      unknown,
      undefined,
      'PROMOTABLE_USER_NOT_FOUND',
    ],
    ['an app list that is not there', 'APP_LIST', 'a1', 'NE', 'NOT_FOUND'],
    ['an audience that is not there', 'CUSTOM_AUDIENCE', 'a1', undefined, 'TAILORED_AUDIENCE_NOT_FOUND'],
    [
      'a lookalike of no audience',
      'CUSTOM_AUDIENCE_EXPANDED',
      'a1',
      undefined,
      'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND',
    ],
    [
      'an exact keyword outside search',
      'EXACT_KEYWORD',
      'bread',
      undefined,
      'INVALID_TARGETING_TYPE',
      /PLATFORM_SEARCH as the only placement/,
    ],
    [
      'an engagement type without an engagement',
      'ENGAGEMENT_TYPE',
      'IMPRESSION',
      undefined,
      'INVALID_TARGETING_TYPE',
      /CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT/,
    ],
    [
      'a show without a location',
      'TV_SHOW',
      SHOWS[0]!.value,
      undefined,
      'INVALID_TV_SHOW_LOCATIONS',
      /at least one LOCATION/,
    ],
  ]
  let line = ''
  beforeAll(async () => {
    line = await scene.lineItem()
  })
  test.each(cases)('for %s', async (_, type, value, operator, code, details = /^$/) => {
    const answer = await add(line, type, value, operator)
    expect(answer.body.errors?.[0].code, answer.text).toBe(code)
    expect(answer.status).toBe(code.endsWith('NOT_FOUND') ? 404 : 400)
    expect(answer.body.errors[0].details ?? '').toMatch(details)
    expect((await scene.get('targeting_criteria', { line_item_ids: line })).body.data).toEqual([])
  })
})

test('gated types need their feature', async () => {
  const bare = { owner: 'alice', sandbox: true, features: [] }
  const { id: account } = await scene.server.command('ads.account.create', bare)
  const call = (path: string, values: Record<string, string | number>) =>
    scene.call('POST', `accounts/${account}/${path}`, values)
  const funding = await call('funding_instruments', { type: 'CREDIT_LINE', currency: 'USD', start_time: '2026-01-01' })
  const campaign = await call('campaigns', {
    funding_instrument_id: funding.body.data.id,
    name: 'x',
    daily_budget_amount_local_micro: 1_000_000,
  })
  const made = await call('line_items', {
    campaign_id: campaign.body.data.id,
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_TWITTER',
  })
  const line_item_id = made.body.data.id
  const needs: Record<string, string> = {}
  for (const [type, value] of [
    ['AGE', 'AGE_OVER_13'],
    ['EVENT', EVENTS[0]!.value],
    ['APP_STORE_CATEGORY', 'x'],
    ['ENGAGEMENT_TYPE', 'IMPRESSION'],
    ['CAMPAIGN_ENGAGEMENT', 'a1'],
    ['USER_ENGAGEMENT', '1'],
    ['LOCATION', targetingValue('city', 'PT-11:Lisbon')],
  ] as const) {
    const { status, body } = await call('targeting_criteria', {
      line_item_id,
      targeting_type: type,
      targeting_value: value,
    })
    expect([status, body.errors[0].code]).toEqual([400, 'FEATURE_NOT_AVAILABLE'])
    needs[type] = body.errors[0].details.replace('needs the account feature ', '')
  }
  expect(needs).toEqual({
    AGE: 'AGE_TARGETING or VALIDATED_AGE_TARGETING',
    EVENT: 'EVENT_TARGETING',
    APP_STORE_CATEGORY: 'INSTALLED_APP_CATEGORY_TARGETING',
    ENGAGEMENT_TYPE: 'ENGAGER_RETARGETING',
    CAMPAIGN_ENGAGEMENT: 'ENGAGER_RETARGETING',
    USER_ENGAGEMENT: 'ENGAGER_RETARGETING',
    LOCATION: 'CITY_TARGETING',
  })
  const foreign = await call('targeting_criteria', {
    line_item_id: await scene.lineItem(),
    targeting_type: 'GENDER',
    targeting_value: '1',
  })
  expect(firstError(foreign).slice(0, 3)).toEqual([404, 'LINE_ITEM_NOT_FOUND', 'line_item_id'])
})

test('a line item has one age bucket, one event, 100 interests, and nothing twice', async () => {
  const line = await scene.lineItem()
  expect((await add(line, 'AGE', 'AGE_OVER_13')).status).toBe(200)
  expect(firstError(await add(line, 'AGE', 'AGE_OVER_18'))[3]).toBe('a line item has at most 1 of the type AGE')
  expect((await add(line, 'EVENT', EVENTS[0]!.value)).status).toBe(200)
  expect(firstError(await add(line, 'EVENT', EVENTS[1]!.value))[3]).toBe('a line item has at most 1 of the type EVENT')
  expect((await add(line, 'PHRASE_KEYWORD', 'night train')).status).toBe(200)
  expect(firstError(await add(line, 'PHRASE_KEYWORD', ' Night  TRAIN', 'NE'))[3]).toBe(
    'the line item already has this criterion',
  )
  const { data } = (await scene.call('GET', 'targeting_criteria/interests', { count: 101 })).body
  const items = data.map((item: { targeting_value: string }): Item => [line, 'INTEREST', item.targeting_value])
  const over = await batch(items.map(creation))
  expect(over.body.operation_errors.map((errors: unknown[]) => errors.length)).toEqual([...Array(100).fill(0), 1])
  expect((await batch(items.slice(1).map(creation))).body.data).toHaveLength(100)
  const words = Array.from(
    { length: 499 },
    (_, at): Item => [line, at % 2 ? 'BROAD_KEYWORD' : 'UNORDERED_KEYWORD', `word${at}`],
  )
  expect((await batch(words.map(creation))).status).toBe(200)
  expect((await batch(words.map(([id, type, word]) => creation([id, type, `more${word}`])))).status).toBe(200)
  expect((await add(line, 'PHRASE_KEYWORD', 'the last one')).status).toBe(200)
  expect(firstError(await add(line, 'BROAD_KEYWORD', 'one too many'))[3]).toBe('a line item has at most 1000 keywords')
})

test('a platform and a device inside it exclude each other, others do not', async () => {
  const line = await scene.lineItem()
  expect((await add(line, 'PLATFORM', '0')).status).toBe(200)
  expect((await add(line, 'DEVICE', device('Google', 'Pixel 8'))).status).toBe(200)
  const inside = 'a device cannot be combined with its platform'
  expect(firstError(await add(line, 'DEVICE', device('Apple', 'iPhone 15')))[3]).toBe(inside)
  expect(firstError(await add(line, 'PLATFORM', '1'))[3]).toBe(inside)
})

test('a show must be broadcast in the country of every location', async () => {
  const line = await scene.lineItem()
  const locations = [(await add(line, 'LOCATION', country('DE'))).body.data.id]
  expect(firstError(await add(line, 'TV_SHOW', show('EastEnders'))).slice(0, 2)).toEqual([
    400,
    'TV_SHOW_OUTSIDE_MARKET',
  ])
  expect((await add(line, 'TV_SHOW', show('Tatort'))).status).toBe(200)
  expect(firstError(await add(line, 'LOCATION', country('GB'))).slice(0, 2)).toEqual([400, 'INVALID_TV_SHOW_LOCATIONS'])
  expect((await add(line, 'LOCATION', targetingValue('region', 'DE-BY'))).status).toBe(200)
  locations.push((await scene.get('targeting_criteria', { line_item_ids: line })).body.data.at(-1).id)
  expect((await scene.delete(`targeting_criteria/${locations[0]}`)).status).toBe(200)
  expect(firstError(await scene.delete(`targeting_criteria/${locations[1]}`)).slice(0, 2)).toEqual([
    400,
    'INVALID_TV_SHOW_LOCATIONS',
  ])
})

test('an engagement type needs an engagement as long as it exists', async () => {
  const line = await scene.lineItem()
  const engaged = await add(line, 'USER_ENGAGEMENT', scene.server.userId('alice'))
  const type = await add(line, 'ENGAGEMENT_TYPE', 'VIDEO_VIEW')
  expect(type.status).toBe(200)
  expect(firstError(await scene.delete(`targeting_criteria/${engaged.body.data.id}`))[3]).toBe(
    'the ENGAGEMENT_TYPE of the line item needs it',
  )
  const both = [engaged, type].map((item) => ({
    operation_type: 'Delete',
    params: { targeting_criterion_id: item.body.data.id },
  }))
  expect((await batch(both)).body.data.map((item: { deleted: boolean }) => item.deleted)).toEqual([true, true])
})

test('a line item only in search accepts its own types and needs keywords first', async () => {
  const line = await scene.lineItem({ placements: 'PLATFORM_SEARCH' })
  expect(firstError(await add(line, 'INTEREST', targetingValue('interest', 'Pets/Cats'))).slice(0, 2)).toEqual([
    400,
    'INVALID_TARGETING_TYPE',
  ])
  expect(firstError(await add(line, 'GENDER', '1'))[3]).toBe(
    'a line item with only the placement PLATFORM_SEARCH needs a keyword with the operator EQ first',
  )
  const keyword = (await add(line, 'EXACT_KEYWORD', 'night train')).body.data.id
  const gender = (await add(line, 'GENDER', '1')).body.data.id
  const last = await scene.delete(`targeting_criteria/${keyword}`)
  expect(firstError(last).slice(0, 3)).toEqual([400, 'INVALID_PARAMETER', 'targeting_criterion_id'])
  const other = (await add(line, 'BROAD_KEYWORD', 'sleeper')).body.data.id
  expect((await scene.delete(`targeting_criteria/${keyword}`)).status).toBe(200)
  const both = [other, gender].map((id) => ({ operation_type: 'Delete', params: { targeting_criterion_id: id } }))
  expect((await batch(both.slice(0, 1))).status).toBe(400)
  expect((await batch(both)).status).toBe(200)
})
