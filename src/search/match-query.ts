import { findWords, findWordsNear } from './find-words.ts'
import {
  ANY_PLACE,
  ANY_URL,
  cashtagTerm,
  hashtagTerm,
  languageTerm,
  type MatchablePost,
  type MatchableUrl,
} from './matchable-post.ts'
import { ACCOUNT_OPERATORS, EARTH_RADIUS_KM, readCircle, readNumbers, readRange } from './operators.ts'
import type { QueryLeaf, QueryNode } from './parse-query.ts'
import { factTerm, mentionTerm } from './post-terms.ts'
import { accountName, withoutZeros } from './query-sql.ts'
import { isInSample } from './sample-posts.ts'
import { exactWords, foldCase } from './tokenize.ts'

/** A query that is ready to be matched against posts. */
export interface CompiledQuery {
  matches(post: MatchablePost): boolean
  /** Every term that the query could be filed under. */
  terms: readonly string[]
  /**
   * The terms an index files the query under: cheap ones, which occur in few posts. Undefined when a matching post
   * needs no particular term, so the query must be evaluated for every post.
   */
  filing(costOf: (term: string) => number): Filing | undefined
}

/** How an index finds a query. */
interface Filing {
  /** A matching post has at least one of these. Empty for a query that nothing can match. */
  keys: readonly string[]
  /** A matching post has this too. */
  guard?: string
}

type Test = (post: MatchablePost) => boolean

/** What matching posts have: a term, everything of a list, or at least one thing of a list. */
type Need = string | { all: readonly Need[] } | { any: readonly Need[] }

interface Part {
  test: Test
  /** Set when this term is the only condition. */
  term?: string
  /** Undefined when no term is required. */
  need?: Need
}

/**
 * Compiles a checked tree. `userIds` has the ids of those names in it that belong to a user. `sampleKey` and the id of a post
 * decide whether the post is in the sample, where the query asks for one.
 */
export function compileQuery(tree: QueryNode, userIds: ReadonlyMap<string, string>, sampleKey: string): CompiledQuery {
  const { test, need } = compileNode(tree, userIds)
  const percent = samplePercent(tree)
  return {
    matches: percent === 100 ? test : (post) => isInSample(sampleKey, post.facts.id, percent) && test(post),
    terms: need === undefined ? [] : termsIn(need),
    filing: (costOf) => (need === undefined ? undefined : fileUnder(need, costOf)),
  }
}

function compileNode(node: QueryNode, userIds: ReadonlyMap<string, string>): Part {
  if (node.kind === 'not') {
    const { test } = compileNode(node.part, userIds)
    return { test: (post) => !test(post) }
  }
  if (node.kind === 'and' || node.kind === 'or') {
    const parts = node.parts.map((part) => compileNode(part, userIds))
    const needs = parts.flatMap((part) => part.need ?? [])
    if (node.kind === 'and') return { test: allOf(parts), need: needs.length === 0 ? undefined : { all: needs } }
    // One branch that needs nothing may match any post.
    return { test: anyOf(parts), need: needs.length < parts.length ? undefined : { any: needs } }
  }
  return compileLeaf(node, userIds)
}

// These run for every candidate of every post, and what they read is rarely in the processor's cache. Most queries consist
// of terms, so terms are in one list and are tested first.
function allOf(parts: readonly Part[]): Test {
  const { terms, tests } = apart(parts)
  return (post) => {
    for (const term of terms) if (!post.terms.has(term)) return false
    for (const test of tests) if (!test(post)) return false
    return true
  }
}

function anyOf(parts: readonly Part[]): Test {
  const { terms, tests } = apart(parts)
  return (post) => {
    for (const term of terms) if (post.terms.has(term)) return true
    for (const test of tests) if (test(post)) return true
    return false
  }
}

const apart = (parts: readonly Part[]): { terms: readonly string[]; tests: readonly Test[] } => ({
  terms: parts.flatMap((part) => part.term ?? []),
  tests: parts.flatMap((part) => (part.term === undefined ? part.test : [])),
})

const NOTHING: Part = { test: () => false, need: { any: [] } }

const hasTerm = (term: string): Part => ({ test: (post) => post.terms.has(term), term, need: term })

function compileLeaf(leaf: QueryLeaf, userIds: ReadonlyMap<string, string>): Part {
  switch (leaf.kind) {
    case 'words':
      return wordsPart(leaf.text, leaf.near)
    case 'hashtag':
      return hasTerm(hashtagTerm(leaf.text))
    case 'cashtag':
      return hasTerm(cashtagTerm(leaf.text))
    case 'mention':
      return hasTerm(mentionTerm(leaf.text))
    case 'operator':
      return compileOperator(leaf.name, leaf.value, userIds)
  }
}

// The terms show whether all words occur; only then is their order checked.
function wordsPart(text: string, near?: number): Part {
  const words = exactWords(text)
  if (words.length === 0) return NOTHING
  if (words.length === 1) return hasTerm(words[0]!)
  const inOrder =
    near === undefined
      ? (run: readonly string[]) => findWords(run, words)
      : (run: readonly string[]) => findWordsNear(run, words, near)
  return inRuns(words, (post) => post.texts.some(inOrder))
}

/** Words in a field of the post. `runsOf` gives the runs in which they may follow each other. */
function fieldPart(name: string, value: string, runsOf: (post: MatchablePost) => readonly (readonly string[])[]): Part {
  const words = exactWords(value)
  if (words.length === 0) return NOTHING
  const terms = words.map((word) => factTerm(name, word))
  if (terms.length === 1) return hasTerm(terms[0]!)
  return inRuns(terms, (post) => runsOf(post).some((run) => findWords(run, words)))
}

const inRuns = (terms: readonly string[], isInOrder: Test): Part => ({
  test: (post) => {
    for (const term of terms) if (!post.terms.has(term)) return false
    return isInOrder(post)
  },
  need: { all: terms },
})

const ofUrls = (field: (url: MatchableUrl) => readonly string[]) => (post: MatchablePost) => post.urls.map(field)

const WORD_FIELDS: Record<string, (post: MatchablePost) => readonly (readonly string[])[]> = {
  url: (post) => post.urls.flatMap((url) => [url.words, url.shortWords]),
  url_title: ofUrls((url) => url.title),
  url_description: ofUrls((url) => url.description),
  bio: (post) => [post.profile.bio],
  bio_name: (post) => [post.profile.name],
  bio_location: (post) => [post.profile.location],
}

const COUNTS: Record<string, (post: MatchablePost) => number> = {
  min_likes: (post) => post.facts.metrics.likes,
  min_replies: (post) => post.facts.metrics.replies,
  min_reposts: (post) => post.facts.metrics.reposts,
  min_followers: (post) => post.facts.author.followersCount,
  followers_count: (post) => post.facts.author.followersCount,
  following_count: (post) => post.facts.author.followingCount,
  posts_count: (post) => post.facts.author.postsCount,
  listed_count: (post) => post.facts.author.listedCount,
}

// Two values have a second name.
const HAS_NAMES: Record<string, string> = { videos: 'video_link', symbols: 'cashtags' }

function compileOperator(name: string, value: string, userIds: ReadonlyMap<string, string>): Part {
  if (ACCOUNT_OPERATORS.has(name)) return accountPart(name, value, userIds)
  const runsOf = WORD_FIELDS[name]
  if (runsOf) return fieldPart(name, value, runsOf)
  const countOf = COUNTS[name]
  if (countOf) {
    const { min, max } = readRange(value)!
    return { test: (post) => countOf(post) >= min && countOf(post) <= max }
  }
  const lower = value.toLowerCase()
  switch (name) {
    case 'conversation_id':
    case 'in_reply_to_post_id':
    case 'reposts_of_post_id':
    case 'list':
      return hasTerm(factTerm(name, withoutZeros(value)))
    case 'lang':
      return hasTerm(languageTerm(value))
    case 'context':
      return hasTerm(factTerm(name, value))
    case 'entity':
    case 'place':
    case 'source':
      return hasTerm(factTerm(name, foldCase(value)))
    case 'is':
    case 'place_country':
      return hasTerm(factTerm(name, lower))
    case 'has':
      return hasTerm(factTerm(name, HAS_NAMES[lower] ?? lower))
    case 'url_contains':
      return {
        test: (post) => post.urls.some((url) => url.addresses.some((address) => address.includes(lower))),
        need: ANY_URL,
      }
    case 'bounding_box':
      return boxPart(value)
    case 'point_radius':
      return circlePart(value)
    case 'sample':
      // Sampling applies to the whole query, in `compileQuery`.
      return { test: () => true }
    default:
      return NOTHING
  }
}

function accountPart(name: string, value: string, userIds: ReadonlyMap<string, string>): Part {
  const username = accountName(value)
  const id = userIds.get(username)
  if (id !== undefined) return hasTerm(factTerm(name, id))
  // Nobody had that name when the query was compiled, but a user may have taken it since.
  const byName = hasTerm(factTerm(`${name}_name`, username))
  if (!/^[0-9]+$/.test(value)) return byName
  const byId = hasTerm(factTerm(name, value))
  return { test: anyOf([byId, byName]), need: { any: [byId.need!, byName.need!] } }
}

function boxPart(value: string): Part {
  const [west, south, east, north] = readNumbers(value) as [number, number, number, number]
  const contains: Test = ({ facts: { place } }) =>
    place !== undefined && place.lon >= west && place.lon <= east && place.lat >= south && place.lat <= north
  return { test: contains, need: ANY_PLACE }
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function circlePart(value: string): Part {
  const { lon, lat, km } = readCircle(value)
  const contains: Test = ({ facts: { place } }) => {
    if (place === undefined) return false
    const cosine =
      Math.sin(radians(place.lat)) * Math.sin(radians(lat)) +
      Math.cos(radians(place.lat)) * Math.cos(radians(lat)) * Math.cos(radians(place.lon - lon))
    return EARTH_RADIUS_KM * Math.acos(Math.min(1, cosine)) <= km
  }
  return { test: contains, need: ANY_PLACE }
}

function samplePercent(node: QueryNode): number {
  if (node.kind === 'and' || node.kind === 'or') return Math.min(...node.parts.map(samplePercent))
  if (node.kind === 'not') return samplePercent(node.part)
  return node.kind === 'operator' && node.name === 'sample' ? Number(node.value) : 100
}

function termsIn(need: Need): string[] {
  if (typeof need === 'string') return [need]
  return ('all' in need ? need.all : need.any).flatMap(termsIn)
}

function fileUnder(need: Need, costOf: (term: string) => number): Filing {
  const keys = cheapest(need, costOf).terms
  const others = certainTerms(need).filter((term) => !keys.includes(term))
  if (others.length === 0) return { keys }
  return { keys, guard: others.reduce((best, term) => (costOf(term) < costOf(best) ? term : best)) }
}

// The terms that every matching post has.
function certainTerms(need: Need): string[] {
  if (typeof need === 'string') return [need]
  return 'all' in need ? need.all.flatMap(certainTerms) : []
}

function cheapest(need: Need, costOf: (term: string) => number): { terms: readonly string[]; cost: number } {
  if (typeof need === 'string') return { terms: [need], cost: costOf(need) }
  if ('any' in need) {
    const parts = need.any.map((part) => cheapest(part, costOf))
    return {
      terms: [...new Set(parts.flatMap((part) => part.terms))],
      cost: parts.reduce((sum, part) => sum + part.cost, 0),
    }
  }
  return need.all.map((part) => cheapest(part, costOf)).reduce((best, part) => (part.cost < best.cost ? part : best))
}
