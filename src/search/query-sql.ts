import { isStorableId } from '../process/ids.ts'
import { ACCOUNT_OPERATORS, EARTH_RADIUS_KM, readCircle, readNumbers } from './operators.ts'
import type { QueryLeaf, QueryNode } from './parse-query.ts'
import { cashTerm, cutTerm, factTerm, mentionTerm, quote, tagTerm, urlTerm } from './post-terms.ts'
import { requestedReposts } from './requested-reposts.ts'
import { pairsOf } from './slices/word-pairs.ts'
import { fold, tokenize } from './tokenize.ts'

/**
 * A query as SQL. The condition is about `post_terms t`, `post p` and `user_account u`, the author. Reposts match only where the
 * query asks for them.
 */
export interface QuerySql {
  /**
   * What matching posts have, as a `tsquery` that requires a term. Undefined where a matching post needs no particular term.
   */
  terms: string | undefined
  /** Pairs of words that every matching post has side by side, from `word-pairs.ts`. The terms require them too. */
  pairs: number[]
  /** What terms do not decide; undefined where they decide everything. */
  condition: string | undefined
  values: unknown[]
  /** Whether the condition refers to `post p`. */
  usesPost: boolean
  /** False where no repost matches, which `terms` and `condition` do not say. */
  reposts: boolean
  /** The ids of users, one of whom wrote each matching post. Terms and condition do not say so. */
  authors: string[] | undefined
  /** The ids of lists, of one of which the author of each matching post is a member. Terms and condition do not say so. */
  lists: string[] | undefined
  /** The condition compares an indexed column, which few posts fit. */
  isNarrow: boolean
}

/** A part of a query: terms for the text index where possible, else a condition and the terms that matching posts have. */
type Piece = { terms: string } | { condition: string; needs?: string | undefined }

/** The usernames in a tree, whose ids `querySql` needs. */
export function namesIn(node: QueryNode): string[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(namesIn)
  if (node.kind === 'not') return namesIn(node.part)
  const isAccount = node.kind === 'operator' && ACCOUNT_OPERATORS.has(node.name)
  return isAccount ? [accountName(node.value)] : []
}

/** The names and ids of places in a tree, folded. `querySql` needs the ids of the names. */
export function placesIn(node: QueryNode): string[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(placesIn)
  if (node.kind === 'not') return placesIn(node.part)
  return node.kind === 'operator' && node.name === 'place' ? [fold(node.value)] : []
}

/** The ids of lists in a tree. `querySql` needs to know which of them the caller may use. */
export function listsIn(node: QueryNode): string[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(listsIn)
  if (node.kind === 'not') return listsIn(node.part)
  return node.kind === 'operator' && node.name === 'list' ? [withoutZeros(node.value)] : []
}

/** A number without the zeros that it may begin with, like the ids in the database. */
export const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

export const accountName = (value: string): string => value.replace(/^@/, '').toLowerCase()

/** What a query refers to: users and places by name, which may be that of several places, and the lists that the caller may use. */
interface QueryNames {
  users: ReadonlyMap<string, string>
  places: ReadonlyMap<string, readonly string[]>
  lists: ReadonlySet<string>
}

/** Turns a checked tree into SQL, whose placeholders begin with $1. */
export function querySql(tree: QueryNode, names: QueryNames): QuerySql {
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const asCondition = (piece: Piece): string =>
    'terms' in piece ? `t.terms @@ ${bind(piece.terms)}::tsquery` : piece.condition
  const compile = (node: QueryNode): Piece => compileNode(node, names, bind, asCondition)

  const terms: string[] = []
  const conditions: string[] = []
  let requiresTerm = false
  let isNarrow = false
  const parts = tree.kind === 'and' ? flatParts(tree) : [tree]
  const byAuthor = parts.find((part) => authorsOf(part, names) !== undefined)
  const authors = byAuthor && authorsOf(byAuthor, names)
  // Few authors are better than the members of a list.
  const byList = byAuthor ? undefined : parts.find((part) => listsOf(part, names) !== undefined)
  const lists = byList && listsOf(byList, names)
  for (const part of parts) {
    if (part === byAuthor || part === byList) continue
    const piece = compile(part)
    if ('terms' in piece) {
      terms.push(piece.terms)
      requiresTerm ||= hasRequired(part)
      continue
    }
    conditions.push(piece.condition)
    isNarrow ||= isIndexedId(part)
    if (piece.needs === undefined) continue
    terms.push(piece.needs)
    requiresTerm = true
  }

  const requested = requestedReposts(tree)
  if (requested !== undefined && requested !== tree) {
    const piece = compile(requested)
    if ('terms' in piece) terms.push(`!${REPOST} | (${piece.terms})`)
    else conditions.push(`(not t.repost or (${piece.condition}))`)
  }
  const joined = terms.length === 0 ? undefined : terms.map((part) => `(${part})`).join(' & ')
  // Without a term to look for, the index would be read from end to end.
  if (joined !== undefined && !requiresTerm) conditions.push(asCondition({ terms: joined }))
  const condition = conditions.length === 0 ? undefined : conditions.map((part) => `(${part})`).join(' and ')
  return {
    terms: requiresTerm ? joined : undefined,
    pairs: [...new Set(parts.flatMap(requiredPairs))].slice(0, MOST_PAIRS),
    condition,
    values,
    usesPost: condition !== undefined && /\bp\./.test(condition),
    reposts: requested !== undefined,
    authors,
    lists,
    isNarrow,
  }
}

/** The same query with its lists as a condition, for a search that does not begin with authors. */
export function listsAsCondition(query: QuerySql): QuerySql {
  if (query.lists === undefined) return query
  const values = [...query.values]
  const isMember = memberSql(`$${values.push(query.lists)}`)
  const condition = query.condition === undefined ? isMember : `${query.condition} and ${isMember}`
  return { ...query, values, condition, lists: undefined }
}

const memberSql = (lists: string): string =>
  `exists (select from list_member lm where lm.list_id = any (${lists}::bigint[]) and lm.user_id = u.id)`

const REPOST = quote(factTerm('is', 'repost'))

/** The terms of a tree without operators that have none, such as keywords, as a `tsquery`. */
export function treeTerms(tree: QueryNode): string {
  const { terms } = querySql(tree, { users: new Map(), places: new Map(), lists: new Set() })
  if (terms === undefined) throw new Error('The query requires no term')
  return terms
}

// More of them hardly exclude more slices.
const MOST_PAIRS = 20

/** The pairs of words that posts have which match a part. Words that one of several parts needs are not considered. */
function requiredPairs(node: QueryNode): number[] {
  if (node.kind === 'words') return pairsOf(wordTerms(node.text))
  return node.kind === 'operator' && node.name === 'url' ? pairsOf(wordTerms(node.value, urlTerm)) : []
}

const flatParts = (node: QueryNode): QueryNode[] => (node.kind === 'and' ? node.parts.flatMap(flatParts) : [node])

function compileNode(
  node: QueryNode,
  names: QueryNames,
  bind: (value: unknown) => string,
  asCondition: (piece: Piece) => string,
): Piece {
  const compile = (part: QueryNode) => compileNode(part, names, bind, asCondition)
  if (node.kind === 'not') {
    const part = compile(node.part)
    return 'terms' in part ? { terms: `!(${part.terms})` } : { condition: `not (${part.condition})` }
  }
  if (node.kind === 'and' || node.kind === 'or') {
    const parts = node.parts.map(compile)
    const sign = node.kind === 'and' ? '&' : '|'
    // All that the index can answer becomes one condition.
    const terms = parts.flatMap((part) => ('terms' in part ? [`(${part.terms})`] : []))
    if (terms.length === parts.length) return { terms: terms.join(` ${sign} `) }
    const others = parts.flatMap((part) => ('condition' in part ? [`(${part.condition})`] : []))
    const all = terms.length === 0 ? others : [`(${asCondition({ terms: terms.join(` ${sign} `) })})`, ...others]
    return { condition: all.join(node.kind === 'and' ? ' and ' : ' or '), needs: neededTerms(node, parts) }
  }
  return compileLeaf(node, names, bind)
}

/** Whether posts that match a part of terms have at least one of these terms, so they can be looked up. */
function hasRequired(node: QueryNode, negated = false): boolean {
  if (node.kind === 'not') return hasRequired(node.part, !negated)
  if (node.kind !== 'and' && node.kind !== 'or') return !negated
  // Negation turns AND into OR and OR into AND.
  const some = (node.kind === 'and') !== negated
  return some
    ? node.parts.some((part) => hasRequired(part, negated))
    : node.parts.every((part) => hasRequired(part, negated))
}

/** Terms that every post has which matches an AND or OR of pieces; undefined where there are none. */
function neededTerms(node: Extract<QueryNode, { parts: QueryNode[] }>, pieces: readonly Piece[]): string | undefined {
  const needs = pieces.map((piece, index) => {
    if ('condition' in piece) return piece.needs
    return hasRequired(node.parts[index]!) ? piece.terms : undefined
  })
  const known = needs.filter((terms) => terms !== undefined)
  if (known.length === 0 || (node.kind === 'or' && known.length < needs.length)) return undefined
  return known.map((terms) => `(${terms})`).join(node.kind === 'and' ? ' & ' : ' | ')
}

// No post has this term.
const NOTHING: Piece = { terms: quote(factTerm('none', '')) }

/** The authors that a part names: one user, or any of several. Undefined for another kind of part. */
function authorsOf(node: QueryNode, names: QueryNames): string[] | undefined {
  const leaves = node.kind === 'or' ? node.parts : [node]
  const ids = new Set<string>()
  for (const leaf of leaves) {
    if (leaf.kind !== 'operator' || leaf.name !== 'from') return undefined
    const id = accountId(leaf.value, names)
    if (id !== undefined && isStorableId(id)) ids.add(BigInt(id).toString())
  }
  return [...ids]
}

/** The lists that a part names: one, or any of several. Undefined for another kind of part. */
function listsOf(node: QueryNode, names: QueryNames): string[] | undefined {
  const leaves = node.kind === 'or' ? node.parts : [node]
  if (!leaves.every((leaf) => leaf.kind === 'operator' && leaf.name === 'list')) return undefined
  return [...new Set(leaves.flatMap(listsIn))].filter((id) => names.lists.has(id))
}

const accountId = (value: string, names: QueryNames): string | undefined =>
  names.users.get(accountName(value)) ?? (/^[0-9]+$/.test(value) ? value : undefined)

const isIndexedId = (node: QueryNode): boolean => node.kind === 'operator' && Object.hasOwn(ID_COLUMNS, node.name)

const termOf = (text: string): Piece => ({ terms: quote(cutTerm(text)) })

function wordsPiece(text: string, term?: (word: string) => string): Piece {
  const words = wordTerms(text, term)
  return words.length === 0 ? NOTHING : { terms: words.map(quote).join(' <-> ') }
}

const wordTerms = (text: string, term: (word: string) => string = (word) => word): string[] =>
  tokenize(text).map((word) => term(cutTerm(word)))

function compileLeaf(leaf: QueryLeaf, names: QueryNames, bind: (value: unknown) => string): Piece {
  switch (leaf.kind) {
    case 'words':
      return wordsPiece(leaf.text)
    case 'hashtag':
      return termOf(tagTerm(leaf.text))
    case 'cashtag':
      return termOf(cashTerm(leaf.text))
    case 'mention':
      return termOf(mentionTerm(leaf.text))
    case 'operator':
      return compileOperator(leaf.name, leaf.value, names, bind)
  }
}

const ACCOUNT_TERMS: Record<string, string> = { to: 'to', reposts_of: 'reposted_user' }

const ID_COLUMNS: Record<string, string> = {
  conversation_id: 'conversation_id',
  in_reply_to_post_id: 'in_reply_to_post_id',
  reposts_of_post_id: 'reposted_post_id',
  quotes_of_post_id: 'quoted_post_id',
}

const COUNTERS: Record<string, string> = {
  min_likes: 'like_count',
  min_replies: 'reply_count',
  min_reposts: 'repost_count',
}

function compileOperator(name: string, value: string, names: QueryNames, bind: (value: unknown) => string): Piece {
  const equals = (column: string, id: string): Piece =>
    isStorableId(id) ? { condition: `p.${column} = ${bind(id)}` } : NOTHING
  const accountTerm = ACCOUNT_TERMS[name]
  if (name === 'from' || accountTerm) {
    const id = accountId(value, names)
    if (id === undefined) return NOTHING
    return accountTerm ? termOf(factTerm(accountTerm, id)) : equals('author_id', id)
  }
  const column = ID_COLUMNS[name]
  if (column) return equals(column, withoutZeros(value))
  const counter = COUNTERS[name]
  if (counter) {
    const min = bind(Number(value))
    return { condition: `coalesce((select m.${counter} from post_metrics m where m.post_id = t.id), 0) >= ${min}` }
  }
  switch (name) {
    case 'list':
      return names.lists.has(withoutZeros(value)) ? { condition: memberSql(bind([withoutZeros(value)])) } : NOTHING
    case 'url':
      return wordsPiece(value, urlTerm)
    case 'lang':
      return termOf(factTerm('lang', value.toLowerCase().split('-')[0]!))
    case 'place':
      return placePiece(fold(value), names.places)
    case 'place_country':
      return termOf(factTerm('country', value.toLowerCase()))
    case 'is':
      if (value.toLowerCase() === 'verified') return { condition: `u.verified_type <> 'none'` }
      return termOf(factTerm('is', value.toLowerCase()))
    case 'has':
      return termOf(factTerm('has', value.toLowerCase() === 'videos' ? 'video_link' : value.toLowerCase()))
    case 'context':
      return termOf(factTerm('context', value))
    case 'entity':
      return termOf(factTerm('entity', fold(value)))
    case 'bounding_box':
      return boxPiece(readNumbers(value)!, bind)
    case 'point_radius':
      return radiusPiece(value, bind)
    default:
      return NOTHING
  }
}

// The terms of a post have the id and full name of its place. A short name stands for all places that have it.
function placePiece(value: string, places: QueryNames['places']): Piece {
  const terms = [value, ...(places.get(value) ?? [])].map((term) => quote(cutTerm(factTerm('place', term))))
  return { terms: terms.join(' | ') }
}

// A place is a box; a post is inside an area when the centre of its place is.
const CENTRE = '(pl.bbox[1] + pl.bbox[3]) / 2 as lon, (pl.bbox[2] + pl.bbox[4]) / 2 as lat'

// Posts with a place have this term.
const HAS_PLACE = quote(factTerm('has', 'geo'))

function boxPiece([west, south, east, north]: number[], bind: (value: unknown) => string): Piece {
  return {
    needs: HAS_PLACE,
    condition: `exists (select from (select ${CENTRE} from place pl where pl.id = p.place_id) c
      where c.lon between ${bind(west)} and ${bind(east)} and c.lat between ${bind(south)} and ${bind(north)})`,
  }
}

function radiusPiece(value: string, bind: (value: unknown) => string): Piece {
  const { lon, lat, km } = readCircle(value)
  return {
    needs: HAS_PLACE,
    condition: `exists (select from (select ${CENTRE} from place pl where pl.id = p.place_id) c
      where ${EARTH_RADIUS_KM} * acos(greatest(-1, least(1, sin(radians(c.lat)) * sin(radians(${bind(lat)})) +
        cos(radians(c.lat)) * cos(radians(${bind(lat)})) * cos(radians(c.lon - ${bind(lon)}))))) <= ${bind(km)})`,
  }
}
