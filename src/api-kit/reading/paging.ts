import type { Db } from '../../storage/database.ts'
import type { Statement } from '../../storage/statement.ts'
import type { Parameter, ParameterDescription, QueryValues } from '../declaring/parameters.ts'
import { wholeNumber } from '../declaring/parameters.ts'
import { component, type TSchema, Type } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'
import type { Fault } from '../writing/problems.ts'
import { readChecked, writeChecked } from './checked-number.ts'

/** The alphabet of page tokens: clients may depend on those of the original interface. */
export type TokenKind = 'base36' | 'base32' | 'decimal'

/** Where a page begins: at the items older, or newer, than a key. */
interface PageStart {
  direction: 'older' | 'newer'
  key: string
}

/** The page that a request asks for. */
export interface PageRequest {
  size: number
  start: PageStart | undefined
  token: TokenKind
}

const ALPHABET_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const WIDTH_32 = 13
const PADDING_32 = 'ZZZ'

// Key and direction in one number; keys are ids below 2^62.
const pack = (start: PageStart): bigint => (BigInt(start.key) << 1n) | (start.direction === 'newer' ? 1n : 0n)

export function writeToken(start: PageStart, kind: TokenKind): string {
  const number = pack(start)
  if (kind === 'decimal') return number.toString()
  if (kind === 'base36') return writeChecked(number)
  let text = ''
  for (let rest = number; text.length < WIDTH_32; rest >>= 5n) text = ALPHABET_32[Number(rest & 31n)] + text
  return text + PADDING_32
}

/** The start that a token stands for; undefined for a text that is not a token. */
export function readToken(text: string, kind: TokenKind): PageStart | undefined {
  const number = readNumber(text, kind)
  if (number === undefined || number >= 1n << 63n) return undefined
  const start: PageStart = { direction: (number & 1n) === 1n ? 'newer' : 'older', key: (number >> 1n).toString() }
  return writeToken(start, kind) === text ? start : undefined
}

function readNumber(text: string, kind: TokenKind): bigint | undefined {
  if (kind === 'decimal') return /^[0-9]{1,19}$/.test(text) ? BigInt(text) : undefined
  if (kind === 'base36') return readChecked(text)
  if (!/^[A-Z2-7]{16}$/.test(text)) return undefined
  let number = 0n
  for (const sign of text.slice(0, WIDTH_32)) number = (number << 5n) | BigInt(ALPHABET_32.indexOf(sign))
  return number
}

const TOKEN_SCHEMAS = {
  base36: component('PaginationToken36', Type.String({ minLength: 1 })),
  base32: component('PaginationToken32', Type.String({ minLength: 16 })),
  decimal: component('PaginationTokenLong', Type.String({ minLength: 1, maxLength: 19 })),
}

/** The `max_results` and token parameters of a paged list. Search also has `next_token`, with the same meaning. */
export function pages(options: {
  min: number
  max: number
  initial: number
  token: TokenKind
  names?: readonly ('pagination_token' | 'next_token')[]
  /** False when the OpenAPI document does not have the default. */
  shown?: boolean
}): { page: Parameter<PageRequest> } {
  const names = options.names ?? ['pagination_token']
  const size = wholeNumber({ min: options.min, max: options.max }, { initial: options.initial })
  return {
    page: {
      describe: (): ParameterDescription[] => [
        ...size.describe('max_results').map((item) => (options.shown === false ? withoutDefault(item) : item)),
        ...names.map((name) => ({ name, required: false, schema: TOKEN_SCHEMAS[options.token] })),
      ],
      compile: (_name: string, naming: Naming) => {
        const readSize = size.compile('max_results', naming)
        return (query: QueryValues, faults: Fault[]): PageRequest => ({
          size: readSize(query, faults),
          start: readStart(query, names, options.token, faults),
          token: options.token,
        })
      },
    },
  }
}

function withoutDefault(item: ParameterDescription): ParameterDescription {
  const { default: _initial, ...schema } = item.schema
  return { ...item, schema: schema as TSchema }
}

function readStart(
  query: QueryValues,
  names: readonly string[],
  kind: TokenKind,
  faults: Fault[],
): PageStart | undefined {
  const given = names.flatMap((name) => (query.get(name) ?? []).map((text) => [name, text] as const))
  const [first] = given
  if (!first) return undefined
  const [name, text] = first
  const start = given.every(([, other]) => other === text) ? readToken(text, kind) : undefined
  if (!start)
    faults.push({
      parameters: { [name]: [text] },
      message: `The \`${name}\` query parameter value [${text}] is not valid`,
    })
  return start
}

/** What a list's statement has to return: items beyond a key, nearest first. */
export interface PageRange {
  direction: 'older' | 'newer'
  /** Items must be below (older) or above (newer) this key. */
  key: string
  limit: number
}

const NEWEST = (2n ** 63n - 1n).toString()

/** A page of a list, newest first, with the tokens of the next and the previous page. */
interface Page<T> {
  items: T[]
  meta: { result_count: number; next_token?: string; previous_token?: string }
}

/** Reads a page by key: new items neither shift nor repeat others. `load` returns the nearest items first. */
export async function readPage<T>(
  request: PageRequest,
  load: (range: PageRange) => Promise<T[]>,
  keyOf: (item: T) => string,
): Promise<Page<T>> {
  const start = request.start ?? { direction: 'older' as const, key: NEWEST }
  // One item more than the page shows whether there is another page.
  const found = await load({ ...start, limit: request.size + 1 })
  const items = found.slice(0, request.size)
  if (start.direction === 'newer') items.reverse()
  const first = items[0]
  const last = items.at(-1)
  const hasOlder = start.direction === 'newer' || found.length > request.size
  const hasNewer = start.direction === 'newer' ? found.length > request.size : request.start !== undefined
  const token = (direction: PageStart['direction'], item: T) =>
    writeToken({ direction, key: keyOf(item) }, request.token)
  return {
    items,
    meta: {
      result_count: items.length,
      ...(hasOlder && last !== undefined ? { next_token: token('older', last) } : {}),
      ...(hasNewer && first !== undefined ? { previous_token: token('newer', first) } : {}),
    },
  }
}

/** The two statements of a list: owner, key and limit in; key and id of the listed objects out. */
export interface KeyedList {
  older: Statement<{ key: string; id: string }>
  newer: Statement<{ key: string; id: string }>
}

/** Reads a page of a list that has one owner. */
export async function readKeyedPage(
  db: Db,
  request: PageRequest,
  list: KeyedList,
  owner: string,
): Promise<{ ids: string[]; meta: Page<unknown>['meta'] }> {
  const load = ({ direction, key, limit }: PageRange) => list[direction].all(db, owner, key, limit)
  const { items, meta } = await readPage(request, load, (item) => item.key)
  return { ids: items.map((item) => item.id), meta }
}

/** `meta` of a paged list. */
export const PageMeta = Type.Object({
  next_token: Type.Optional(component('NextToken', Type.String({ minLength: 1 }))),
  previous_token: Type.Optional(component('PreviousToken', Type.String({ minLength: 1 }))),
  result_count: Type.Optional(component('ResultCount', Type.Integer({ format: 'int32' }))),
})
