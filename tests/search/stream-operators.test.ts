import { describe, expect, test } from 'vitest'
import { compileQuery } from '../../src/search/match-query.ts'
import { contentOf, fits, postOf, ruleOf, USER_IDS } from './rules.ts'

const text = (words: string) => postOf(contentOf(words))
const LISBON = {
  id: 'a1f0c2d4e5b60002',
  name: 'Lisbon',
  fullName: 'Lisbon, Portugal',
  countryCode: 'PT',
  lon: -9.14,
  lat: 38.72,
}
const NEWS = {
  expanded: 'https://News.example.com/markets/today-story',
  short: 'https://sho.rt/Ab3',
  title: 'Snow falls on the Alps',
  description: 'A weather report for skiers',
}
const linked = postOf(contentOf('Read this now', { urls: [NEWS] }))
const plain = postOf()

describe('words of a rule', () => {
  test.each([
    ['a keyword matches whatever its case', 'CAT', 'The cat sleeps', 'The category'],
    ['a keyword with a sign in it is a phrase', 'coca-cola', 'I like Coca Cola', 'cola, coca'],
    ['two keywords match in any order', 'sleeps cat', 'The cat sleeps', 'The cat eats'],
    ['a phrase matches in its order', '"brown cat"', 'A brown, cat!', 'A cat brown'],
    ['a phrase with signs matches the words without them', '"#love #snow"', 'love snow', 'snow love'],
    ['an emoji is a word', '🌞', 'Good morning 🌞!', 'Good morning 🌝'],
    ['words without blanks between them are found', '東京', '今日は東京で', '京と東'],
    ['an accent must be there', 'café', 'Le Café du coin', 'Le cafe du coin'],
    ['an accent must not be there either', 'cafe', 'un cafe', 'un café'],
    ['an accent may be written in two ways', 'caf\u00e9', 'un cafe\u0301 noir', 'un cafe noir'],
    ['an accented letter is not a boundary of words', 'crit', 'no crit', 'dia\u0301crit crite\u0301'],
    ['a letter that has its accent apart is not a boundary', 'x\u0302y', 'the x\u0302y axis', 'the x y axis'],
    ['a word may be in a hashtag', 'pets', 'all #Pets here', 'all #PetsRock here'],
  ])('%s', (_name, rule, matching, other) => {
    expect(fits(rule, text(matching))).toBe(true)
    expect(fits(rule, text(other))).toBe(false)
  })

  test('a keyword matches a word of a link, which is not part of any phrase of the text', () => {
    expect(fits('markets', linked)).toBe(true)
    expect(fits('"markets today"', linked)).toBe(true)
    expect(fits('"now https"', linked)).toBe(false)
    expect(fits('"this now"', linked)).toBe(true)
    expect(fits('ab3', linked)).toBe(false)
  })

  test('the quoted post is matched too, and no phrase spans both texts', () => {
    const quote = postOf({
      ...contentOf('Look at this'),
      quoted: contentOf('animal of the day', { hashtags: ['Zebra'], mentions: ['carol'], urls: [NEWS] }),
    })
    for (const rule of [
      'animal',
      '"the day"',
      'look animal',
      '#zebra',
      '@carol',
      'url:markets',
      'url_contains:"today-"',
    ])
      expect(fits(rule, quote), rule).toBe(true)
    for (const rule of ['"this animal"', 'look has:hashtags', 'look has:links'])
      expect(fits(rule, quote), rule).toBe(false)
    expect(fits('look -animal', quote)).toBe(false)
  })

  test.each([
    ['as near as asked', '"social media"~2', 'social and digital media', true],
    ['one word too far', '"social media"~1', 'social and digital media', false],
    ['side by side', '"social media"~1', 'social media', true],
    ['turned round, which costs two steps', '"social media"~2', 'media social', true],
    ['turned round with too few steps', '"social media"~1', 'media social', false],
    ['turned round with one word between', '"social media"~3', 'media very social', true],
    ['with three words', '"a b c"~2', 'a x b y c', true],
    ['with three words too far apart', '"a b c"~2', 'a x b y z c', false],
    ['with a word twice that is there once', '"tick tick"~3', 'tick tock', false],
    ['with a word twice that is there twice', '"tick tick"~1', 'tick tock tick', true],
    ['with a word missing', '"social media"~6', 'social only', false],
  ])('proximity finds words %s', (_name, rule, words, expected) => {
    expect(fits(rule, text(words))).toBe(expected)
  })
})

describe('precedence and negation', () => {
  const matching = (rule: string) => ['a', 'b', 'c', 'a b', 'a c', 'b c'].filter((words) => fits(rule, text(words)))

  test.each([
    ['AND binds tighter on the right', 'a OR b c', ['a', 'a b', 'a c', 'b c']],
    ['AND binds tighter on the left', 'a b OR c', ['c', 'a b', 'a c', 'b c']],
    ['parentheses group', '(a OR b) c', ['a c', 'b c']],
    ['a minus sign negates the next clause only', 'a -b', ['a', 'a c']],
    ['a group can be negated', 'a -(b OR c)', ['a']],
    ['a negated group of both', 'a -(b c)', ['a', 'a b', 'a c']],
    ['a negated clause in a branch', '(a -b) OR c', ['a', 'c', 'a c', 'b c']],
  ])('%s', (_name, rule, expected) => {
    expect(matching(rule)).toEqual(expected)
  })
})

describe('operators match one post and not another', () => {
  const answer = postOf({
    ids: { inReplyToPost: '4000', inReplyToUser: '101', conversation: '3999' },
    repliedAuthorAffiliatedTo: ['900'],
  })
  const repost = postOf({ ids: { repostedPost: '4000', repostedUser: '102' } })
  const tagged = postOf(contentOf('words', { hashtags: ['Été'], cashtags: ['ACME'], mentions: ['Alice'] }))
  const byAlice = postOf({ ids: { author: '101' }, author: { username: 'alice', affiliatedTo: ['900', '901'] } })
  const inLisbon = postOf({ place: LISBON, has: { geo: true } })
  const profiled = postOf({
    author: {
      description: 'Data engineer and cook',
      name: 'Dr. Müller PhD',
      location: 'The Big Apple',
      followersCount: 500,
      followingCount: 20,
      postsCount: 1_000,
      listedCount: 3,
    },
    source: 'Rostra for Phones',
    metrics: { likes: 5, replies: 2, reposts: 1 },
  })

  test.each([
    ['#été', tagged, plain],
    ['#ÉTÉ', tagged, postOf(contentOf('x', { hashtags: ['ete'] }))],
    ['$acme', tagged, plain],
    ['@alice', tagged, plain],
    ['from:alice', byAlice, plain],
    ['from:@Alice', byAlice, plain],
    ['from:101', byAlice, plain],
    ['from:nobody_yet', postOf({ author: { username: 'Nobody_Yet' } }), byAlice],
    ['from:12345', postOf({ author: { username: '12345' } }), plain],
    ['to:alice', answer, byAlice],
    ['to:nobody_yet', postOf({ usernames: { inReplyToUser: 'nobody_yet' } }), answer],
    ['reposts_of:bob', repost, answer],
    ['reposts_of:nobody_yet', postOf({ usernames: { repostedUser: 'Nobody_yet' } }), repost],
    ['retweets_of:102', repost, plain],
    ['from_affiliate_of:acme', byAlice, plain],
    ['from_affiliate_of:901', byAlice, answer],
    ['to_affiliate_of:acme', answer, byAlice],
    ['conversation_id:3999', answer, plain],
    ['in_reply_to_post_id:4000', answer, repost],
    ['in_reply_to_post_id:004000', answer, repost],
    ['in_reply_to_status_id:4000', answer, repost],
    ['reposts_of_post_id:4000', repost, answer],
    ['retweets_of_tweet_id:4000', repost, answer],
    ['url:"news.example.com"', linked, plain],
    ['url:"https://sho.rt"', linked, plain],
    ['url:story', linked, text('a story')],
    ['url_title:snow', linked, text('snow')],
    ['url_title:"the alps"', linked, plain],
    ['url_description:weather', linked, text('weather')],
    ['url_description:"report for"', linked, plain],
    ['url_contains:"example.com/Mark"', linked, text('example.com/mark')],
    ['url_contains:"rt/ab"', linked, plain],
    ['bio:engineer', profiled, text('engineer')],
    ['bio:"data engineer"', profiled, plain],
    ['bio_name:müller', profiled, postOf({ author: { name: 'Muller' } })],
    ['bio_location:"big apple"', profiled, text('big apple')],
    ['place:lisbon', inLisbon, text('lisbon')],
    ['place:"Lisbon, Portugal"', inLisbon, plain],
    ['place:a1f0c2d4e5b60002', inLisbon, plain],
    ['place_country:pt', inLisbon, plain],
    ['bounding_box:[-9.3 38.6 -9 38.8]', inLisbon, postOf({ place: { ...LISBON, lat: 41 } })],
    ['bounding_box:[-9.3 38.6 -9 38.8]', inLisbon, plain],
    ['point_radius:[-9.15 38.75 5km]', inLisbon, postOf({ place: { ...LISBON, lon: -9.24 } })],
    ['point_radius:[-9.15 38.75 5mi]', postOf({ place: { ...LISBON, lon: -9.22 } }), plain],
    ['min_followers:500', profiled, plain],
    ['followers_count:500', profiled, postOf({ author: { followersCount: 499 } })],
    ['followers_count:100', profiled, plain],
    ['followers_count:100..500', profiled, postOf({ author: { followersCount: 501 } })],
    ['followers_count:400..', profiled, plain],
    ['following_count:20..20', profiled, plain],
    ['posts_count:1000', profiled, plain],
    ['tweets_count:900..1100', profiled, plain],
    ['listed_count:1..3', profiled, plain],
    ['min_likes:5', profiled, plain],
    ['min_replies:2', profiled, plain],
    ['min_reposts:1', profiled, plain],
  ])('%s', (rule, matching, other) => {
    expect(fits(rule, matching)).toBe(true)
    expect(fits(rule, other)).toBe(false)
    // Every author has at least zero followers.
    expect(fits(`followers_count:0 -${rule}`, matching)).toBe(false)
    expect(fits(`followers_count:0 -${rule}`, other)).toBe(true)
  })

  test.each([
    ['lang:en', { lang: 'en' }, { lang: 'de' }],
    ['lang:zh-CN', { lang: 'zh' }, { lang: 'ja' }],
    ['source:"rostra for phones"', { source: 'Rostra for Phones' }, { source: 'Rostra' }],
    ['is:reply', { ids: { inReplyToPost: '1' } }, {}],
    ['is:quote', { ids: { quotedPost: '1' } }, { ids: { repostedPost: '1' } }],
    ['is:repost', { ids: { repostedPost: '1' } }, { ids: { quotedPost: '1' } }],
    ['is:retweet', { ids: { repostedPost: '1' } }, {}],
    ['is:verified', { author: { verified: true } }, {}],
    ['-is:nullcast', {}, { nullcast: true }],
    ['has:hashtags', contentOf('cat', { hashtags: ['a'] }), {}],
    ['has:cashtags', contentOf('cat', { cashtags: ['a'] }), {}],
    ['has:links', contentOf('cat', { urls: [NEWS] }), {}],
    ['has:mentions', contentOf('cat', { mentions: ['a'] }), {}],
    ['has:media', { has: { media: true } }, {}],
    ['has:images', { has: { images: true } }, { has: { media: true } }],
    ['has:video_link', { has: { videos: true } }, { has: { images: true } }],
    ['has:videos', { has: { videos: true } }, {}],
    ['has:geo', { has: { geo: true } }, {}],
  ])('cat %s', (clause, matching, other) => {
    const withCat = (change: object) => postOf({ ...contentOf('a cat'), ...change })
    expect(fits(`cat ${clause}`, withCat(matching))).toBe(true)
    expect(fits(`cat ${clause}`, withCat(other))).toBe(false)
    if (clause.startsWith('-')) return
    expect(fits(`cat -${clause}`, withCat(matching))).toBe(false)
    expect(fits(`cat -${clause}`, withCat(other))).toBe(true)
  })

  test('annotations, which no post has, match nothing', () => {
    expect(fits('context:10.799022225751871488', plain)).toBe(false)
    expect(fits('entity:"Michael Jordan" OR note', plain)).toBe(true)
    expect(fits('entity:"Michael Jordan"', plain)).toBe(false)
  })
})

describe('a sample', () => {
  const posts = Array.from({ length: 20_000 }, (_, index) =>
    postOf({ ...contentOf(index % 2 === 0 ? 'cat' : 'dog'), id: String(1_900_000_000_000_000_000n + BigInt(index)) }),
  )
  const sampleOf = (rule: string, key = 'rule') => {
    const { matches } = compileQuery(ruleOf(rule), USER_IDS, key)
    return posts.filter(matches)
  }
  const share = (rule: string) => (sampleOf(rule).length * 100) / posts.length

  test('is the requested percentage of the matching posts, also of an OR', () => {
    expect(share('(cat OR dog) sample:10')).toBeGreaterThan(9)
    expect(share('(cat OR dog) sample:10')).toBeLessThan(11)
    expect(share('cat sample:50')).toBeGreaterThan(23.5)
    expect(share('cat sample:50')).toBeLessThan(26.5)
    expect(share('cat OR (dog sample:10)')).toBeLessThan(11)
    expect(share('cat sample:100')).toBe(50)
  })

  test('is always the same for one rule, and different for the next', () => {
    const first = sampleOf('cat sample:50', 'first')
    expect(sampleOf('cat sample:50', 'first')).toEqual(first)
    const both = sampleOf('cat sample:50', 'second').filter((post) => first.includes(post))
    expect(both.length / first.length).toBeGreaterThan(0.46)
    expect(both.length / first.length).toBeLessThan(0.54)
  })
})

describe('a rule of the power stream', () => {
  test.each([
    ['contains:hello', text('Hello world'), plain],
    ['contains:-2345.432', text('it was -2345.432 then'), text('2345 was 432')],
    ['contains:"two words"', text('two words'), text('words two')],
    ['retweets_of_status_id:4000', postOf({ ids: { repostedPost: '4000' } }), plain],
    ['in_reply_to_status_id:4000', postOf({ ids: { inReplyToPost: '4000' } }), plain],
    ['note has:symbols', postOf({ ...contentOf('note', { cashtags: ['A'] }) }), plain],
    ['note has:lang', plain, postOf({ lang: 'und' })],
    ['note has:lang', plain, postOf({ lang: 'qst' })],
    ['bio:cook', postOf({ author: { description: 'a cook' } }), plain],
  ])('%s', (rule, matching, other) => {
    expect(fits(rule, matching, 'power')).toBe(true)
    expect(fits(rule, other, 'power')).toBe(false)
  })
})
