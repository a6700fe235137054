// JSON.stringify writes only halves of surrogate pairs as escapes; after another backslash it is ordinary text.
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** JSON that PostgreSQL accepts: half a surrogate pair is not a character and becomes the replacement character, as in UTF-8. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(HALF_PAIR, '$1\\ufffd') : text
}

// After another backslash it is plain text.
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/

/** Whether JSON has the character U+0000 in a text, which PostgreSQL cannot store. */
export const hasNul = (json: string): boolean => NUL_ESCAPE.test(json)
