import { withoutLinks } from '../../search/post-terms.ts'
import { rarityOf } from '../../search/term-rarity.ts'
import { exactWords, fold, tokenize } from '../../search/tokenize.ts'

const RELATED = 30

// Scripts without spaces between words need a dictionary. It is slow, so it is only used for them.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const segmenter = new Intl.Segmenter('und', { granularity: 'word' })
const TAG = /[#＃]([\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*)/gu
const MENTION = /[@＠]\w+/g
const SHORT_KANA = /^[\p{Script=Hiragana}ー]{1,3}$/u

/** The words and hashtags of a text that can be keywords, each once. */
export function keywordsIn(text: string): Set<string> {
  const bare = withoutLinks(text).replace(MENTION, ' ')
  const found = new Set<string>()
  for (const [, tag] of bare.matchAll(TAG)) found.add(`#${tag!.toLowerCase()}`)
  const rest = bare.replace(TAG, ' ')
  const words = UNSPACED.test(rest)
    ? [...segmenter.segment(rest)].filter((part) => part.isWordLike).map((part) => part.segment.toLowerCase())
    : exactWords(rest)
  for (const word of words) if (isKeyword(word)) found.add(word)
  return found
}

const isKeyword = (word: string): boolean =>
  /\p{L}/u.test(word) && [...word].length > 1 && !SHORT_KANA.test(word) && rarityOf(fold(word)) >= 0.5

/**
 * Thirty words related to keywords: first words of the posts with the keywords, weighted by how rare they are in other
 * posts, then the most frequent words of all posts. If there are fewer than thirty, they are repeated.
 */
export function relatedKeywords(input: {
  keywords: readonly string[]
  negative: readonly string[]
  /** Texts with the keywords, and texts of any kind. */
  matching: readonly string[]
  any: readonly string[]
}): string[] {
  const unwanted = new Set(
    [...input.keywords, ...input.negative].flatMap((keyword) => [fold(keyword), ...tokenize(keyword)]),
  )
  const isWanted = (word: string) => !unwanted.has(fold(word).replace('#', '')) && !unwanted.has(fold(word))
  const together = countTexts(input.matching)
  const everywhere = countTexts(input.any)
  const weight = (word: string, count: number) =>
    count * Math.log(1 + (input.any.length + 1) / (1 + (everywhere.get(word) ?? 0)))
  const related = ranked(together, weight).filter(isWanted)
  const frequent = ranked(everywhere, (_, count) => count).filter((word) => isWanted(word) && !together.has(word))
  const words = [...related, ...frequent].slice(0, RELATED)
  const source = words.length > 0 ? words : input.keywords
  return Array.from({ length: RELATED }, (_, at) => source[at % source.length]!)
}

/** The number of texts that each word occurs in. */
function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) for (const word of keywordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function ranked(counts: Map<string, number>, weight: (word: string, count: number) => number): string[] {
  return [...counts]
    .map(([word, count]) => ({ word, weight: weight(word, count) }))
    .sort((left, right) => right.weight - left.weight || (left.word < right.word ? -1 : 1))
    .map((item) => item.word)
}
