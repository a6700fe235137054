import { isAccentedLatin, isKind, nextSign, WORD } from './characters.ts'
import type { TextEntity } from './text-entity.ts'

const LONGEST_USERNAME = 15
const LONGEST_LIST_NAME = 25

/** The mentions of a text, in order. A list (`@name/list`) is not a mention. */
export function findMentions(text: string): TextEntity[] {
  const mentions: TextEntity[] = []
  let taken = 0
  for (let at = nextSign(text, 0, '@'); at !== -1; at = nextSign(text, Math.max(at + 1, taken), '@')) {
    if (!mayStart(text, at, taken)) continue
    const start = at + 1
    let end = start
    while (isKind(WORD, text, end)) end++
    if (end === start) continue
    const listEnd = listNameEnd(text, end)
    taken = listEnd
    // A longer word is not a username, and its beginning would name a different user.
    if (end - start > LONGEST_USERNAME || continuesWord(text, listEnd)) continue
    if (listEnd === end) mentions.push({ kind: 'mention', start: at, end, value: text.slice(start, end) })
  }
  return mentions
}

function mayStart(text: string, at: number, taken: number): boolean {
  if (at === 0) return true
  if (at - 1 < taken) return false
  if (!isKind(WORD, text, at - 1)) return !'!#$%&*@＠'.includes(text.charAt(at - 1))
  // "RT@name", as old clients write it.
  if (at < 2 || text.slice(at - 2, at).toLowerCase() !== 'rt') return false
  return at === 2 || (at - 3 >= taken && !isKind(WORD, text, at - 3) && !'+~.-'.includes(text.charAt(at - 3)))
}

function listNameEnd(text: string, at: number): number {
  if (text[at] !== '/' || !/^[a-zA-Z]$/.test(text.charAt(at + 1))) return at
  let end = at + 2
  while (end - at <= LONGEST_LIST_NAME && (isKind(WORD, text, end) || text[end] === '-')) end++
  return end
}

function continuesWord(text: string, at: number): boolean {
  const next = text.charAt(at)
  return next === '@' || next === '＠' || isAccentedLatin(text, at) || text.startsWith('://', at)
}
