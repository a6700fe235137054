import { describe, expect, test } from 'vitest'
import type { QueryScope } from '../../src/search/operators.ts'
import { reasonsAgainst } from './rules.ts'

const unavailable = (operator: string, position: number) =>
  `Reference to invalid operator '${operator}'. Operator is not available in current product or product packaging. Please refer to complete available operator list (at position ${position})`

describe('a rule of the filtered stream is refused', () => {
  test.each([
    ['when it holds a semantic operator', 'cat embedding:"pets"', [unavailable('embedding', 5)]],
    ['when it holds the threshold of one', 'cat embedding_threshold:0.5', [unavailable('embedding_threshold', 5)]],
    ['when it holds an operator of search alone', 'quotes_of_post_id:123', [unavailable('quotes_of_post_id', 1)]],
    ['when it holds an operator of the power stream', 'contains:cat', [unavailable('contains', 1)]],
    ['for the former names of counts of likes', 'cat min_faves:1', [unavailable('min_faves', 5)]],
    ['for the former names of counts of reposts', 'cat min_retweets:1', [unavailable('min_retweets', 5)]],
    ['when a sample stands alone', 'sample:10', ['sample cannot be used as a standalone operator']],
    ['when a source stands alone', 'source:"App"', ['source cannot be used as a standalone operator']],
    ['when a branch is a sample only', 'cat OR sample:10', ['sample cannot be used as a standalone operator']],
    ['when a sample is negated', 'cat -sample:10', ["The operator 'sample' cannot be negated (at position 6)"]],
    [
      'when a group with a sample is negated',
      'cat -(dog sample:10)',
      ["The operator 'sample' cannot be negated (at position 11)"],
    ],
    [
      'when a group with a sample is negated twice',
      'cat -(dog -(bird sample:10))',
      ["The operator 'sample' cannot be negated (at position 18)"],
    ],
    ['when it is negated only', '-from_affiliate_of:acme', ['A query cannot consist of negated clauses only']],
    [
      'when words are asked for too far apart',
      '"a b"~7',
      ['The distance of a phrase must be from 1 to 6 (at position 1)'],
    ],
    [
      'with every reason at once',
      'quotes_of_post_id:1 lang:xx',
      [
        unavailable('quotes_of_post_id', 1),
        expect.stringMatching(/^The value 'xx' of the operator 'lang' must be one of am, .* \(at position 21\)$/),
      ],
    ],
  ])('%s', (_name, rule, reasons) => {
    expect(reasonsAgainst(rule)).toEqual(reasons)
  })

  test.each(['sample:0', 'sample:101', 'sample:1.5', 'sample:ten'])('for the value of %s', (clause) => {
    expect(reasonsAgainst(`cat ${clause}`)).toEqual([
      `The value '${clause.slice(7)}' of the operator 'sample' must be a whole number from 1 to 100 (at position 5)`,
    ])
  })

  test.each(['..5', '10..5', '1...5', 'many', '1..2..3', '-1'])('for the range %s', (range) => {
    for (const name of ['followers_count', 'following_count', 'posts_count', 'listed_count']) {
      expect(reasonsAgainst(`cat ${name}:${range}`)).toEqual([
        `The value '${range}' of the operator '${name}' must be a whole number or a range such as 10..100 or 10.. (at position 5)`,
      ])
    }
  })

  test('for a minimum that is a range', () => {
    expect(reasonsAgainst('min_followers:1..5')).toEqual([
      "The value '1..5' of the operator 'min_followers' must be a whole number (at position 1)",
    ])
  })
})

describe('operators that only streams have', () => {
  const CLAUSES = [
    'from_affiliate_of:acme',
    'to_affiliate_of:acme',
    'url_title:a',
    'url_description:a',
    'url_contains:a',
    'bio:a',
    'bio_name:a',
    'bio_location:a',
    'min_followers:1',
    'followers_count:1..2',
    'posts_count:1..',
    'following_count:1',
    'listed_count:1',
    'source:a',
    'sample:5',
  ]

  test.each(CLAUSES)('%s is accepted in a rule and refused by search', (clause) => {
    const name = clause.split(':')[0]!
    expect(reasonsAgainst(`cat ${clause}`)).toEqual([])
    for (const scope of ['recent', 'all'] satisfies QueryScope[])
      expect(reasonsAgainst(`cat ${clause}`, scope)).toEqual([unavailable(name, 5)])
    if (name !== 'sample') expect(reasonsAgainst(`cat -${clause}`)).toEqual([])
  })
})

describe('a rule of the power stream', () => {
  test.each([
    'from:alice to:bob',
    'retweets_of:alice',
    'reposts_of_status_id:1',
    'in_reply_to_status_id:1',
    'contains:"a b" -contains:c',
    'url_contains:"com/a"',
    '@alice ("two words" OR plain) -lang:en',
    'cat (has:mentions OR has:geo OR has:links OR has:media OR has:lang OR has:symbols OR has:images OR has:videos)',
    'cat is:retweet -is:reply',
    'place:lisbon OR bounding_box:[1 2 1.1 2.1] OR point_radius:[1 2 3km]',
    'bio:a bio_name:b',
  ])('may be %s', (rule) => {
    expect(reasonsAgainst(rule, 'power')).toEqual([])
  })

  test.each([
    ['#', '#cats'],
    ['$', '$acme'],
    ['url', 'url:a'],
    ['url_title', 'url_title:a'],
    ['context', 'context:1.2'],
    ['entity', 'entity:a'],
    ['conversation_id', 'conversation_id:1'],
    ['in_reply_to_post_id', 'in_reply_to_post_id:1'],
    ['reposts_of_post_id', 'reposts_of_post_id:1'],
    ['place_country', 'place_country:PT'],
    ['bio_location', 'bio_location:a'],
    ['from_affiliate_of', 'from_affiliate_of:a'],
    ['followers_count', 'followers_count:1'],
    ['min_likes', 'min_likes:1'],
    ['source', 'source:a'],
    ['sample', 'sample:1'],
  ])('may not contain %s', (name, clause) => {
    expect(reasonsAgainst(`cat ${clause}`, 'power')).toEqual([unavailable(name, 5)])
  })

  test('has values of its own for has: and is:, and no proximity', () => {
    expect(reasonsAgainst('cat has:hashtags', 'power')).toEqual([
      "The value 'hashtags' of the operator 'has' must be one of mentions, geo, links, media, lang, symbols, images, videos (at position 5)",
    ])
    expect(reasonsAgainst('cat is:quote', 'power')).toEqual([
      "The value 'quote' of the operator 'is' must be one of repost, reply (at position 5)",
    ])
    expect(reasonsAgainst('cat has:symbols')).toHaveLength(1)
    expect(reasonsAgainst('"a b"~2', 'power')).toEqual(['Proximity can only be used in stream rules (at position 1)'])
  })
})
