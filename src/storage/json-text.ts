// Only halves of surrogate pairs are written as escapes; a backslash before one would make it plain words.
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** JSON that PostgreSQL takes: half a surrogate pair is no character and becomes the sign for an unknown one, as in UTF-8. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(HALF_PAIR, '$1\\ufffd') : text
}
