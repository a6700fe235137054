import { once } from '../../process/once.ts'
import { fold } from '../../search/tokenize.ts'
import { COMMON_NAMES, WEAK_NAMES } from './data/ambiguous-names.data.ts'
import { type AnnotationType, sourceEntities } from './dictionary-source.ts'

/** Something that posts are about. */
export interface AnnotationEntity {
  /** A number made from type and name, so it stays the same when the dictionary grows. */
  id: string
  name: string
  /** Ids of its domains. */
  domains: readonly string[]
  /** Undefined for a subject, which has a context only. */
  type: AnnotationType | undefined
}

/** How sure it is that a word is meant as a name. */
export type Certainty = 'certain' | 'common' | 'weak'

/** One of the names of an entity, as the matcher compares it. */
export interface EntityName {
  entity: AnnotationEntity
  /** As it is written in the dictionary. */
  written: readonly string[]
  /** Folded, except the first, by which it is found. */
  rest: readonly string[]
  /** What is between two words, as `plainGap` writes it. */
  gaps: readonly string[]
  certainty: Certainty
}

interface Dictionary {
  byFirstWord: ReadonlyMap<string, readonly EntityName[]>
  /** By the letters and digits of a name, as hashtags write it. */
  byTag: ReadonlyMap<string, AnnotationEntity>
  byTicker: ReadonlyMap<string, AnnotationEntity>
  byId: ReadonlyMap<string, AnnotationEntity>
}

const ASCII = /^[\0-\x7f]*$/
export const isAscii = (text: string): boolean => ASCII.test(text)
const ASCII_WORDS = /[A-Za-z0-9_]+/g
// Characters of scripts without spaces are words of their own.
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[[\p{L}\p{N}\p{M}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv

/** The expression that finds the words of a text, in the spelling of the text. */
export const wordsOf = (text: string): RegExp => (isAscii(text) ? ASCII_WORDS : WORDS)

/** What is between two words of a name, with one spelling of hyphens and apostrophes. */
export const plainGap = (gap: string): string =>
  gap === ' ' ? gap : gap.replace(/[-–‐\s]+/g, ' ').replace(/[’ʼ`]/g, "'")

/** The certainty of a name: of several words it is certain, and of one word unless the word means something else too. */
function certaintyOf(words: readonly string[]): Certainty {
  if (words.length > 1) return 'certain'
  if (WEAK_NAMES.has(words[0]!)) return 'weak'
  return COMMON_NAMES.has(words[0]!) ? 'common' : 'certain'
}

// A 53-bit number, which every JSON parser reads exactly (cyrb53, public domain).
function idOf(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return String(4_294_967_296 * (2_097_151 & low) + (high >>> 0) + 1)
}

/** A hashtag as names are compared with it. */
export const tagKey = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

// A hashtag of two letters is too short to mean a name.
const SHORTEST_TAG = 3

function compile(): Dictionary {
  const byFirstWord = new Map<string, EntityName[]>()
  const byTag = new Map<string, AnnotationEntity>()
  const byTicker = new Map<string, AnnotationEntity>()
  const byId = new Map<string, AnnotationEntity>()
  for (const { names, kind, ticker } of sourceEntities()) {
    const id = idOf(`${kind.type ?? 'Subject'} ${fold(names[0]!)}`)
    const known = byId.get(id)
    const domains = known ? [...new Set([...known.domains, ...kind.domains])] : kind.domains
    const entity: AnnotationEntity = known ?? { id, name: names[0]!, domains, type: kind.type }
    if (known) Object.assign(known, { domains })
    else byId.set(id, entity)
    if (ticker && !byTicker.has(ticker)) byTicker.set(ticker, entity)
    for (const name of names) addName(byFirstWord, byTag, entity, name)
  }
  for (const found of byFirstWord.values()) found.sort((one, other) => other.written.length - one.written.length)
  return { byFirstWord, byTag, byTicker, byId }
}

function addName(
  byFirstWord: Map<string, EntityName[]>,
  byTag: Map<string, AnnotationEntity>,
  entity: AnnotationEntity,
  name: string,
): void {
  const tag = tagKey(name)
  if (tag.length >= SHORTEST_TAG && !byTag.has(tag)) byTag.set(tag, entity)
  const hits = [...name.matchAll(wordsOf(name))]
  const written = hits.map((hit) => hit[0])
  // A single word such as "music" is a subject only as a hashtag.
  if (written.length === 0 || (entity.type === undefined && written.length === 1)) return
  const [first, ...rest] = written.map(fold) as [string, ...string[]]
  const gaps = hits.slice(1).map((hit, at) => plainGap(name.slice(hits[at]!.index + hits[at]![0].length, hit.index)))
  const added: EntityName = { entity, written, rest, gaps, certainty: certaintyOf([first, ...rest]) }
  const same = byFirstWord.get(first)
  if (!same) byFirstWord.set(first, [added])
  else if (!same.some((item) => item.rest.join(' ') === rest.join(' '))) same.push(added)
}

/** The dictionary, compiled on first use. */
export const dictionary: () => Dictionary = once(compile)

/** The entities with some ids, in their order; ids that the dictionary no longer has are left out. */
export const entitiesOf = (ids: readonly string[] | null | undefined): AnnotationEntity[] =>
  ids ? ids.flatMap((id) => dictionary().byId.get(id) ?? []) : []
