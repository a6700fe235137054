import { fold } from '../../search/tokenize.ts'
import type { TextEntity } from '../text/text-entity.ts'
import { type AnnotationEntity, dictionary, type EntityName, isAscii, plainGap, tagKey, wordsOf } from './dictionary.ts'

/** A name in a text: UTF-16 offsets with an exclusive end. */
export interface FoundName {
  start: number
  end: number
  entity: AnnotationEntity
  /** From 0 to 1. */
  probability: number
}

/** What a text is about. */
export interface FoundAnnotations {
  /** Names in the order of the text, without overlaps. */
  names: FoundName[]
  /** The entities of names, hashtags and cashtags, each once. */
  entities: AnnotationEntity[]
}

const NOTHING: FoundAnnotations = { names: [], entities: [] }
// Longer texts are rare. What they begin with says what they are about, and the work per post stays bounded.
const MOST_UNITS = 4_000
const MOST_ENTITIES = 20

interface Candidate extends FoundName {
  isCertain: boolean
  /** A weak name needs a certain one beside it. */
  isDoubtful: boolean
}

/** Finds the entities of the dictionary in a text. Links and mentions are skipped; tags are compared as a whole. */
export function findAnnotations(text: string, marks: readonly TextEntity[]): FoundAnnotations {
  const tagged = taggedEntities(marks)
  const candidates = findNames(text, marks)
  if (tagged.length === 0 && candidates.length === 0) return NOTHING
  const isSupported = tagged.length > 0 || candidates.some((item) => item.isCertain)
  const names = candidates.filter((item) => isSupported || !item.isDoubtful)
  const entities = [...new Set([...names.map((item) => item.entity), ...tagged])].slice(0, MOST_ENTITIES)
  return {
    names: names
      .filter((item) => item.entity.type !== undefined)
      .slice(0, MOST_ENTITIES)
      .map(({ start, end, entity, probability }) => ({ start, end, entity, probability })),
    entities,
  }
}

function taggedEntities(marks: readonly TextEntity[]): AnnotationEntity[] {
  const found: AnnotationEntity[] = []
  for (const { kind, value } of marks) {
    const entity =
      kind === 'hashtag'
        ? dictionary().byTag.get(tagKey(value))
        : kind === 'cashtag'
          ? dictionary().byTicker.get(value.toUpperCase())
          : undefined
    if (entity) found.push(entity)
  }
  return found
}

interface Word {
  text: string
  /** Folded. */
  key: string
  start: number
  end: number
}

function findNames(text: string, marks: readonly TextEntity[]): Candidate[] {
  const { byFirstWord } = dictionary()
  const words = readWords(text.length > MOST_UNITS ? text.slice(0, MOST_UNITS) : text, marks)
  const found: Candidate[] = []
  for (let at = 0; at < words.length; ) {
    const names = byFirstWord.get(words[at]!.key)
    const candidate = names && longest(text, words, at, names)
    if (candidate) found.push(candidate)
    at += candidate ? candidate.length : 1
  }
  return found
}

function readWords(text: string, marks: readonly TextEntity[]): Word[] {
  const words: Word[] = []
  let mark = 0
  const add = (start: number, end: number, key?: string) => {
    while (mark < marks.length && marks[mark]!.end <= start) mark++
    if (mark < marks.length && marks[mark]!.start <= start) return
    const word = text.slice(start, end)
    words.push({ text: word, key: key ?? fold(word), start, end })
  }
  if (isAscii(text)) readAscii(text, add)
  else for (const { 0: word, index } of text.matchAll(wordsOf(text))) add(index, index + word.length)
  return words
}

// Most texts are ASCII. Iterating over the hits of an expression takes several times as long as this.
function readAscii(text: string, add: (start: number, end: number, key: string) => void): void {
  const lower = text.toLowerCase()
  let start = -1
  for (let at = 0; at <= lower.length; at++) {
    const code = lower.charCodeAt(at)
    const isInWord = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
    if (isInWord) {
      if (start === -1) start = at
    } else if (start !== -1) {
      add(start, at, lower.slice(start, at))
      start = -1
    }
  }
}

function longest(
  text: string,
  words: readonly Word[],
  at: number,
  names: readonly EntityName[],
): (Candidate & { length: number }) | undefined {
  for (const name of names) {
    const length = name.written.length
    if (at + length > words.length || !hasRest(text, words, at, name)) continue
    const judged = judge(text, words, at, name)
    if (!judged) continue
    const [start, end] = [words[at]!.start, words[at + length - 1]!.end]
    return { start, end, entity: name.entity, length, ...judged }
  }
  return undefined
}

function hasRest(text: string, words: readonly Word[], at: number, { rest, gaps }: EntityName): boolean {
  for (let index = 0; index < rest.length; index++) {
    const word = words[at + index + 1]!
    if (word.key !== rest[index]) return false
    const gap = plainGap(text.slice(words[at + index]!.end, word.start))
    const expected = gaps[index]!
    // "St Louis" is "St. Louis", but a full stop ends "Paris" before "Hilton".
    if (gap !== expected && gap !== expected.replace('.', '') && gap !== expected.replace(': ', ' ')) return false
  }
  return true
}

const UPPER = /^[\p{Lu}\p{Lt}\p{N}]/u
const isCapital = (word: string): boolean => UPPER.test(word)
const hasCase = (word: string): boolean => word.toLowerCase() !== word.toUpperCase()
const isShouted = (word: string): boolean =>
  word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()

// What a name's spelling says about it; undefined when the words are not meant as the name.
function judge(
  text: string,
  words: readonly Word[],
  at: number,
  { entity, written, certainty }: EntityName,
): { probability: number; isCertain: boolean; isDoubtful: boolean } | undefined {
  const last = words[at + written.length - 1]!.text
  const first = words[at]!.text
  if (written.length > 1) {
    const asWritten = isCapital(first) === isCapital(written[0]!) && isCapital(last) === isCapital(written.at(-1)!)
    if (asWritten || isShouted(first + last)) return { probability: 0.95, isCertain: true, isDoubtful: false }
    // People and places are written in lower case too; titles such as "It Takes Two" would be ordinary phrases then.
    const isName = entity.type === 'Person' || entity.type === 'Place' || entity.type === undefined
    return isName ? { probability: 0.78, isCertain: true, isDoubtful: false } : undefined
  }
  const name = written[0]!
  if (!hasCase(name)) return { probability: 0.9, isCertain: name.length > 1, isDoubtful: false }
  // An abbreviation is written in capitals, and "who" is not the World Health Organization.
  if (isShouted(name) && first !== name) return undefined
  if (isCapital(name) && !isCapital(first)) return undefined
  if (certainty === 'certain') return { probability: 0.88, isCertain: true, isDoubtful: false }
  if (first !== name) return undefined
  const isDoubtful = certainty === 'weak' || startsSentence(text, words[at]!.start)
  return { probability: 0.62, isCertain: false, isDoubtful }
}

function startsSentence(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && /[\s"'“‘(]/.test(text[at]!)) at--
  return at < 0 || /[.!?:;\n…]/.test(text[at]!) || text.slice(at + 1, start).includes('\n')
}
