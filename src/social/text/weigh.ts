import { findUrls, type UrlSpan } from './find-urls.ts'

/** The largest weight of a short post. */
export const LONGEST_SHORT_POST = 280
/** The weight of any url, since each becomes a short link of this length. */
export const URL_WEIGHT = 23

/** The weighted length of a text, which is compared with the longest allowed post. */
export function weighText(text: string): number {
  if (isPlain(text)) return text.length
  const normalized = text.normalize('NFC')
  return weighNormalized(normalized, findUrls(normalized))
}

/** The same for a text in NFC whose urls are known. */
export function weighNormalized(text: string, urls: readonly UrlSpan[]): number {
  let weight = 0
  let at = 0
  for (const url of urls) {
    weight += weighWords(text, at, url.start) + URL_WEIGHT
    at = url.end
  }
  return weight + weighWords(text, at, text.length)
}

/** The next unit of a text without urls: a character or a whole emoji. */
export function weighUnit(text: string, at: number): { weight: number; end: number } {
  const emojiEnd = emojiSequenceEnd(text, at)
  if (emojiEnd !== -1) return { weight: 2, end: emojiEnd }
  const code = text.codePointAt(at)!
  return { weight: weighCodePoint(code), end: at + (code > 0xffff ? 2 : 1) }
}

function weighWords(text: string, from: number, to: number): number {
  let weight = 0
  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    // Two ASCII characters in a row never begin an emoji, so they need no look-ahead.
    if (code < 0x80 && text.charCodeAt(at + 1) < 0x80) {
      weight++
      at++
    } else {
      const unit = weighUnit(text, at)
      weight += unit.weight
      at = unit.end
    }
  }
  return weight
}

function weighCodePoint(code: number): number {
  if (code <= 0x10ff) return 1
  if (code < 0x2000 || code > 0x2037) return 2
  return code <= 0x200d || (code >= 0x2010 && code <= 0x201f) || code >= 0x2032 ? 1 : 2
}

// Built from text, because the compiler's target does not support the flag; on first use, because it takes a while.
const EMOJI_SEQUENCE = ['\\p{RGI_Emoji}', '[0-9#*]\\u20e3'].join('|')
let emojiSequence: RegExp | undefined

function emojiSequenceEnd(text: string, at: number): number {
  const length = text.codePointAt(at)! > 0xffff ? 2 : 1
  if (!joinsEmoji(text.codePointAt(at + length))) return -1
  emojiSequence ??= new RegExp(EMOJI_SEQUENCE, 'vy')
  emojiSequence.lastIndex = at
  return emojiSequence.test(text) ? emojiSequence.lastIndex : -1
}

// Joiner, keycap, presentation, skin tone, flag letter, tag. An emoji without one weighs the same as a character.
function joinsEmoji(code: number | undefined): boolean {
  if (code === undefined || code < 0x200d) return false
  if (code < 0x10000) return code === 0x200d || code === 0x20e3 || code === 0xfe0f
  return (
    (code >= 0x1f3fb && code <= 0x1f3ff) || (code >= 0x1f1e6 && code <= 0x1f1ff) || (code >= 0xe0020 && code <= 0xe007f)
  )
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f || code === 0x2e) return false
  }
  return true
}
