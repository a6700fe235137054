/**
 * What a column of an export holds. Ids are text in every format: readers that turn numbers into floating point would round them.
 * `address` is a url of this server, written without the server's address, so the target puts its own before it.
 */
export type ColumnType =
  | 'id'
  | 'text'
  | 'int'
  | 'bool'
  | 'time'
  | 'json'
  | 'ids'
  | 'texts'
  | 'numbers'
  | 'bytes'
  | 'address'
  | 'addresses'

/** One column of the files of a kind. */
export interface Column {
  name: string
  type: ColumnType
  /** The value as SQL; `t` is the table. The column of this name unless it says otherwise. */
  sql?: string
  /** What the database gets for a row without it; `s` is the staged row. Without this, null. */
  fallback?: string
  required?: boolean
  /** Not a column of the kind's table: the import stores it elsewhere. */
  elsewhere?: boolean
}

interface TypeRules {
  /** The type of the column in the staging table. */
  staged: string
  /** How it leaves the database for JSON, and for CSV. `base` is the server's address as SQL. */
  json(sql: string, base: string): string
  csv(sql: string, base: string): string
}

const plain = (sql: string): string => sql
const asText = (sql: string): string => `(${sql})::text`
const asTime = (sql: string): string => `to_char((${sql}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const asIds = (sql: string): string => `to_jsonb((${sql})::text[])`
const asList = (sql: string): string => `to_jsonb(${sql})`
const asBase64 = (sql: string): string => `translate(encode(${sql}, 'base64'), E'\\n', '')`
const withoutBase = (sql: string, base: string): string =>
  `case when starts_with(${sql}, ${base} || '/') then substr(${sql}, length(${base}) + 1) else ${sql} end`
const jsonWithoutBase = (sql: string, base: string): string =>
  `replace((${sql})::text, '"' || ${base} || '/', '"/')::jsonb`

export const TYPES: Record<ColumnType, TypeRules> = {
  id: { staged: 'bigint', json: asText, csv: asText },
  text: { staged: 'text', json: plain, csv: plain },
  int: { staged: 'bigint', json: plain, csv: asText },
  bool: { staged: 'boolean', json: plain, csv: asText },
  time: { staged: 'timestamptz', json: asTime, csv: asTime },
  json: { staged: 'jsonb', json: plain, csv: asText },
  ids: { staged: 'bigint[]', json: asIds, csv: (sql) => asText(asIds(sql)) },
  texts: { staged: 'text[]', json: asList, csv: (sql) => asText(asList(sql)) },
  numbers: { staged: 'float8[]', json: asList, csv: (sql) => asText(asList(sql)) },
  bytes: { staged: 'bytea', json: asBase64, csv: asBase64 },
  address: { staged: 'text', json: withoutBase, csv: withoutBase },
  addresses: { staged: 'jsonb', json: jsonWithoutBase, csv: (sql, base) => asText(jsonWithoutBase(sql, base)) },
}

// Short forms, so a declaration reads as a table.

type Options = Omit<Column, 'name' | 'type'>
const column =
  (type: ColumnType) =>
  (name: string, options: Options = {}): Column => ({ name, type, ...options })

export const id = column('id')
export const text = column('text')
export const int = column('int')
export const bool = column('bool')
export const time = column('time')
export const json = column('json')
export const ids = column('ids')
export const texts = column('texts')
export const numbers = column('numbers')
export const bytes = column('bytes')
export const address = column('address')
export const addresses = column('addresses')

export const required = { required: true } as const
export const orEmpty = { fallback: `''` } as const
export const orFalse = { fallback: 'false' } as const
export const orTrue = { fallback: 'true' } as const
export const orNone = { fallback: `'{}'` } as const
export const orZero = { fallback: '0' } as const
