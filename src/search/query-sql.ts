import { isStorableId } from '../process/ids.ts'
import { ACCOUNT_OPERATORS, EARTH_RADIUS_KM, readCircle, readNumbers } from './operators.ts'
import type { QueryLeaf, QueryNode } from './parse-query.ts'
import { cashTerm, cutTerm, factTerm, mentionTerm, quote, tagTerm, urlTerm } from './post-terms.ts'
import { requestedReposts } from './requested-reposts.ts'
import { fold, tokenize } from './tokenize.ts'

/** A query as a condition on `post p` and its author `user_account u`, with its values. Reposts match only where it asks for them. */
export interface QuerySql {
  condition: string
  values: unknown[]
}

/** A part of a query: terms for the text index where possible, else a condition. */
type Piece = { terms: string } | { condition: string }

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

export const accountName = (value: string): string => value.replace(/^@/, '').toLowerCase()

/** What the names in a query stand for: ids of users, and of places, which may share a name. */
interface QueryNames {
  users: ReadonlyMap<string, string>
  places: ReadonlyMap<string, readonly string[]>
}

/** Turns a checked tree into SQL. `firstPlaceholder` is the number of its first placeholder. */
export function querySql(tree: QueryNode, names: QueryNames, firstPlaceholder: number): QuerySql {
  const values: unknown[] = []
  const bind = (value: unknown): string => {
    values.push(value)
    return `$${firstPlaceholder + values.length - 1}`
  }

  const asCondition = (piece: Piece): string =>
    'terms' in piece ? `p.search @@ ${bind(piece.terms)}::tsquery` : piece.condition

  const compile = (node: QueryNode): Piece => {
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
      return { condition: all.join(node.kind === 'and' ? ' and ' : ' or ') }
    }
    return compileLeaf(node, names, bind)
  }

  const matches = asCondition(compile(tree))
  const requested = requestedReposts(tree)
  if (requested === tree) return { condition: matches, values }
  const isOriginal = 'p.reposted_post_id is null'
  const isIncluded = requested ? `(${isOriginal} or (${asCondition(compile(requested))}))` : isOriginal
  return { condition: `(${matches}) and ${isIncluded}`, values }
}

const NOTHING: Piece = { condition: 'false' }

const termOf = (text: string): Piece => ({ terms: quote(cutTerm(text)) })

function wordsPiece(text: string, term: (word: string) => string = (word) => word): Piece {
  const words = tokenize(text).map((word) => quote(term(cutTerm(word))))
  return words.length === 0 ? NOTHING : { terms: words.join(' <-> ') }
}

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

const IS_CONDITIONS: Record<string, string> = {
  verified: `u.verified_type <> 'none'`,
  reply: 'p.in_reply_to_post_id is not null',
  quote: 'p.quoted_post_id is not null',
  repost: 'p.reposted_post_id is not null',
  nullcast: 'p.nullcast',
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
    const id = names.users.get(accountName(value)) ?? (/^[0-9]+$/.test(value) ? value : undefined)
    if (id === undefined) return NOTHING
    return accountTerm ? termOf(factTerm(accountTerm, id)) : equals('author_id', id)
  }
  const column = ID_COLUMNS[name]
  if (column) return equals(column, value.replace(/^0+(?=\d)/, ''))
  const counter = COUNTERS[name]
  if (counter) {
    const min = bind(Number(value))
    return { condition: `coalesce((select m.${counter} from post_metrics m where m.post_id = p.id), 0) >= ${min}` }
  }
  switch (name) {
    case 'url':
      return wordsPiece(value, urlTerm)
    case 'lang':
      return { condition: `p.lang = ${bind(value.toLowerCase().split('-')[0]!)}` }
    case 'place':
      return placePiece(fold(value), names.places)
    case 'place_country':
      return termOf(factTerm('country', value.toLowerCase()))
    case 'is':
      return { condition: IS_CONDITIONS[value.toLowerCase()]! }
    case 'has':
      return termOf(factTerm('has', value.toLowerCase() === 'videos' ? 'video_link' : value.toLowerCase()))
    case 'bounding_box':
      return boxPiece(readNumbers(value)!, bind)
    case 'point_radius':
      return radiusPiece(value, bind)
    default:
      // There are no annotations and lists yet, so nothing matches.
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

function boxPiece([west, south, east, north]: number[], bind: (value: unknown) => string): Piece {
  return {
    condition: `exists (select from (select ${CENTRE} from place pl where pl.id = p.place_id) c
      where c.lon between ${bind(west)} and ${bind(east)} and c.lat between ${bind(south)} and ${bind(north)})`,
  }
}

function radiusPiece(value: string, bind: (value: unknown) => string): Piece {
  const { lon, lat, km } = readCircle(value)
  return {
    condition: `exists (select from (select ${CENTRE} from place pl where pl.id = p.place_id) c
      where ${EARTH_RADIUS_KM} * acos(greatest(-1, least(1, sin(radians(c.lat)) * sin(radians(${bind(lat)})) +
        cos(radians(c.lat)) * cos(radians(${bind(lat)})) * cos(radians(c.lon - ${bind(lon)}))))) <= ${bind(km)})`,
  }
}
