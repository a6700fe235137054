import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rangeOf } from '../../src/ads/audience-estimates/audience-size.ts'
import { SHOWS } from '../../src/ads/targeting-options/shows.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { addPeople, hash } from './people.ts'

let scene: AdsScene
const users: Record<string, string> = {}

/** Users with locations: twelve in Porto, six in Kyoto, and six without one. */
beforeAll(async () => {
  scene = await startAdsScene()
  const { server } = scene
  for (let at = 0; at < 24; at++) {
    const name = `reader_${at}`
    const location = at < 12 ? 'Porto' : at < 18 ? 'Kyoto, 日本' : ''
    users[name] = (await server.command('user.create', { username: name, name, location })).id
  }
  await server.command('ads.account.set', {
    account: scene.account,
    add_features: ['ENGAGER_RETARGETING', 'CITY_TARGETING'],
  })
})
afterAll(() => scene.close())

const firstApp = async (): Promise<string> => (await scene.server.command('app.list')).apps[0].id

type Criterion = [type: string, value: string | number, operator?: string]
const ask = (criteria: Criterion[], as: As = ALICE) =>
  scene.json(
    'POST',
    'audience_estimate',
    {
      targeting_criteria: criteria.map(([targeting_type, targeting_value, operator_type]) => ({
        targeting_type,
        targeting_value,
        ...(operator_type ? { operator_type } : {}),
      })),
    },
    as,
  )
/** The lower end of the range, which grows in steps of five here. */
const atLeast = async (...criteria: Criterion[]): Promise<number> => {
  const answer = await ask(criteria)
  expect(answer.status, answer.text).toBe(200)
  const { min, max } = answer.body.data.audience_size
  expect(max - min).toBe(5)
  return min
}
const country = (code: string) => targetingValue('country', code)
const post = async (name: string, text: string, more: Record<string, unknown> = {}): Promise<string> => {
  const token = await scene.server.command('user.token', { user: name, app: await firstApp() })
  const { api_key: consumerKey, api_key_secret: consumerSecret } = scene.server.credentials.apps[0]!
  const keys = { consumerKey, consumerSecret, token: token.access_token, tokenSecret: token.access_token_secret }
  const answer = await scene.server.post('/2/posts', { text, ...more }, { keys })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}
const follow = (source: string, target: string) =>
  scene.server.command('relation.add', { kind: 'follow', source, target })

describe('an estimate', () => {
  test('is a range, with an echo of the path without criteria', async () => {
    const answer = await ask([['BROAD_KEYWORD', 'zeppelin']])
    expect(answer.body).toEqual({
      request: { params: { account_id: scene.account, targeting_criteria: null } },
      data: { audience_size: { min: 0, max: 5 } },
    })
    expect([0, 3, 5, 42, 420, 999, 1_000, 12_345, 2_000_000].map((size) => rangeOf(size, 5))).toEqual([
      { min: 0, max: 5 },
      { min: 0, max: 5 },
      { min: 5, max: 10 },
      { min: 40, max: 45 },
      { min: 400, max: 450 },
      { min: 950, max: 1_000 },
      { min: 1_000, max: 1_500 },
      { min: 10_000, max: 15_000 },
      { min: 2_000_000, max: 2_500_000 },
    ])
  })

  test('counts the users who wrote keywords, in each kind of match', async () => {
    for (let at = 0; at < 12; at++) await post(`reader_${at}`, `The running river number ${at} sings`)
    for (let at = 12; at < 18; at++) await post(`reader_${at}`, `A river that is ${at} times running`)
    expect(await atLeast(['BROAD_KEYWORD', 'river runn'])).toBe(15)
    expect(await atLeast(['BROAD_KEYWORD', 'river +runn'])).toBe(0)
    expect(await atLeast(['UNORDERED_KEYWORD', 'river running'])).toBe(15)
    expect(await atLeast(['UNORDERED_KEYWORD', 'river runn'])).toBe(0)
    expect(await atLeast(['PHRASE_KEYWORD', 'running river'])).toBe(10)
    expect(await atLeast(['PHRASE_KEYWORD', 'river', 'EQ'], ['PHRASE_KEYWORD', 'running river', 'NE'])).toBe(5)
  })

  test('unites primary types and narrows by the others', async () => {
    for (let at = 6; at < 18; at++) await follow(`reader_${at}`, 'alice')
    const alice = scene.server.userId('alice')
    expect(await atLeast(['FOLLOWERS_OF_USER', alice])).toBe(10)
    // Eighteen readers, and two users of the first world who follow her.
    expect(await atLeast(['PHRASE_KEYWORD', 'running river'], ['FOLLOWERS_OF_USER', alice])).toBe(20)
    const both: Criterion[] = [
      ['PHRASE_KEYWORD', 'running river'],
      ['FOLLOWERS_OF_USER', alice],
    ]
    expect(await atLeast(...both, ['LOCATION', country('PT')])).toBe(10)
    expect(await atLeast(...both, ['LOCATION', country('JP')])).toBe(5)
    expect(await atLeast(...both, ['LOCATION', country('JP')], ['LOCATION', country('PT')])).toBe(15)
    expect(await atLeast(...both, ['LOCATION', country('PT'), 'NE'])).toBe(5)
    expect(await atLeast(...both, ['LOCATION', targetingValue('region', 'JP-26')])).toBe(5)
    expect(await atLeast(...both, ['LOCATION', targetingValue('city', 'JP-27:Osaka')])).toBe(0)
  })

  test('takes languages from posts, and is not narrowed by facts that this server does not have', async () => {
    const all: Criterion = ['PHRASE_KEYWORD', 'river']
    expect(await atLeast(all, ['LANGUAGE', 'en'])).toBe(15)
    expect(await atLeast(all, ['LANGUAGE', 'ja'])).toBe(0)
    expect(await atLeast(all, ['LANGUAGE', 'en', 'NE'])).toBe(0)
    expect(await atLeast(all, ['GENDER', '2'], ['PLATFORM', '0'], ['WIFI_ONLY', 1])).toBe(15)
  })

  test('counts interests by posts and bios, and shows by their name', async () => {
    for (let at = 0; at < 4; at++) await post(`reader_${at}`, `Skin care tip ${at}`)
    for (let at = 18; at < 24; at++)
      await scene.server.command('user.update', { user: `reader_${at}`, description: 'Skin and care' })
    expect(await atLeast(['INTEREST', targetingValue('interest', 'Beauty/Skin care')])).toBe(10)
    for (let at = 0; at < 6; at++) await post(`reader_${at}`, `Tatort tonight, part ${at}`)
    const tatort = SHOWS.find((item) => item.name === 'Tatort')!.value
    expect(await atLeast(['TV_SHOW', tatort])).toBe(5)
  })

  test('finds users similar to the followers of a user, and those who engaged with one', async () => {
    for (let at = 0; at < 8; at++) await follow(`reader_${at}`, 'reader_22')
    for (let at = 0; at < 2; at++) await follow(`reader_${at}`, 'reader_23')
    expect(await atLeast(['SIMILAR_TO_FOLLOWERS_OF_USER', users.reader_23!])).toBe(5)
    const own = await post('alice', 'Please answer')
    for (let at = 12; at < 18; at++)
      await post(`reader_${at}`, `@alice answer ${at}`, { reply: { in_reply_to_post_id: own } })
    expect(await atLeast(['PHRASE_KEYWORD', 'river'], ['USER_ENGAGEMENT', scene.server.userId('alice')])).toBe(5)
  })

  test('one emoji matches all of its variants', async () => {
    for (let at = 0; at < 5; at++) await post(`reader_${at}`, `Bravo ${['👏', '👏🏽', '👏🏿'][at % 3]} ${at}`)
    expect(await atLeast(['PHRASE_KEYWORD', '👏🏻'])).toBe(5)
  })

  test('counts the members of an audience', async () => {
    const people = await addPeople(scene.server, 120)
    const { id } = await scene.made('custom_audiences', { name: 'Members' })
    const members = people.map((person) => ({ email: [hash(person.email)] }))
    await scene.json('POST', `custom_audiences/${id}/users`, [{ operation_type: 'Update', params: { users: members } }])
    await scene.server.command('clock', { advance_ms: 24 * 3600_000 })
    await scene.server.command('ads.work')
    expect((await ask([['CUSTOM_AUDIENCE', id]])).body.data.audience_size).toEqual({ min: 100, max: 200 })
    expect(
      (
        await ask([
          ['CUSTOM_AUDIENCE', id],
          ['PHRASE_KEYWORD', 'river', 'NE'],
        ])
      ).body.data.audience_size.min,
    ).toBe(100)
  })

  test('leaves out the users on the Do Not Reach list of the account', async () => {
    const people = await addPeople(scene.server, 220)
    await scene.server.runtime.database.query({
      text: 'insert into follow (id, source_id, target_id) select id, id, $2 from unnest($1::bigint[]) as p (id)',
      values: [people.map((person) => person.id), scene.server.userId('alice')],
    })
    const followers: Criterion = ['FOLLOWERS_OF_USER', scene.server.userId('alice')]
    const least = async () => (await ask([followers])).body.data.audience_size.min
    const everyone = await least()
    const { id } = await scene.made('do_not_reach_lists', {})
    await scene.server.request(
      'POST',
      `/ads-sandbox/12/batch/accounts/${scene.account}/do_not_reach_lists/${id}/users`,
      {
        as: ALICE,
        json: [
          {
            operation_type: 'Update',
            params: { users: people.slice(0, 110).map((person) => ({ email: [hash(person.email)] })) },
          },
        ],
      },
    )
    await scene.server.command('ads.work')
    expect([everyone, await least()]).toEqual([200, 100])
    await scene.delete(`do_not_reach_lists/${id}`)
    expect(await least()).toBe(everyone)
  })

  test('names the criterion that is wrong', async () => {
    const errorsOf = async (criteria: Criterion[]) =>
      (await ask(criteria)).body.errors.map((item: Record<string, string>) => [item.code, item.parameter])
    expect(await errorsOf([['LOCATION', country('PT')]])).toEqual([['INVALID_PARAMETER', 'targeting_criteria']])
    expect(
      await errorsOf([
        ['PHRASE_KEYWORD', 'x'],
        ['SHOE_SIZE', '43'],
        ['GENDER', '9'],
      ]),
    ).toEqual([
      ['UNKNOWN_CRITERIA_TYPE', 'targeting_criteria[1].targeting_type'],
      ['INVALID_PARAMETER', 'targeting_criteria[2].targeting_value'],
    ])
    expect(await errorsOf([['PHRASE_KEYWORD', 'x', 'GTE']])).toEqual([
      ['INVALID_PARAMETER', 'targeting_criteria[0].operator_type'],
    ])
    expect(await errorsOf([['FOLLOWERS_OF_USER', scene.server.userId('bob')]])).toEqual([
      ['PROMOTABLE_USER_NOT_FOUND', 'targeting_criteria[0].targeting_value'],
    ])
    const age = { feature_keys: 'AGE_TARGETING,VALIDATED_AGE_TARGETING' }
    await scene.delete('features', age)
    expect(
      await errorsOf([
        ['PHRASE_KEYWORD', 'x'],
        ['AGE', 'AGE_OVER_13'],
      ]),
    ).toEqual([['FEATURE_NOT_AVAILABLE', 'targeting_criteria[1].targeting_type']])
    await scene.post('features', age)
    expect(await errorsOf([])).toEqual([['INVALID_PARAMETER', 'targeting_criteria']])
    const form = await scene.server.request('POST', `/ads-sandbox/12/accounts/${scene.account}/audience_estimate`, {
      as: ALICE,
      form: { a: 'b' },
    })
    expect(form.status).toBe(415)
  })
})

describe('suggestions', () => {
  const suggest = (values: Record<string, string | number>) => scene.get('targeting_suggestions', values)
  const valuesOf = async (values: Record<string, string | number>): Promise<string[]> =>
    (await suggest(values)).body.data.map((item: { suggestion_value: string }) => item.suggestion_value)

  test('of keywords are words of the same posts, the most frequent first', async () => {
    await post('reader_20', 'Sourdough with rye and honey')
    await post('reader_21', 'Sourdough, rye, and the @reader_20 oven')
    await post('reader_22', 'sourdough rye salt')
    const found = await suggest({ suggestion_type: 'KEYWORD', targeting_values: 'sourdough' })
    expect(found.body.data[0]).toEqual({ suggestion_type: 'KEYWORD', suggestion_value: 'rye' })
    expect(found.body).not.toHaveProperty('next_cursor')
    const words = found.body.data.map((item: { suggestion_value: string }) => item.suggestion_value)
    expect(words.slice(1).sort()).toEqual(['honey', 'oven', 'salt'])
    expect(await valuesOf({ suggestion_type: 'KEYWORD', targeting_values: 'sourdough,rye', count: 1 })).toHaveLength(1)
  })

  test('of users share followers with the seeds', async () => {
    const found = await valuesOf({ suggestion_type: 'USER_ID', targeting_values: users.reader_23! })
    expect(found).toEqual([users.reader_22])
  })

  test('need seeds of one kind; there are at most 50', async () => {
    const firstError = async (values: Record<string, string | number>) => {
      const { status, body } = await suggest(values)
      return [status, body.errors[0].code, body.errors[0].parameter]
    }
    expect(await firstError({ suggestion_type: 'USER_ID', targeting_values: 'bread' })).toEqual([
      400,
      'INVALID_PARAMETER',
      'targeting_values',
    ])
    expect(await firstError({ suggestion_type: 'USER_ID', targeting_values: '1' })).toEqual([
      400,
      'INVALID_USER_ID',
      'targeting_values',
    ])
    expect(await firstError({ suggestion_type: 'KEYWORD', targeting_values: '!' })).toEqual([
      400,
      'INVALID_PARAMETER',
      'targeting_values',
    ])
    expect(await firstError({ suggestion_type: 'KEYWORD', targeting_values: 'a', count: 51 })).toEqual([
      400,
      'INVALID_PARAMETER',
      'count',
    ])
  })
})

describe('recommendations', () => {
  const recommendations = (path = '', account = scene.account) =>
    scene.server.request('GET', `/ads-sandbox/5/accounts/${account}/recommendations${path}`, { as: ALICE })

  test('follow from the state of the account, one for each funding instrument', async () => {
    expect((await recommendations()).body).toMatchObject({ data: [], total_count: 0 })
    const soon = new Date(scene.server.runtime.clock.now() + 3 * 24 * 3600_000).toISOString()
    const campaign = await scene.campaign({ name: 'Ends soon' })
    const line = await scene.lineItem({ campaign_id: campaign, end_time: soon })
    await scene.made('targeting_criteria', {
      line_item_id: line,
      targeting_type: 'PHRASE_KEYWORD',
      targeting_value: 'rain',
      operator_type: 'NE',
    })
    const paused = await scene.campaign({ name: 'Resting', entity_status: 'PAUSED' })
    const other = await scene.lineItem({ campaign_id: paused })
    const list = await recommendations()
    expect(list.body.total_count).toBe(1)
    const [item] = list.body.data
    expect(item).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      account_id: scene.account,
      funding_instrument_id: scene.funding,
      status: 'PENDING',
      message:
        '1 active line item is in a paused campaign; 1 line item ends within 7 days; 1 line item targets everybody worldwide; 2 line items have nothing to show.',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await recommendations()).body.data[0].id).toBe(item.id)

    const { changes, ...summary } = (await recommendations(`/${item.id}`)).body.data
    expect(summary).toEqual(item)
    const [ending, resting] = changes
    expect(ending).toMatchObject({
      entity_type: 'campaigns',
      operation_type: null,
      params: { campaign_id: campaign, paused: false },
    })
    expect(ending.dependent_entities[0]).toMatchObject({
      entity_type: 'line_items',
      operation_type: 'Update',
      params: { line_item_id: line, include_sentiment: 'POSITIVE_ONLY' },
      dependent_entities: [
        {
          entity_type: 'targeting_criteria',
          operation_type: null,
          params: { targeting_type: 'NEGATIVE_PHRASE_KEYWORD', targeting_value: 'rain' },
        },
        {
          entity_type: 'promoted_posts',
          operation_type: 'Create',
          params: { line_item_id: line, display_properties: [] },
        },
      ],
    })
    expect(ending.dependent_entities[0].params.end_time > soon).toBe(true)
    expect(resting).toMatchObject({ operation_type: 'Update', params: { campaign_id: paused, paused: false } })
    const [targeting, promoted] = resting.dependent_entities[0].dependent_entities
    expect(targeting).toEqual({
      entity_type: 'targeting_criteria',
      operation_type: 'Create',
      params: {
        line_item_id: other,
        targeting_type: 'SIMILAR_TO_FOLLOWERS_OF_USER',
        targeting_value: scene.server.userId('alice'),
      },
      dependent_entities: [],
    })
    expect((await scene.post('targeting_criteria', targeting.params)).status).toBe(200)
    expect(
      (await scene.post('promoted_posts', { line_item_id: other, post_ids: promoted.params.post_ids.join() })).status,
    ).toBe(200)
    expect((await recommendations()).body.data[0].message).toBe(
      '1 active line item is in a paused campaign; 1 line item ends within 7 days; 1 line item has nothing to show.',
    )
  })

  test('are refused to apps without access, and unknown ones are not found', async () => {
    const missing = await recommendations('/abc')
    expect([missing.status, missing.body.errors[0].code]).toEqual([404, 'NOT_FOUND'])
    await scene.server.command('ads.enrol', {
      app: await firstApp(),
      allowlists: ['catalogs'],
    })
    const closed = await recommendations()
    expect([closed.status, closed.body.errors[0].details]).toEqual([
      403,
      'the app is not on the allowlist recommendations',
    ])
  })
})
