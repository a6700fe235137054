// Stream rules: posts matched per second with the rule index and by evaluating all rules one by one, in the same run.
import { checkQuery } from '../dist/modules/search/check-query.js'
import { compileQuery } from '../dist/modules/search/match-query.js'
import { matchablePost } from '../dist/modules/search/matchable-post.js'
import { parseQuery } from '../dist/modules/search/parse-query.js'
import { RuleIndex } from '../dist/modules/search/rule-index.js'

const RULES = Number(process.argv[2] ?? 25_000)
const SECONDS = Number(process.argv[3] ?? 5)
const VOCABULARY = 50_000
const UNSAID = 100
const WORDS_OF_A_POST = 30
const POSTS = 5_000
const COMPARED = 500
const CHANGES = 1_000

const neutral = { id: 'neutral', index: 0, rename: (name) => name, restore: (name) => name }

// Seeded, so two runs measure the same data.
let state = 1
function random() {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}
const below = (limit) => Math.floor(random() * limit)

// The word of rank n occurs 1/n times as often as the first, as in natural language.
const sums = new Float64Array(VOCABULARY)
for (let rank = 1, sum = 0; rank <= VOCABULARY; rank++) {
  sum += 1 / rank
  sums[rank - 1] = sum
}
function word(skipped = 0) {
  const least = skipped === 0 ? 0 : sums[skipped - 1]
  const target = least + random() * (sums[VOCABULARY - 1] - least)
  let low = skipped
  let high = VOCABULARY - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle] < target) low = middle + 1
    else high = middle
  }
  return `w${low.toString(36)}`
}

// Rules use the same words as posts, except the most common ones, for which nobody writes rules.
function ruleText() {
  const terms = Array.from({ length: 2 + below(4) }, () => word(UNSAID))
  const kind = random()
  if (kind < 0.1) return `"${terms[0]} ${terms[1]}" ${terms.slice(2).join(' ')}`
  if (kind < 0.3 && terms.length > 2) return `(${terms[0]} OR ${terms[1]}) ${terms.slice(2).join(' ')}`
  if (kind < 0.5 && terms.length > 2) return `${terms.slice(0, -1).join(' ')} -${terms.at(-1)}`
  if (kind < 0.6) return `${terms.join(' ')} lang:en`
  return terms.join(' ')
}

const postFacts = (index) => ({
  id: String(1_900_000_000_000_000_000n + BigInt(index)),
  text: Array.from({ length: WORDS_OF_A_POST }, () => word()).join(' '),
  hashtags: [],
  cashtags: [],
  mentions: [],
  urls: [],
  lang: 'en',
  ids: { author: String(below(10_000)), conversation: String(index) },
  nullcast: false,
  has: { media: false, images: false, videos: false, geo: false },
  source: 'Bench',
  author: {
    username: 'someone',
    name: 'Some One',
    description: 'writes things',
    location: 'somewhere',
    verified: false,
    followersCount: 10,
    followingCount: 10,
    postsCount: 10,
    listedCount: 0,
    affiliatedTo: [],
  },
  metrics: { likes: 0, replies: 0, reposts: 0 },
})

const ROUNDS = 10

/**
 * Posts per second of each matcher, including the preparation of a post. The matchers take turns, so other work on the machine
 * slows all of them equally.
 */
function measure(posts, matchers) {
  const results = matchers.map(() => ({ done: 0, hits: 0, elapsed: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, match] of matchers.entries()) {
      const result = results[index]
      const started = performance.now()
      let elapsed = 0
      while (elapsed < (SECONDS * 1000) / ROUNDS) {
        for (let burst = 0; burst < 10; burst++)
          result.hits += match(matchablePost(posts[result.done++ % posts.length])).length
        elapsed = performance.now() - started
      }
      result.elapsed += elapsed
    }
  }
  return results.map(({ done, hits, elapsed }) => ({ rate: (done * 1000) / elapsed, hits: hits / done }))
}

const rules = Array.from({ length: RULES }, (_, index) => ({
  key: String(index),
  tree: checkQuery(parseQuery(ruleText()), 'stream', neutral),
}))
const posts = Array.from({ length: POSTS }, (_, index) => postFacts(index))

const buildStarted = performance.now()
const index = new RuleIndex(rules)
const built = performance.now() - buildStarted
const compiled = rules.map((rule) => ({ key: rule.key, query: compileQuery(rule.tree, new Map(), rule.key) }))
const matchAll = (post) => {
  const keys = []
  for (const { key, query } of compiled) if (query.matches(post)) keys.push(key)
  return keys
}

let different = 0
for (const facts of posts.slice(0, COMPARED)) {
  const post = matchablePost(facts)
  if (index.match(post).join() !== matchAll(post).join()) different += 1
}

const [oneByOne, indexed, ready] = measure(posts, [matchAll, (post) => index.match(post), () => []])

const changesStarted = performance.now()
for (const rule of rules.slice(0, CHANGES)) {
  index.remove(rule.key)
  index.add(rule)
}
const change = (performance.now() - changesStarted) / (2 * CHANGES)

const figure = (number) => Math.round(number).toLocaleString('en').padStart(12)
console.log(
  `${RULES} rules of 2 to 5 terms, posts of ${WORDS_OF_A_POST} words, ${indexed.hits.toFixed(1)} rules match a post`,
)
console.log(`posts per second, one by one${figure(oneByOne.rate)}`)
console.log(`posts per second, by index  ${figure(indexed.rate)}`)
console.log(`ratio                       ${figure(indexed.rate / oneByOne.rate)}`)
console.log(`posts per second, prepared only, without matching${figure(ready.rate)}`)
console.log(
  `index of all rules built in ${built.toFixed(0)} ms; one rule added or removed in ${(change * 1000).toFixed(1)} µs`,
)
console.log(`${COMPARED} posts compared, ${different} with different rules`)
if (different > 0) process.exit(1)
