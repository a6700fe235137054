import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const firstApp = async (): Promise<string> => (await scene.server.command('app.list')).apps[0].id

type Values = Record<string, string | number>
const lookup = (name: string, values: Values = {}) => scene.call('GET', `targeting_criteria/${name}`, values)
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
const found = async (name: string, values: Values = {}): Promise<any[]> => {
  const answer = await lookup(name, values)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const names = async (name: string, values: Values = {}): Promise<string[]> =>
  (await found(name, values)).map((item) => item.name)

/** All pages of a lookup, each by the cursor of the one before. */
async function allPages(name: string, values: Values): Promise<{ sizes: number[]; values: string[] }> {
  const sizes: number[] = []
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await lookup(name, { ...values, ...(cursor === '' ? {} : { cursor }) })
    sizes.push(body.data.length)
    seen.push(...body.data.map((item: { targeting_value: string }) => item.targeting_value))
    cursor = body.next_cursor
  }
  return { sizes, values: seen }
}

describe('locations', () => {
  test('are every country, with regions, metros, cities and postal codes of the larger ones', async () => {
    const countries = await found('locations', { location_type: 'COUNTRIES', count: 1_000 })
    expect(countries).toHaveLength(249)
    expect(countries.find((item) => item.country_code === 'JP')).toEqual({
      name: 'Japan',
      country_code: 'JP',
      location_type: 'COUNTRIES',
      targeting_type: 'LOCATION',
      targeting_value: targetingValue('country', 'jp'),
    })
    const count = async (location_type: string, country_code: string) =>
      (await found('locations', { location_type, country_code, count: 1_000 })).length
    expect(await count('REGIONS', 'US')).toBe(51)
    expect(await count('REGIONS', 'JP')).toBe(47)
    expect(await count('METROS', 'US')).toBeGreaterThan(90)
    expect(await count('METROS', 'PT')).toBe(0)
    expect(await count('CITIES', 'IE')).toBeGreaterThan(5)
    expect(await count('POSTAL_CODES', 'GB')).toBeGreaterThan(20)
  })

  test('have the values that the platform published for them', async () => {
    for (const [q, location_type, value] of [
      ['united states', 'COUNTRIES', '96683cc9126741d1'],
      ['united kingdom', 'COUNTRIES', '6416b8512febefc9'],
      ['san francisco-oakland', 'METROS', '5122804691e5fecc'],
      ['san francisco', 'CITIES', '5a110d312052166f'],
      ['los angeles', 'CITIES', '3b77caf94bfc81fe'],
      ['new york', 'CITIES', '27485069891a7938'],
      ['chicago', 'CITIES', '1d9a5370a355ab0c'],
      // In the first examples of the official client libraries.
      ['portland', 'CITIES', '00a8b25e420adc94'],
    ] as const)
      expect((await found('locations', { q, location_type })).map((item) => item.targeting_value)).toContain(value)
  })

  test('are found by the beginnings of words, without case or accents', async () => {
    expect(await names('locations', { q: 'sao pau', location_type: 'CITIES' })).toEqual([
      'São Paulo, São Paulo, Brazil',
      'Campinas, São Paulo, Brazil',
    ])
    expect(await names('locations', { q: '9410', country_code: 'US' })).toEqual([
      '94102, San Francisco, United States',
      '94103, San Francisco, United States',
      '94107, San Francisco, United States',
    ])
    expect(await names('locations', { q: 'UK', location_type: 'COUNTRIES' })).toEqual(
      ['Ukraine', 'United Kingdom'].sort(),
    )
    expect(await names('locations', { q: 'xyzzy' })).toEqual([])
    expect(await names('locations', { q: '...' })).toEqual([])
  })

  test('come in pages that miss and repeat nothing', async () => {
    const { sizes, values } = await allPages('locations', { country_code: 'US', count: 90 })
    expect(sizes.length).toBeGreaterThan(2)
    expect(sizes.slice(0, -1).every((size) => size === 90)).toBe(true)
    expect(new Set(values).size).toBe(values.length)
    expect(values).toHaveLength((await found('locations', { country_code: 'US', count: 1_000 })).length)
  })

  test('refuse invalid countries, types and cursors', async () => {
    const refused = async (values: Values) => {
      const { status, body } = await lookup('locations', values)
      return [status, body.errors[0].code, body.errors[0].parameter]
    }
    expect(await refused({ country_code: 'XX' })).toEqual([400, 'INVALID_PARAMETER', 'country_code'])
    expect(await refused({ country_code: 'us' })).toEqual([400, 'INVALID_PARAMETER', 'country_code'])
    expect(await refused({ location_type: 'PLANETS' })).toEqual([400, 'INVALID_PARAMETER', 'location_type'])
    expect(await refused({ cursor: 'abc' })).toEqual([400, 'INVALID_PARAMETER', 'cursor'])
    const { body } = await lookup('interests', { count: 1 })
    expect(await refused({ cursor: body.next_cursor })).toEqual([400, 'INVALID_PARAMETER', 'cursor'])
  })
})

test('interests are named after their category', async () => {
  const all = await found('interests', { count: 1_000 })
  expect(all.length).toBeGreaterThan(350)
  expect(all.every((item) => /^[^/]+\/[^/]+$/.test(item.name) && item.targeting_type === 'INTEREST')).toBe(true)
  expect(await names('interests', { q: 'coffee' })).toEqual(['Food and drink/Coffee and tea'])
})

test('languages have their code as value', async () => {
  const [portuguese] = await found('languages', { q: 'portug' })
  expect(portuguese).toEqual({ name: 'Portuguese', targeting_type: 'LANGUAGE', targeting_value: 'pt' })
  expect((await found('languages', { count: 1_000 })).length).toBeGreaterThan(60)
  expect((await found('languages', { q: 'he' })).map((item) => item.targeting_value)).toEqual(['iw'])
})

test('conversations are filtered by kind', async () => {
  const musicians = await found('conversations', { conversation_type: 'MUSICIANS' })
  expect(musicians.length).toBeGreaterThan(10)
  expect(new Set(musicians.map((item) => item.conversation_type))).toEqual(new Set(['MUSICIANS']))
  expect((await allPages('conversations', { count: 200 })).values.length).toBeGreaterThan(300)
})

test('network operators are those of the United States unless a country is named', async () => {
  const own = await found('network_operators')
  expect(own.find((item) => item.name === 'Verizon')).toMatchObject({
    country_code: 'US',
    targeting_type: 'NETWORK_OPERATOR',
  })
  expect(new Set(own.map((item) => item.country_code))).toEqual(new Set(['US']))
  expect(await names('network_operators', { country_code: 'PT' })).toEqual(['MEO', 'NOS', 'Vodafone'])
  expect(await names('network_operators', { country_code: 'PT', q: 'voda' })).toEqual(['Vodafone'])
  expect(await names('network_operators', { country_code: 'AQ' })).toEqual([])
})

test('app store categories are of one store or both, without pages', async () => {
  const answer = await lookup('app_store_categories', { os_type: 'PLATFORM_B', q: 'games' })
  expect(answer.body.data.length).toBeGreaterThan(10)
  expect(new Set(answer.body.data.map((item: { os_type: string }) => item.os_type))).toEqual(new Set(['PLATFORM_B']))
  expect(answer.body).not.toHaveProperty('next_cursor')
  const both = await found('app_store_categories', { q: 'weather' })
  expect(both.map((item) => item.os_type)).toEqual(['PLATFORM_A', 'PLATFORM_B'])
})

test('devices are found by name and maker; count caps them', async () => {
  const answer = await lookup('devices', { q: 'apple iphone 15', count: 2 })
  expect(answer.body.data).toEqual([
    {
      name: 'iPhone 15',
      manufacturer: 'Apple',
      os_type: 'Platform_B',
      targeting_type: 'DEVICE',
      targeting_value: targetingValue('device', 'Apple/iPhone 15'),
    },
    {
      name: 'iPhone 15 Plus',
      manufacturer: 'Apple',
      os_type: 'Platform_B',
      targeting_type: 'DEVICE',
      targeting_value: targetingValue('device', 'Apple/iPhone 15 Plus'),
    },
  ])
  expect(answer.body).not.toHaveProperty('next_cursor')
})

test('platforms are five, and localized on request', async () => {
  const all = await found('platforms')
  expect(all.map((item) => [item.targeting_value, item.name])).toEqual([
    ['0', 'Platform_B'],
    ['1', 'Platform_A'],
    ['2', 'BlackBerry phones and tablets'],
    ['3', 'Mobile web on other devices'],
    ['4', 'Desktop and laptop computers'],
  ])
  expect(await found('platforms', { q: 'desk', lang: 'ja' })).toEqual([
    {
      name: 'Desktop and laptop computers',
      localized_name: 'デスクトップとノートパソコン',
      targeting_type: 'PLATFORM',
      targeting_value: '4',
    },
  ])
  expect(await names('platforms', { count: 1 })).toEqual(['Platform_B'])
})

test('platform versions go down to the point release', async () => {
  expect(await found('platform_versions', { q: 'oreo' })).toMatchObject([
    { name: 'Oreo', number: '8.0', os_type: 'Platform_A' },
    { name: 'Oreo', number: '8.1', os_type: 'Platform_A' },
  ])
  expect(await names('platform_versions', { q: 'Platform_B 17.1' })).toEqual(['Platform_B 17.1'])
})

test('names that are words of the interface follow the naming', async () => {
  const app = await firstApp()
  await scene.server.command('app.update', { app, naming: 'legacy' })
  const spoken = [
    await names('platforms', { q: 'android' }),
    await names('platform_versions', { q: 'iOS 17.1' }),
    (await found('devices', { count: 1 }))[0].os_type,
  ]
  await scene.server.command('app.update', { app, naming: 'auto' })
  expect(spoken).toEqual([['Android'], ['iOS 17.1'], 'iOS'])
})

describe('events', () => {
  const year = () => new Date(scene.server.runtime.clock.now()).getUTCFullYear() + 1

  test('begin at whole days of UTC from now on, in order', async () => {
    const all = await found('events', { count: 1_000 })
    const now = new Date(scene.server.runtime.clock.now()).toISOString()
    expect(all.every((item) => item.end_time > now && item.start_time.endsWith('T00:00:00Z'))).toBe(true)
    expect(all.map((item) => item.start_time)).toEqual(all.map((item) => item.start_time).sort())
    expect(all[0]).not.toHaveProperty('targeting_type')
    expect(new Set(all.map((item) => item.event_type))).toEqual(
      new Set(['CONFERENCE', 'HOLIDAY', 'MUSIC_AND_ENTERTAINMENT', 'OTHER', 'POLITICS', 'RECURRING', 'SPORTS']),
    )
  })

  test('are narrowed by type, country and time', async () => {
    const within = { start_time: `${year()}-07-01`, end_time: `${year()}-07-10` }
    const sports = await found('events', { ...within, event_types: 'SPORTS,HOLIDAY', country_codes: 'GB,US' })
    expect(sports.map((item) => item.name)).toContain(`Wimbledon ${year()}`)
    expect(sports.map((item) => item.name)).toContain(`Independence Day ${year()}`)
    expect(sports.every((item) => item.is_global === (item.country_code === null))).toBe(true)
    expect(new Set(sports.map((item) => item.country_code).filter(Boolean))).toEqual(new Set(['GB', 'US']))
    const wrong = await lookup('events', { start_time: '2027-02-01', end_time: '2027-01-01' })
    expect([wrong.status, wrong.body.errors[0].code]).toEqual([400, 'INVALID_TIME_WINDOW'])
  })

  test('show the users who post about them, and their countries', async () => {
    const post = async (user: string, text: string) =>
      (await scene.server.post('/2/posts', { text }, { user })).body.data.id as string
    const first = await post('alice', 'Off to Web Summit again #lisbon')
    await post('bob', 'Web Summit: too many badges')
    const second = await post('alice', 'Web Summit day two #lisbon #badges')
    await scene.server.post(`/2/users/${scene.server.userId('bob')}/likes`, { post_id: first }, { user: 'bob' })
    const events = await found('events', { event_types: 'CONFERENCE', country_codes: 'PT' })
    const summit = events.find((item) => item.name.startsWith('Web Summit'))
    expect(summit).toMatchObject({
      reach: { total_reach: 2 },
      top_users: [scene.server.userId('alice'), scene.server.userId('bob')],
      top_posts: [first, second, expect.any(String)],
      top_hashtags: ['lisbon', 'badges'],
      country_breakdown_percentage: { NG: 50, PT: 50 },
    })
  })
})

describe('television', () => {
  test('markets are listed with their locales', async () => {
    const answer = await lookup('tv_markets')
    expect(answer.body.data).toHaveLength(17)
    expect(answer.body.data[0]).toEqual({ name: 'France', country_code: 'FR', locale: 'fr-FR' })
    expect(answer.body).not.toHaveProperty('next_cursor')
  })

  test('shows belong to a locale, which the echo splits, and have numbers as values', async () => {
    const answer = await lookup('tv_shows', { locale: 'de-DE', q: 'tat', count: 5 })
    expect(answer.body.request.params).toEqual({ count: 5, q: 'tat', countryCode: 'DE', languageCode: 'de' })
    expect(answer.body.data).toEqual([
      {
        name: 'Tatort',
        targeting_value: expect.any(Number),
        genre: 'Crime',
        estimated_users: 1000,
        locales: [{ language: 'de', country: 'DE' }],
      },
    ])
    const american = await names('tv_shows', { locale: 'en-US' })
    expect(american).toHaveLength(50)
    expect(american).not.toContain('Tatort')
    expect((await allPages('tv_shows', { locale: 'en-US' })).values.length).toBeGreaterThan(50)
  })

  test('a locale must come from the markets, and a page has at most 50 shows', async () => {
    const firstError = async (values: Values) => (await lookup('tv_shows', values)).body.errors[0]
    expect(await firstError({})).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'locale' })
    expect(await firstError({ locale: 'sv-SE' })).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'locale' })
    expect(await firstError({ locale: 'de-DE', count: 51 })).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'count',
    })
  })
})

test('lookups need a user, but no account', async () => {
  expect((await scene.server.get('/ads/12/targeting_criteria/platforms', ALICE)).status).toBe(200)
  expect((await scene.server.get('/ads/12/targeting_criteria/platforms', 'app')).status).toBe(401)
})
