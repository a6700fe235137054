import { describe, expect, test } from 'vitest'
import type { QueryScope } from '../../src/search/operators.ts'
import { fits, postOf, reasonsAgainst } from './rules.ts'

const ALONE = 'cannot be used as a standalone operator'
const NEGATED_ONLY = 'A query cannot consist of negated clauses only'

describe('clauses that cannot stand by themselves', () => {
  test.each([
    ['is:reply', `is ${ALONE}`],
    ['has:links is:reply', `has/is ${ALONE}`],
    ['has:links has:media', `has ${ALONE}`],
    ['has:links -cat', `has ${ALONE}`],
    ['has:links -is:reply', `has/is ${ALONE}`],
    ['cat OR has:links', `has ${ALONE}`],
    ['(cat has:links) OR lang:en', `has/lang ${ALONE}`],
    ['-cat', NEGATED_ONLY],
    ['-cat -dog', NEGATED_ONLY],
    ['cat OR -dog', NEGATED_ONLY],
    ['(cat -dog) OR (-bird -fish)', NEGATED_ONLY],
  ])('%s', (query, reason) => {
    expect(reasonsAgainst(query)).toEqual([reason])
  })

  test.each(['cat is:reply', 'is:reply (cat OR dog)', '(cat has:links) OR (dog lang:en)', 'cat -(dog OR has:links)'])(
    '%s has one that can',
    (query) => {
      expect(reasonsAgainst(query)).toEqual([])
    },
  )
})

describe('posts that only promotions show', () => {
  test.each([
    ['cat is:nullcast', ['is:nullcast can only be used negated (at position 5)']],
    ['cat -is:nullcast', []],
    ['cat -(dog OR is:nullcast)', []],
    ['cat -(dog -is:nullcast)', ['is:nullcast can only be used negated (at position 12)']],
    ['cat -IS:NULLCAST', []],
  ])('%s', (query, reasons) => {
    expect(reasonsAgainst(query)).toEqual(reasons)
  })
})

describe('values of operators', () => {
  const value = (clause: string, says: string) => [
    `The value '${clause.slice(clause.indexOf(':') + 1)}' of the operator '${clause.split(':')[0]}' ${says} (at position 5)`,
  ]
  const RADIUS = 'must have a radius above 0 and up to 25mi'
  const EARTH = 'must have longitudes from -180 to 180 and latitudes from -90 to 90, the longitude first'
  const ORDER = 'must be west, south, east and north, in this order'
  const SIDES = 'must have sides of up to 25mi'
  const DIGITS = 'must be a number of up to 19 digits'
  const ACCOUNT = 'must be a username or a user id'
  test.each([
    ['point_radius:[1 2]', 'must be 3 numbers in brackets'],
    ['point_radius:[1 2 x]', 'must be 3 numbers in brackets'],
    ['point_radius:[1 2 0km]', RADIUS],
    ['point_radius:[1 2 25.1mi]', RADIUS],
    ['point_radius:[1 2 40.3km]', RADIUS],
    ['point_radius:[180.1 2 1km]', EARTH],
    ['point_radius:[1 -90.1 1km]', EARTH],
    ['bounding_box:[1 2 3]', 'must be 4 numbers in brackets'],
    ['bounding_box:[-181 2 3 4]', EARTH],
    ['bounding_box:[1 2 3 91]', EARTH],
    ['bounding_box:[1 2 1 2.1]', ORDER],
    ['bounding_box:[1 2 1.1 2]', ORDER],
    ['bounding_box:[1.1 2 1 2.1]', ORDER],
    ['bounding_box:[1 2.1 1.1 2]', ORDER],
    ['bounding_box:[1 2 1.1 2.4]', SIDES],
    ['bounding_box:[1 -0.1 1.4 0.1]', SIDES],
    ['bounding_box:[1 59.9 1.8 60]', SIDES],
    ['bounding_box:[1 -60 1.8 -59.9]', SIDES],
    ['place_country:PRT', 'must be a country code of two letters'],
    ['place_country:P1', 'must be a country code of two letters'],
    ['conversation_id:12345678901234567890', DIGITS],
    ['conversation_id:x1', DIGITS],
    ['from:a-b', ACCOUNT],
    ['from:abcdefghijklmnop', ACCOUNT],
    ['from:@', ACCOUNT],
    ['context:1', 'must be a domain id, a full stop and an entity id, one of which may be *'],
    ['context:a.b', 'must be a domain id, a full stop and an entity id, one of which may be *'],
    ['min_likes:1234567890', 'must be a whole number'],
    ['min_likes:-1', 'must be a whole number'],
    ['has:nothing', 'must be one of hashtags, cashtags, links, mentions, media, images, video_link, videos, geo'],
    ['is:nothing', 'must be one of repost, reply, quote, verified, nullcast'],
  ])('refused: %s', (clause, says) => {
    expect(reasonsAgainst(`cat ${clause}`)).toEqual(value(clause, says))
  })

  test.each([
    'point_radius:[1 2 25mi]',
    'point_radius:[1,2,40.2km]',
    'point_radius:[ -180 90 1 ]',
    'point_radius:[180 -90 1MI]',
    'bounding_box:[1 2 1.3 2.3]',
    'bounding_box:[1 60 1.7 60.1]',
    'bounding_box:[1 -60.1 1.7 -60]',
    'bounding_box:[179.9 89.9 180 90]',
    'place_country:pt',
    'conversation_id:1234567890123456789',
    'from:@alice',
    'from:abcdefghijklmno',
    'from:1234567890123456789',
    'context:12.*',
    'context:*.34',
    'min_likes:123456789',
    'lang:ZH-tw',
    'has:Videos',
    'is:RETWEET',
  ])('accepted: %s', (clause) => {
    expect(reasonsAgainst(`cat ${clause}`)).toEqual([])
  })

  test('are checked everywhere in the tree, and every fault is told', () => {
    expect(reasonsAgainst('(min_likes:x OR a) -(b min_likes:y)')).toEqual([
      "The value 'x' of the operator 'min_likes' must be a whole number (at position 2)",
      "The value 'y' of the operator 'min_likes' must be a whole number (at position 24)",
    ])
  })

  test.each<[string, QueryScope[]]>([
    ['list:1', ['recent', 'all', 'stream']],
    ['quotes_of_post_id:1', ['recent', 'all']],
    ['entity:a', ['recent', 'stream']],
    ['url:a', ['recent', 'all', 'stream']],
    ['contains:a', ['power']],
    ['bio:a', ['stream', 'power']],
    ['from:a', ['recent', 'all', 'stream', 'power']],
    ['constructor:a', []],
  ])('%s exists in %s', (clause, scopes) => {
    for (const scope of ['recent', 'all', 'stream', 'power'] satisfies QueryScope[])
      expect(reasonsAgainst(clause, scope).length === 0, scope).toBe(scopes.includes(scope))
  })
})

describe('numbers and areas of a rule', () => {
  const LISBON = { id: 'p1', name: 'Lisbon', fullName: 'Lisbon, Portugal', countryCode: 'PT', lon: -9.14, lat: 38.72 }
  const there = postOf({ place: LISBON })
  test.each([
    ['point_radius:[-9.14 38.72 1km]', true],
    ['point_radius:[-9.14 38.82 11km]', false],
    ['point_radius:[-9.14 38.82 11.2km]', true],
    ['point_radius:[-9.14 38.82 6.8mi]', false],
    ['point_radius:[-9.14 38.82 7mi]', true],
    ['point_radius:[-9.24 38.72 8.6km]', false],
    ['point_radius:[-9.24 38.72 8.8km]', true],
    ['bounding_box:[-9.2 38.7 -9.1 38.8]', true],
    ['bounding_box:[-9.14 38.72 -9.1 38.8]', true],
    ['bounding_box:[-9.2 38.7 -9.14 38.72]', true],
    ['bounding_box:[-9.13 38.7 -9.1 38.8]', false],
    ['bounding_box:[-9.2 38.7 -9.15 38.8]', false],
    ['bounding_box:[-9.2 38.73 -9.1 38.8]', false],
    ['bounding_box:[-9.2 38.6 -9.1 38.71]', false],
    ['place:LISBON', true],
    ['place:"Lisbon, Portugal"', true],
    ['place:p1', true],
    ['place:Porto', false],
    ['place_country:pt', true],
    ['place_country:es', false],
  ])('%s: %s', (rule, expected) => {
    expect(fits(rule, there)).toBe(expected)
    expect(fits(rule, postOf())).toBe(false)
  })

  test.each([
    ['followers_count:10..20', [9, false], [10, true], [20, true], [21, false]],
    ['followers_count:10..', [9, false], [10, true], [9_999, true], [11, true]],
    ['followers_count:10', [9, false], [10, true], [11, true], [0, false]],
    ['min_followers:10', [9, false], [10, true], [11, true], [0, false]],
  ] as [string, ...[number, boolean][]][])('%s', (rule, ...cases) => {
    for (const [followersCount, expected] of cases)
      expect(fits(rule, postOf({ author: { followersCount } })), String(followersCount)).toBe(expected)
  })
})
