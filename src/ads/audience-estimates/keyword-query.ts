import { quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'

const EMOJI = /^\p{Extended_Pictographic}/u
// Skin tones, and the character that selects the coloured form.
const VARIANT_SIGNS = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu
const SHORTEST_EXPANDED = 4

/** A word of a keyword as a query of the text index. An emoji matches all of its variants. */
function wordQuery(word: string, isExpanded: boolean): string {
  if (EMOJI.test(word)) return `${quote(word.replace(VARIANT_SIGNS, ''))}:*`
  return isExpanded && word.length >= SHORTEST_EXPANDED ? `${quote(word)}:*` : quote(word)
}

/**
 * A query for the posts that a keyword matches. A broad keyword matches its words in any order, and also longer words that
 * begin with them, unless a plus precedes the word. An unordered keyword matches its words in any order; a phrase or an
 * exact keyword matches them side by side.
 */
export function keywordQuery(type: string, keyword: string): string {
  const isBroad = type === 'BROAD_KEYWORD'
  const words = keyword
    .split(' ')
    .flatMap((part) => tokenize(part).map((word) => wordQuery(word, isBroad && !part.startsWith('+'))))
  return `(${words.join(isBroad || type === 'UNORDERED_KEYWORD' ? ' & ' : ' <-> ')})`
}
