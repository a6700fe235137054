import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keywordsIn, relatedKeywords } from '../../src/ads/insights/related-keywords.ts'
import { countryOf } from '../../src/ads/targeting-options/country-of.ts'
import { targetingValue } from '../../src/ads/targeting-options/targeting-value.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS

let scene: AdsScene
/** The whole hour in which the first posts below are written. */
let start: number
beforeAll(async () => {
  scene = await startAdsScene(['--rate-limits', 'on'])
  const now = scene.server.runtime.clock.now()
  start = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
  await scene.server.command('clock', { advance_ms: start - now + 60_000 })
  await scene.server.command('user.update', { user: 'dario', location: 'Somewhere between Porto and the sea' })
  // The first hour.
  await say('alice', 'Espresso first, then the garden. #Kaffee')
  await say('bob', 'An ESPRESSO machine for the train')
  await say('erin', 'espresso for my followers alone')
  await say('bob', 'Nothing but unrelated words: espressos, expresso')
  // The third hour.
  await scene.server.command('clock', { advance_ms: 2 * HOUR_MS })
  const filter = await say('chika', 'Filter coffee, no espresso. Café au lait later.')
  await say('dario', 'Coffee filter cleaned; the machine runs again #espresso')
  await scene.server.post(`/2/users/${scene.server.userId('bob')}/reposts`, { post_id: filter }, { user: 'bob' })
})
afterAll(() => scene.close())

async function say(username: string, text: string, more = {}): Promise<string> {
  const answer = await scene.server.post('/2/posts', { text, ...more }, { user: username })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}
const iso = (ms: number) => new Date(ms).toISOString()
const ask = (values: Record<string, string | undefined>, as?: As) =>
  scene.call(
    'GET',
    'insights/keywords/search',
    { granularity: 'HOUR', start_time: iso(start), keywords: 'espresso', ...values },
    as,
  )
const volume = async (values: Record<string, string | undefined>) => {
  const { status, body, text } = await ask(values)
  expect(status, text).toBe(200)
  return body.data.post_volume
}
// biome-ignore lint/suspicious/noExplicitAny: answers whose shape the tests assert.
const firstError = (answer: any) => ({ status: answer.status, ...answer.body.errors[0] })

describe('post volume', () => {
  test('has one number for each hour, of public posts with the whole word in any case', async () => {
    const { body, headers } = await ask({})
    expect(body.data.post_volume).toEqual([2, 0, 2])
    expect(body.request.params).toEqual({
      granularity: 'HOUR',
      keywords: ['espresso'],
      start_time: iso(start).replace('.000', ''),
    })
    expect(headers.get('x-rate-limit-limit')).toBe('500')
  })

  test('has one number for each day, and the unit that runs counts', async () => {
    const day = Math.floor(start / DAY_MS) * DAY_MS
    const counted = await volume({ granularity: 'DAY', start_time: iso(day - 2 * DAY_MS) })
    expect(counted.slice(0, 2)).toEqual([0, 0])
    expect(counted.reduce((sum: number, item: number) => sum + item)).toBe(4)
    const week = await volume({ start_time: iso(start - 6 * DAY_MS), end_time: iso(start + HOUR_MS) })
    expect(week).toHaveLength(6 * 24 + 1)
    expect(week.at(-1)).toBe(2)
  })

  test('units are counted from the start, and the end does not belong to the range', async () => {
    expect(await volume({ start_time: iso(start - HOUR_MS / 2), end_time: iso(start + HOUR_MS / 2) })).toEqual([2])
    expect(await volume({ end_time: iso(start + 2 * HOUR_MS) })).toEqual([2, 0])
    expect(await volume({ start_time: iso(start - HOUR_MS), end_time: iso(start) })).toEqual([0])
  })

  test.each([
    ['keywords are joined by OR, each post counts once', { keywords: 'garden,espresso,train' }, [2, 0, 2]],
    ['words of a phrase are side by side', { keywords: 'filter coffee' }, [0, 0, 1]],
    ['a hashtag is only the tag', { keywords: '#espresso' }, [0, 0, 1]],
    ['a hashtag has no case', { keywords: '#KAFFEE' }, [1, 0, 0]],
    ['accents do not matter', { keywords: 'cafe au lait' }, [0, 0, 1]],
    ['negative keywords exclude', { negative_keywords: 'machine' }, [1, 0, 1]],
    ['negative keywords are joined by OR', { negative_keywords: 'machine,#kaffee' }, [0, 0, 1]],
    ['what excludes itself has no posts', { negative_keywords: 'Espresso' }, [0, 0, 0]],
    ['a word that is in no post has none', { keywords: 'ristretto' }, [0, 0, 0]],
    ['signs of the query language mean nothing', { keywords: 'from:alice,(espresso | garden) & !x' }, [0, 0, 0]],
  ])('%s', async (_name, values, expected) => {
    expect(await volume(values)).toEqual(expected)
  })

  test.each([
    ['Portugal', 'PT', [1, 0, 1]],
    ['Nigeria', 'NG', [1, 0, 0]],
    ['Japan', 'JP', [0, 0, 1]],
    ['Antarctica', 'AQ', [0, 0, 0]],
  ])('of authors in %s', async (_name, code, expected) => {
    expect(await volume({ location: targetingValue('country', code) })).toEqual(expected)
  })

  test('posts for advertisements, older versions and deleted posts do not count', async () => {
    await say('alice', 'A lungo for the advertisement', { nullcast: true })
    const first = await say('alice', 'A lungo, and an edit of it')
    await say('alice', 'Something else, an edit of it', { edit_options: { previous_post_id: first } })
    const deleted = await say('bob', 'A lungo that goes')
    expect(await volume({ keywords: 'lungo' })).toEqual([0, 0, 1])
    await scene.server.delete(`/2/posts/${deleted}`, { user: 'bob' })
    expect(await volume({ keywords: 'lungo' })).toEqual([0, 0, 0])
  })
})

describe('related keywords', () => {
  test('are thirty, those related to the keywords before all others', async () => {
    const { related_keywords: related } = (await ask({})).body.data
    expect(related).toHaveLength(30)
    expect(related.slice(0, 4)).toContain('machine')
    expect(related.slice(0, 12)).toEqual(expect.arrayContaining(['garden', '#kaffee', 'coffee', 'filter', 'café']))
    for (const common of ['the', 'for', 'an', 'espresso', '#espresso', 'followers'])
      expect(related).not.toContain(common)
    // The rest are words of other posts.
    expect(
      related.some((word: string) => ['bicycle', 'welcome', 'server', '#cycling', '#weather'].includes(word)),
    ).toBe(true)
  })

  test('come from posts of the country and range, and leave out what is excluded', async () => {
    const inNigeria = (await ask({ location: targetingValue('country', 'NG') })).body.data.related_keywords
    expect(inNigeria.slice(0, 2).sort()).toEqual(['machine', 'train'])
    const without = (await ask({ negative_keywords: 'machine' })).body.data.related_keywords
    expect(without).not.toContain('machine')
    expect(without.slice(0, 6)).toContain('garden')
  })

  test('are thirty in a world with few words, and even with none', () => {
    const few = relatedKeywords({ keywords: ['tea'], negative: [], matching: ['Tea and honey'], any: ['Honey'] })
    expect(few).toEqual(Array(30).fill('honey'))
    const none = relatedKeywords({ keywords: ['tea', 'mint'], negative: [], matching: [], any: [] })
    expect(none).toHaveLength(30)
    expect(new Set(none)).toEqual(new Set(['tea', 'mint']))
  })

  test('words are found in texts of every script; links, mentions and numbers are not words', () => {
    expect([...keywordsIn('Café with @bob at https://example.com/menu for 12 or #lunch_24!')]).toEqual([
      '#lunch_24',
      'café',
    ])
    expect([...keywordsIn('今日は大阪を自転車で走りました')]).toEqual(expect.arrayContaining(['大阪', '自転車']))
  })
})

test.each([
  ['Lisbon', 'PT'],
  ['Paris, Texas', 'US'],
  ['Lagos, Portugal', 'PT'],
  ['Lagos', 'NG'],
  ['Birmingham', 'GB'],
  ['Melbourne', 'AU'],
  ['東京', 'JP'],
  ['大阪府', 'JP'],
  ['München / Deutschland', 'DE'],
  ['Living in sunny Lisbon', 'PT'],
  ['somewhere 🇧🇷', 'BR'],
  ['Follow us everywhere', undefined],
  ['the moon', undefined],
  ['', undefined],
])('the profile location %s is in %s', (text, country) => {
  expect(countryOf(text)).toBe(country)
})

describe('refusals', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join()

  test.each([
    ['no granularity', { granularity: undefined }, 'MISSING_PARAMETER', 'granularity', undefined],
    ['another granularity', { granularity: 'WEEK' }, 'INVALID_PARAMETER', 'granularity', 'must be one of DAY, HOUR'],
    ['no keywords', { keywords: undefined }, 'MISSING_PARAMETER', 'keywords', undefined],
    ['no keyword in the list', { keywords: '' }, 'MISSING_PARAMETER', 'keywords', 'is empty'],
    ['an empty keyword', { keywords: 'a,,b' }, 'INVALID_PARAMETER', 'keywords', /1 to 100 characters/],
    ['a keyword without a word', { keywords: 'tea,!!' }, 'INVALID_PARAMETER', 'keywords', /letter or digit/],
    ['eleven keywords', { keywords: many(11) }, 'INVALID_PARAMETER', 'keywords', 'must have 1 to 10 items'],
    [
      'eleven in all',
      { keywords: many(6), negative_keywords: many(5) },
      'INVALID_PARAMETER',
      'negative_keywords',
      /10/,
    ],
    ['no start', { start_time: undefined }, 'MISSING_PARAMETER', 'start_time', undefined],
    ['a start that is not a time', { start_time: 'yesterday' }, 'INVALID_PARAMETER', 'start_time', /ISO 8601/],
    ['a city', { location: 'c0ffee' }, 'INVALID_PARAMETER', 'location', /targeting value of a country/],
  ])('%s', async (_name, values, code, parameter, details) => {
    const answer = firstError(await ask(values))
    expect(answer).toMatchObject({ status: 400, code, parameter })
    if (details !== undefined) expect(answer.details).toMatch(details)
  })

  test('ten keywords in all are taken', async () => {
    expect((await ask({ keywords: many(6), negative_keywords: 'a1,b1,c1,d1' })).status).toBe(200)
  })

  test.each([
    ['an end before the start', () => ({ end_time: iso(start) }), 'end_time', 'must be later than start_time'],
    ['a start in the future', () => ({ start_time: iso(start + DAY_MS) }), 'start_time', 'must be in the past'],
    ['an end in the future', () => ({ end_time: iso(start + 4 * HOUR_MS) }), 'end_time', /must not be in the future/],
    ['more than seven days', () => ({ start_time: iso(start - 7 * DAY_MS) }), 'start_time', /7 days/],
    [
      'a second more than seven days',
      () => ({ start_time: iso(start - 7 * DAY_MS - 1000), end_time: iso(start) }),
      'start_time',
      /7 days/,
    ],
  ])('%s is not a valid time window', async (_name, values, parameter, details) => {
    const answer = firstError(await ask(values()))
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_TIME_WINDOW', parameter })
    expect(answer.details).toMatch(details)
  })

  test('seven days are taken, to the end of the running hour too', async () => {
    expect(await volume({ start_time: iso(start - 7 * DAY_MS), end_time: iso(start) })).toHaveLength(7 * 24)
    const now = scene.server.runtime.clock.now()
    expect(await volume({ start_time: iso(now - 7 * DAY_MS) })).toHaveLength(7 * 24)
    expect(await volume({ end_time: iso(start + 3 * HOUR_MS) })).toEqual([2, 0, 2])
  })
})

test('a list that all accounts share is read five times in a window, each list by itself', async () => {
  const statuses: number[] = []
  for (let at = 0; at < 6; at++) statuses.push((await scene.call('GET', 'content_categories')).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  expect(firstError(await scene.call('GET', 'content_categories')).code).toBe('TOO_MANY_REQUESTS')
  expect((await scene.call('GET', 'publishers')).headers.get('x-rate-limit-remaining')).toBe('4')
})
