import { quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'

const EMOJI = /^\p{Extended_Pictographic}/u
// Skin tones, and the sign that asks for the coloured form.
const VARIANT_SIGNS = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu
const SHORTEST_EXPANDED = 4

/** A word of a keyword as the text index is asked for it; one emoji stands for all of its variants. */
function wordQuery(word: string, isExpanded: boolean): string {
  if (EMOJI.test(word)) return `${quote(word.replace(VARIANT_SIGNS, ''))}:*`
  return isExpanded && word.length >= SHORTEST_EXPANDED ? `${quote(word)}:*` : quote(word)
}

/**
 * The posts that a keyword means. Broad ones have all words in any order, and also words that begin with them; a plus
 * before a word takes that away. Unordered ones have the words as they are, phrases and exact ones side by side.
 */
export function keywordQuery(type: string, keyword: string): string {
  const isBroad = type === 'BROAD_KEYWORD'
  const words = keyword
    .split(' ')
    .flatMap((part) => tokenize(part).map((word) => wordQuery(word, isBroad && !part.startsWith('+'))))
  return `(${words.join(isBroad || type === 'UNORDERED_KEYWORD' ? ' & ' : ' <-> ')})`
}
