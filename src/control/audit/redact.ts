import { cutText } from '../../process/cut-text.ts'
import { jsonText } from '../../storage/json-text.ts'

/** Members whose values are secrets, or lead to them. */
const SECRET = /password|secret|token|bearer|api_key|client_id|email|admin_key|^code$|_code$/i
/** Addresses are shown, without what follows the question mark: that may be a secret. */
const ADDRESS = /urls?$/i

const MOST_CHARACTERS = 200
const MOST_ITEMS = 20
const MOST_DEPTH = 4
const MOST_CHARACTERS_IN_ALL = 4_096

const HIDDEN = '[hidden]'

function shorten(value: unknown, depth: number): unknown {
  // The text of a file, such as a world, has secrets of its own.
  if (typeof value === 'string' && value.includes('\n')) return `[text of ${value.length} characters]`
  if (typeof value === 'string')
    return value.length > MOST_CHARACTERS ? `${cutText(value, MOST_CHARACTERS)}… (${value.length} characters)` : value
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (depth === MOST_DEPTH) return Array.isArray(value) ? `[${value.length} items]` : '{…}'
  if (Array.isArray(value)) {
    const shown = value.slice(0, MOST_ITEMS).map((item) => shorten(item, depth + 1))
    return value.length > MOST_ITEMS ? [...shown, `and ${value.length - MOST_ITEMS} more`] : shown
  }
  const members = Object.entries(value)
  const shown = members.slice(0, MOST_ITEMS).map(([name, item]) => [name, shownMember(name, item, depth)])
  if (members.length > MOST_ITEMS) shown.push(['…', `and ${members.length - MOST_ITEMS} more`])
  return Object.fromEntries(shown)
}

function shownMember(name: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (ADDRESS.test(name)) return shorten(withoutQuery(value), depth + 1)
  // Objects are looked into: `token` may be what a world file calls a list of them.
  if (SECRET.test(name) && (typeof value === 'string' || Array.isArray(value))) return HIDDEN
  return shorten(value, depth + 1)
}

const withoutQuery = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(/\/\/[^/@\s]*@/, '//').replace(/[?#].*$/, '')
    : Array.isArray(value)
      ? value.slice(0, MOST_ITEMS).map(withoutQuery)
      : value

/** The secrets among arguments: a refusal may repeat them in its sentence. */
export function secretsIn(args: unknown): string[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return []
  return Object.entries(args).flatMap(([name, value]) =>
    SECRET.test(name) && typeof value === 'string' && value.length > 0 ? [value] : [],
  )
}

/** Keys and tokens under whatever name: no id and no word is as long. */
const LONG_RANDOM = /[A-Za-z0-9_%=+-]{40,}/g

/** What the audit log keeps of arguments and results, as JSON: no secrets, and a bounded size. */
export function redact(value: unknown, secrets: readonly string[] = []): string {
  let text = jsonText(shorten(value ?? {}, 0)).replace(LONG_RANDOM, HIDDEN)
  for (const secret of secrets) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), HIDDEN)
  if (text.length > MOST_CHARACTERS_IN_ALL)
    text = jsonText({ '…': `${cutText(text, MOST_CHARACTERS)}…`, characters: text.length })
  // PostgreSQL does not store this character in JSON.
  return text.replaceAll('\\u0000', '\\ufffd')
}
