const ASCII = /^[\0-\x7f]*$/
const ASCII_TOKENS = /[a-z0-9_]+/g
// Accents of Latin, Greek and Cyrillic letters. The marks of other scripts form different letters.
const ACCENTS = /[\u0300-\u036f]+/g
// Scripts that are written without spaces: each character is a word.
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const LETTER = /^[\p{L}\p{N}_]$/u
// Vowel signs of Hindi, points of Arabic and accents that are kept belong to their word. The marks of emoji do not.
const MARK = /^[\p{Mn}\p{Mc}]$/u
const VARIATION_SELECTOR = /^\p{Variation_Selector}$/u
const EMOJI = /\p{RGI_Emoji}/vy
const KEYCAP_PARTS = /[\ufe0f\u20e3]/

/** Folds case and accents: `Café` and `CAFE` are the same word. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase()
}

/** Folds case but not accents: `Café` and `CAFE` differ. */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase()
}

/** The words of a text in order, folded: what keywords and phrases are matched against. */
export const tokenize = (text: string): string[] => wordsOf(text, fold)

/** The words of a text in order with their accents, as stream rules compare them. */
export const exactWords = (text: string): string[] => wordsOf(text, foldCase)

function wordsOf(text: string, folded: (text: string) => string): string[] {
  // Most texts are ASCII and need only their case folded.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_TOKENS) ?? []
  return readTokens(folded(text))
}

// A token is a run of letters and digits, one character of an unspaced script, or an emoji. As one regular expression this took
// most of the time of storing a post, so character kinds come from a table, and emoji are tried only where one may begin.
function readTokens(text: string): string[] {
  const tokens: string[] = []
  const mayHoldKeycaps = KEYCAP_PARTS.test(text)
  let runStart = -1
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!
    const kind = kindOf(code)
    const next = at + (code > 0xffff ? 2 : 1)
    const startsEmoji = runStart === -1 && (kind === OTHER ? code > 0xa8 || mayHoldKeycaps : mayHoldKeycaps)
    const emoji = startsEmoji ? emojiAt(text, at) : undefined
    const continuesRun = kind === RUN || (kind === INSIDE && runStart !== -1)
    if (continuesRun && emoji === undefined) {
      if (runStart === -1) runStart = at
      at = next
      continue
    }
    if (runStart !== -1) {
      tokens.push(text.slice(runStart, at))
      runStart = -1
      // The character that ended the run may begin an emoji, so it is examined again.
      if (kind === OTHER) continue
    }
    if (emoji !== undefined) tokens.push(emoji)
    else if (kind === SINGLE) tokens.push(text.slice(at, next))
    at = emoji === undefined ? next : at + emoji.length
  }
  if (runStart !== -1) tokens.push(text.slice(runStart))
  return tokens
}

function emojiAt(text: string, at: number): string | undefined {
  EMOJI.lastIndex = at
  return EMOJI.exec(text)?.[0]
}

const UNKNOWN = 0
const OTHER = 1
const RUN = 2
const SINGLE = 3
// Continues a run but does not start one.
const INSIDE = 4
const kinds = new Uint8Array(0x10000)

function kindOf(code: number): number {
  if (code > 0xffff) return computeKind(code)
  const known = kinds[code]!
  if (known !== UNKNOWN) return known
  const kind = computeKind(code)
  kinds[code] = kind
  return kind
}

function computeKind(code: number): number {
  const character = String.fromCodePoint(code)
  if (UNSPACED.test(character)) return SINGLE
  if (LETTER.test(character)) return RUN
  return MARK.test(character) && !VARIATION_SELECTOR.test(character) ? INSIDE : OTHER
}
