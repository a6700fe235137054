// Accents of Latin, Greek and Cyrillic letters; the marks of other scripts make other letters.
const ACCENTS = /[\u0300-\u036f]+/g
// An emoji, one sign of a script that is written without blanks, or a run of letters and digits of the others.
const TOKENS =
  /\p{RGI_Emoji}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[[\p{L}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv

const ASCII = /^[\0-\x7f]*$/
const ASCII_TOKENS = /[a-z0-9_]+/g

/** Letters without case and accents: `Café` and `CAFE` are the same word. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase()
}

/** The words of a text in order, folded: what keywords and phrases are held against. */
export function tokenize(text: string): string[] {
  // Most texts have nothing to fold but case, and no sign that needs the long expression.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_TOKENS) ?? []
  return fold(text).match(TOKENS) ?? []
}
