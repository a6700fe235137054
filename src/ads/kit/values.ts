import { type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Column } from '../../storage/statement.ts'
import { AdsError, invalidParameter } from './errors.ts'
import { parseTime, showTime } from './times.ts'

/** How a kind of value is read from a request, stored, echoed and shown. */
export interface Kind<T> {
  /** Its schema in replies and in the OpenAPI document. */
  schema: TSchema
  /** Column that holds it. */
  column: Exclude<Column, `${string}?`>
  /** Reads the sent text or, in a JSON body, the sent value. */
  read(sent: unknown, parameter: string): T | AdsError
  /** Its JSON form in `request.params`. */
  echo(value: T): unknown
  /** Its JSON form in records. */
  show(value: T): unknown
  /** Converts what the database driver returns. */
  load(raw: unknown): T
  /** True when its values are words of the interface, which are spelled in the naming of the caller. */
  hasWords: boolean
}

const same = <T>(value: T): T => value
/** The driver returns the value as it is. */
const loaded = <T>(raw: unknown): T => raw as T

const MAX_TEXT = 100_000

/** Free text. */
export function textKind(options: { min?: number; max?: number; pattern?: RegExp; says?: string } = {}): Kind<string> {
  const { min = 0, max = MAX_TEXT, pattern, says } = options
  return {
    schema: Type.String({ ...(options.min ? { minLength: min } : {}), ...(options.max ? { maxLength: max } : {}) }),
    column: 'text',
    read: (sent, parameter) => {
      if (typeof sent !== 'string') return invalidParameter(parameter, 'must be a string', sent)
      const length = [...sent].length
      if (length < min || length > max)
        return invalidParameter(parameter, `must be ${min} to ${max} characters long`, sent.slice(0, 200))
      if (pattern && !pattern.test(sent))
        return invalidParameter(parameter, says ?? `must match ${pattern.source}`, sent.slice(0, 200))
      return sent
    },
    echo: same,
    show: same,
    load: loaded,
    hasWords: false,
  }
}

/** One of some words of the interface. */
export function oneOfKind<const W extends string>(values: readonly W[]): Kind<W> {
  const allowed = new Set<string>(values)
  return {
    schema: words(values),
    column: 'text',
    read: (sent, parameter) =>
      typeof sent === 'string' && allowed.has(sent)
        ? (sent as W)
        : invalidParameter(parameter, `must be one of ${values.join(', ')}`, sent),
    echo: same,
    show: same,
    load: loaded,
    hasWords: true,
  }
}

/** A whole number. */
export function wholeKind(
  options: { min?: number; max?: number; among?: readonly number[]; wide?: boolean } = {},
): Kind<number> {
  const min = options.min ?? (options.wide ? Number.MIN_SAFE_INTEGER : -2_147_483_648)
  const max = options.max ?? (options.wide ? Number.MAX_SAFE_INTEGER : 2_147_483_647)
  return {
    schema: Type.Integer({
      ...(options.wide ? { format: 'int64' } : {}),
      ...(options.min === undefined ? {} : { minimum: min }),
      ...(options.max === undefined ? {} : { maximum: max }),
      ...(options.among ? { enum: [...options.among] } : {}),
    }),
    column: options.wide ? 'int8' : 'int4',
    read: (sent, parameter) => {
      const number =
        typeof sent === 'number'
          ? sent
          : typeof sent === 'string' && /^-?\d{1,17}$/.test(sent)
            ? Number(sent)
            : Number.NaN
      if (!Number.isSafeInteger(number)) return invalidParameter(parameter, 'must be an integer', sent)
      if (options.among && !options.among.includes(number))
        return invalidParameter(parameter, `must be one of ${options.among.join(', ')}`, sent)
      if (number < min || number > max) return invalidParameter(parameter, `must be between ${min} and ${max}`, sent)
      return number
    },
    echo: same,
    show: same,
    load: Number,
    hasWords: false,
  }
}

/** Millionths of the currency unit. */
export const microsKind = (options: { min?: number } = {}): Kind<number> =>
  wholeKind({ wide: true, min: options.min ?? 0 })

export const flagKind: Kind<boolean> = {
  schema: Type.Boolean(),
  column: 'bool',
  read: (sent, parameter) => {
    if (sent === true || sent === false) return sent
    const text = typeof sent === 'string' ? sent.toLowerCase() : ''
    if (text === 'true' || text === 't' || text === '1') return true
    if (text === 'false' || text === 'f' || text === '0') return false
    return invalidParameter(parameter, 'must be true or false', sent)
  },
  echo: same,
  show: same,
  load: loaded,
  hasWords: false,
}

/** A time: ISO 8601 in any zone, stored to the second, shown in UTC. */
export const timeKind: Kind<Date> = {
  schema: Type.String({ format: 'date-time' }),
  column: 'timestamptz',
  read: (sent, parameter) => parseTime(sent) ?? invalidParameter(parameter, 'must be an ISO 8601 date and time', sent),
  echo: showTime,
  show: showTime,
  load: loaded,
  hasWords: false,
}

/** An id of the advertising interface: stored as a number, spelled in base 36, accepted in either case. */
export const idKind: Kind<string> = {
  schema: Type.String({ pattern: '^[0-9a-z]{1,13}$' }),
  column: 'int8',
  read: (sent, parameter) => parseBase36(sent) ?? invalidParameter(parameter, 'must be an id in base 36', sent),
  echo: toBase36,
  show: toBase36,
  load: String,
  hasWords: false,
}

/** The id of a user or post: 64 bits in decimal, echoed as a number, shown as text. */
export const longKind: Kind<string> = {
  schema: Type.String({ pattern: '^[0-9]+$' }),
  column: 'int8',
  read: (sent, parameter) => {
    const text = typeof sent === 'number' && Number.isSafeInteger(sent) ? String(sent) : sent
    return typeof text === 'string' && isStorableId(text)
      ? text
      : invalidParameter(parameter, 'must be a 64-bit number', sent)
  },
  echo: (value) => new LongNumber(value),
  show: same,
  load: String,
  hasWords: false,
}

/** The same id where it is text everywhere, as for media and catalogs. */
export const decimalKind: Kind<string> = { ...longKind, echo: same }

/** A 64-bit number that JSON writes with all of its digits. */
export class LongNumber {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

/** A comma-separated list or, in a JSON body, an array. */
export function listKind<T>(item: Kind<T>, options: { min?: number; max?: number } = {}): Kind<T[]> {
  const { min = 1, max = 200 } = options
  const column = (item.column === 'int8' ? 'int8[]' : item.column === 'int4' ? 'int4[]' : 'text[]') as Kind<
    T[]
  >['column']
  return {
    schema: Type.Array(item.schema, { maxItems: max }),
    column,
    read: (sent, parameter) => {
      const given = Array.isArray(sent)
        ? sent
        : typeof sent === 'string'
          ? sent === ''
            ? []
            : sent.split(',').map((part) => part.trim())
          : undefined
      if (!given) return invalidParameter(parameter, 'must be a comma-separated list', sent)
      if (given.length < min || given.length > max)
        return invalidParameter(parameter, `must have ${min} to ${max} items`)
      const list: T[] = []
      for (const part of given) {
        const value = item.read(part, parameter)
        if (value instanceof AdsError) return value
        list.push(value)
      }
      return list
    },
    echo: (values) => values.map((value) => item.echo(value)),
    show: (values) => values.map((value) => item.show(value)),
    load: (raw) => (raw as unknown[]).map((part) => item.load(part)),
    hasWords: item.hasWords,
  }
}

/** Parsed JSON that is stored as it is; its shape is checked where it is read. */
export function jsonKind<T>(schema: TSchema): Kind<T> {
  return {
    schema,
    column: 'jsonb',
    read: (sent, parameter) =>
      typeof sent === 'object' && sent !== null ? (sent as T) : invalidParameter(parameter, 'must be JSON'),
    echo: same,
    show: same,
    load: loaded,
    hasWords: false,
  }
}

const LARGEST = 9_223_372_036_854_775_807n

/** The decimal form of a base-36 id; undefined when it is not an id or does not fit the column. */
export function parseBase36(sent: unknown): string | undefined {
  if (typeof sent !== 'string' || !/^[0-9a-z]{1,13}$/i.test(sent)) return undefined
  let number = 0n
  for (const sign of sent.toLowerCase()) number = number * 36n + BigInt(Number.parseInt(sign, 36))
  return number <= LARGEST ? number.toString() : undefined
}

export function toBase36(id: string): string {
  return BigInt(id).toString(36)
}
