import { describe, expect, test } from 'vitest'
import { compileQuery } from '../../src/search/match-query.ts'
import type { MatchablePost } from '../../src/search/matchable-post.ts'
import { type IndexedRule, RuleIndex } from '../../src/search/rule-index.ts'
import { contentOf, postOf, reasonsAgainst, ruleOf, USER_IDS } from './rules.ts'

/** The same numbers in every run. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit)
  }
}

type Below = ReturnType<typeof randomFrom>
const WORDS = ['the', 'cat', 'dog', 'café', 'cafe', 'rain', 'sun', '猫', '東', '京', '🌞', 'x', 'snow', 'news', 'com']
const NAMES = ['alice', 'bob', 'nobody_yet', '12345']
const USERS = ['101', '102', '777', '12345']
const pick = <T>(below: Below, values: readonly T[]): T => values[below(values.length)]!
const some = <T>(below: Below, values: readonly T[], most: number): T[] =>
  Array.from({ length: below(most + 1) }, () => pick(below, values))

const CLAUSES: ((below: Below) => string)[] = [
  (below) => `"${pick(below, WORDS)} ${pick(below, WORDS)}"`,
  (below) => `"${pick(below, WORDS)} ${pick(below, WORDS)} ${pick(below, WORDS)}"~${1 + below(6)}`,
  (below) => `"!!"${below(2) === 0 ? '~2' : ''}`,
  (below) => `#${pick(below, WORDS.slice(0, 7))}`,
  (below) => `$${pick(below, ['cat', 'dog'])}`,
  (below) => `@${pick(below, NAMES)}`,
  (below) => `${pick(below, ['from', 'to', 'reposts_of'])}:${pick(below, [...NAMES, ...USERS])}`,
  (below) => `${pick(below, ['from_affiliate_of', 'to_affiliate_of'])}:${pick(below, ['acme', '901'])}`,
  (below) => `${pick(below, ['conversation_id', 'in_reply_to_post_id', 'reposts_of_post_id'])}:${1 + below(3)}`,
  (below) => `${pick(below, ['url', 'url_title', 'url_description'])}:${pick(below, WORDS)}`,
  (below) => `url:"${pick(below, ['news', 'rain'])}.com"`,
  (below) => `url_contains:${pick(below, ['ew', 'in/s', 'zzz'])}`,
  (below) =>
    `${pick(below, ['bio', 'bio_name', 'bio_location'])}:"${some(below, WORDS, 1).join(' ')} ${pick(below, WORDS)}"`,
  (below) => `has:${pick(below, ['hashtags', 'links', 'mentions', 'media', 'videos', 'geo'])}`,
  (below) => `is:${pick(below, ['reply', 'quote', 'repost', 'verified'])}`,
  (below) => `lang:${pick(below, ['en', 'ja', 'zh-TW'])}`,
  (below) => `place:${pick(below, ['lisbon', 'a1f0c2d4e5b60002'])}`,
  (below) => pick(below, ['place_country:PT', 'bounding_box:[-9.3 38.6 -9 38.8]', 'point_radius:[-9 38.5 40km]']),
  (below) => `${pick(below, ['followers_count', 'posts_count', 'listed_count'])}:${below(5)}..${5 + below(5)}`,
  (below) => `${pick(below, ['min_followers', 'min_likes', 'min_replies'])}:${below(5)}`,
  (below) => `source:${pick(below, ['web', 'phone'])}`,
  () => 'entity:"Nobody"',
]

function ruleText(below: Below, depth = 0): string {
  const clause = (): string => {
    if (depth < 2 && below(5) === 0) return `${below(4) === 0 ? '-' : ''}(${ruleText(below, depth + 1)})`
    const text = below(5) < 3 ? pick(below, WORDS) : pick(below, CLAUSES)(below)
    return below(5) === 0 ? `-${text}` : text
  }
  const branch = () => Array.from({ length: 1 + below(3) }, clause).join(' ')
  const text = Array.from({ length: below(3) === 0 ? 2 : 1 }, branch).join(' OR ')
  return depth === 0 && below(15) === 0 ? `(${text}) sample:${1 + below(99)}` : text
}

/** Random rules, without those that would be rejected. */
function randomRules(below: Below, amount: number): IndexedRule<string>[] {
  const rules: IndexedRule<string>[] = []
  while (rules.length < amount) {
    const text = ruleText(below)
    if (reasonsAgainst(text).length === 0)
      rules.push({ key: String(rules.length), tree: ruleOf(text), userIds: USER_IDS })
  }
  return rules
}

function randomContent(below: Below) {
  return contentOf(some(below, WORDS, 8).join(' '), {
    hashtags: some(below, WORDS.slice(0, 7), 1),
    cashtags: some(below, ['CAT', 'dog'], 1),
    mentions: some(below, NAMES, 1),
    urls: some(below, ['https://news.com/rain/snow', 'https://rain.com/sun'], 1).map((expanded) => ({
      expanded,
      short: 'https://sho.rt/x',
      title: some(below, WORDS, 3).join(' '),
      description: some(below, WORDS, 3).join(' '),
    })),
  })
}

function randomPost(below: Below, id: number): MatchablePost {
  const reference = () => (below(3) === 0 ? String(1 + below(3)) : null)
  const user = () => (below(2) === 0 ? pick(below, USERS) : null)
  const inLisbon = below(3) === 0
  return postOf({
    ...randomContent(below),
    id: String(id),
    lang: pick(below, ['en', 'ja', 'zh', 'und']),
    quoted: below(3) === 0 ? randomContent(below) : undefined,
    ids: {
      author: pick(below, USERS),
      conversation: String(1 + below(3)),
      inReplyToPost: reference(),
      inReplyToUser: user(),
      quotedPost: reference(),
      repostedPost: reference(),
      repostedUser: user(),
    },
    usernames: { inReplyToUser: pick(below, NAMES), repostedUser: pick(below, NAMES) },
    nullcast: below(4) === 0,
    has: { media: below(2) === 0, videos: below(3) === 0, geo: inLisbon },
    ...(inLisbon
      ? {
          place: {
            id: 'a1f0c2d4e5b60002',
            name: 'Lisbon',
            fullName: 'Lisbon',
            countryCode: 'PT',
            lon: -9.1,
            lat: 38.7,
          },
        }
      : {}),
    source: pick(below, ['Web', 'Phone']),
    author: {
      username: pick(below, NAMES),
      name: some(below, WORDS, 2).join(' '),
      description: some(below, WORDS, 4).join(' '),
      location: some(below, WORDS, 2).join(' '),
      verified: below(2) === 0,
      followersCount: below(10),
      postsCount: below(10),
      listedCount: below(10),
      affiliatedTo: some(below, ['900', '901'], 1),
    },
    repliedAuthorAffiliatedTo: some(below, ['900', '901'], 1),
    metrics: { likes: below(8), replies: below(8) },
  })
}

/** What the index must give: every rule is matched against the post by itself. */
const oneByOne = (rules: readonly IndexedRule<string>[]) => {
  const compiled = rules.map((rule) => ({ key: rule.key, query: compileQuery(rule.tree, USER_IDS, rule.key) }))
  return (post: MatchablePost) => compiled.filter(({ query }) => query.matches(post)).map(({ key }) => key)
}

// A run of mutants repeats this hundreds of times, each some times slower: it makes do with fewer.
const [RULES, POSTS] = process.env.STRYKER_MUTATOR_WORKER === undefined ? [700, 400] : [100, 50]

describe('the index of rules', () => {
  test.each([1, 2, 3])('gives what evaluating every rule gives (seed %i)', (seed) => {
    const below = randomFrom(seed)
    const rules = randomRules(below, RULES)
    const index = new RuleIndex(rules)
    const expected = oneByOne(rules)
    expect(index.size).toBe(RULES)
    const matched = new Set<string>()
    for (let id = 0; id < POSTS; id++) {
      const post = randomPost(below, id)
      const keys = expected(post)
      expect(index.match(post)).toEqual(keys)
      for (const key of keys) matched.add(key)
    }
    // Enough of the random rules match.
    expect(matched.size).toBeGreaterThan(RULES * (POSTS === 400 ? 0.65 : 0.3))
  })

  test('gives the same after single rules were added, removed and replaced', () => {
    const below = randomFrom(11)
    const rules = new Map(randomRules(below, 600).map((rule) => [rule.key, rule]))
    const index = new RuleIndex(rules.values())
    for (let round = 0; round < 20; round++) {
      for (const fresh of randomRules(below, 30)) {
        const key = pick(below, [...rules.keys()])
        expect(index.remove(key)).toBe(true)
        rules.delete(key)
        const rule = { ...fresh, key: below(2) === 0 ? pick(below, [...rules.keys()]) : `${round}-${fresh.key}` }
        index.add(rule)
        rules.delete(rule.key)
        rules.set(rule.key, rule)
      }
      expect(index.size).toBe(rules.size)
      const expected = oneByOne([...rules.values()])
      for (let id = 0; id < 20; id++) {
        const post = randomPost(below, round * 100 + id)
        expect(index.match(post)).toEqual(expected(post))
      }
    }
  })

  test('gives rules in their order, each once, even when two of its words occur', () => {
    const index = new RuleIndex<number>([
      { key: 3, tree: ruleOf('sun OR rain') },
      { key: 1, tree: ruleOf('rain') },
      { key: 2, tree: ruleOf('followers_count:0..9') },
    ])
    index.add({ key: 0, tree: ruleOf('sun') })
    expect(index.match(postOf(contentOf('rain and sun')))).toEqual([3, 1, 2, 0])
  })

  test('is empty when all rules are gone, and can be filled again', () => {
    const index = new RuleIndex<string>()
    const post = postOf(contentOf('rain'))
    expect(index.match(post)).toEqual([])
    index.add({ key: 'a', tree: ruleOf('rain OR min_likes:0') })
    expect(index.match(post)).toEqual(['a'])
    expect(index.remove('a')).toBe(true)
    expect(index.remove('a')).toBe(false)
    expect(index.size).toBe(0)
    expect(index.match(post)).toEqual([])
    index.add({ key: 'a', tree: ruleOf('snow') })
    index.add({ key: 'a', tree: ruleOf('rain') })
    expect(index.size).toBe(1)
    expect(index.match(post)).toEqual(['a'])
  })
})

describe('a rule is filed', () => {
  const filing = (value: string, costs: Record<string, number> = {}) =>
    compileQuery(ruleOf(value), USER_IDS, 'rule').filing((term) => costs[term] ?? 1)

  test.each([
    ['under its rarest word', 'cat rare', { cat: 9 }, { keys: ['rare'], guard: 'cat' }],
    ['under the rarest word of a phrase', '"the old tower"', { the: 9, old: 5 }, { keys: ['tower'], guard: 'old' }],
    ['under both words of an OR', 'cat OR dog', {}, { keys: ['cat', 'dog'] }],
    ['under the word beside a group', '(cat OR dog) bird', {}, { keys: ['bird'] }],
    [
      'under a group that is rarer than the word beside it',
      '(cat OR dog) the',
      { the: 9 },
      { keys: ['cat', 'dog'], guard: 'the' },
    ],
    ['under the rarest word of each branch', '(a b) OR (c d)', { a: 9, d: 9 }, { keys: ['b', 'c'] }],
    ['under no word that is negated', 'cat -dog', { cat: 9 }, { keys: ['cat'] }],
    ['under an author by id', 'from:alice cat', { cat: 9 }, { keys: ['from:101'], guard: 'cat' }],
    ['nowhere when nothing can match it', 'cat "!!"', {}, { keys: [], guard: 'cat' }],
  ])('%s', (_name, rule, costs, expected) => {
    expect(filing(rule, costs)).toEqual(expected)
  })

  test('nowhere, so it is always evaluated, when a branch requires no term', () => {
    for (const rule of ['min_likes:1', 'cat OR followers_count:5', 'followers_count:5 -dog'])
      expect(filing(rule), rule).toBeUndefined()
  })
})
