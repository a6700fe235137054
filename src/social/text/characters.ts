// Kinds of characters as bits, one byte per UTF-16 unit: a table look-up instead of a regular expression per character.

/** In a host name: anything but punctuation, spaces and direction marks. */
export const HOST = 1
/** In a domain without scheme, where letters of most scripts are words next to it and not part of it. */
export const LABEL = 2
/** Inside the path of a url. */
export const PATH = 4
/** At the end of a url's path. */
export const PATH_END = 8
/** Inside the query of a url. */
export const QUERY = 16
/** At the end of a url's query. */
export const QUERY_END = 32
/** A space that may precede a cashtag. */
export const BLANK = 64
/** ASCII letter, digit or underscore. */
export const WORD = 128

type Range = readonly [from: number, to: number]

const ASCII_LETTERS_AND_DIGITS: Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
]
const LATIN_WITH_ACCENTS: Range[] = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x24f],
  [0x253, 0x254],
  [0x256, 0x257],
  [0x259, 0x259],
  [0x25b, 0x25b],
  [0x263, 0x263],
  [0x268, 0x268],
  [0x26f, 0x26f],
  [0x272, 0x272],
  [0x289, 0x289],
  [0x28b, 0x28b],
  [0x2bb, 0x2bb],
  [0x300, 0x36f],
  [0x1e00, 0x1eff],
]
const CYRILLIC: Range[] = [[0x400, 0x4ff]]
const BLANKS: Range[] = [
  [0x9, 0xd],
  [0x20, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]
const DIRECTION_MARKS: Range[] = [
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
]
const NEVER_IN_TEXT: Range[] = [
  [0xfeff, 0xfeff],
  [0xfffe, 0xffff],
]
const PUNCTUATION = "!'#%&()*+,\\-./:;<=>?@[]^_{|}~$"

const bits = new Uint8Array(0x10000)

function mark(bit: number, ...kinds: (Range[] | string)[]): void {
  for (const kind of kinds) {
    const ranges =
      typeof kind === 'string' ? [...kind].map((sign): Range => [sign.charCodeAt(0), sign.charCodeAt(0)]) : kind
    for (const [from, to] of ranges) for (let code = from; code <= to; code++) bits[code]! |= bit
  }
}

function markAllBut(bit: number, ...kinds: (Range[] | string)[]): void {
  mark(bit, ...kinds)
  for (let code = 0; code < bits.length; code++) bits[code]! ^= bit
}

markAllBut(HOST, BLANKS, DIRECTION_MARKS, NEVER_IN_TEXT, PUNCTUATION)
mark(LABEL, ASCII_LETTERS_AND_DIGITS, LATIN_WITH_ACCENTS, '-')
mark(PATH, ASCII_LETTERS_AND_DIGITS, LATIN_WITH_ACCENTS, CYRILLIC, "!*';:=+,.$/%#[]-–_~@|&")
mark(PATH_END, ASCII_LETTERS_AND_DIGITS, LATIN_WITH_ACCENTS, CYRILLIC, '+-=_#/')
mark(QUERY, ASCII_LETTERS_AND_DIGITS, "!?*'@();:&=+$/%#[]-_.,~|")
mark(QUERY_END, ASCII_LETTERS_AND_DIGITS, '-_&=#/')
mark(BLANK, BLANKS)
mark(WORD, ASCII_LETTERS_AND_DIGITS, '_')

/** Whether the character is of one of the kinds; false past the end of the text. */
export function isKind(kinds: number, text: string, at: number): boolean {
  return (bits[text.charCodeAt(at)]! & kinds) !== 0
}

/** Whether the character is an ASCII letter or digit. */
export function isLetterOrDigit(text: string, at: number): boolean {
  return (bits[text.charCodeAt(at)]! & (WORD | QUERY)) === (WORD | QUERY) && text.charCodeAt(at) !== 0x5f
}

/** Whether the character is an accented Latin letter, which continues a word that ASCII rules would end. */
export function isAccentedLatin(text: string, at: number): boolean {
  return text.charCodeAt(at) > 0x7f && isKind(LABEL, text, at)
}

/** The next occurrence of a sign or of its full-width form, or -1. */
export function nextSign(text: string, from: number, sign: '@' | '#'): number {
  const half = sign.charCodeAt(0)
  const full = half + 0xfee0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === half || code === full) return at
  }
  return -1
}
