import type { Db } from './database.ts'

/** Column kinds of a statement's rows and what they are in TypeScript; a trailing `?` allows null. */
interface ColumnTypes {
  int8: string
  int4: number
  int2: number
  float8: number
  text: string
  bool: boolean
  timestamptz: Date
  bytea: Buffer
  jsonb: unknown
  'int8[]': string[]
  'text[]': string[]
  'int4[]': number[]
}
type Kind = keyof ColumnTypes
export type Column = Kind | `${Kind}?`
export type Columns = Record<string, Column>

export type RowOf<C extends Columns> = {
  [K in keyof C]: C[K] extends `${infer N extends Kind}?`
    ? ColumnTypes[N] | null
    : C[K] extends Kind
      ? ColumnTypes[C[K]]
      : never
}

export type SqlValue =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | null
  | readonly (string | number | boolean | null | Buffer)[]

/** One SQL statement with one name: prepared once per connection, its rows typed by the columns it declares. */
export interface Statement<R> {
  readonly name: string
  readonly sql: string
  readonly columns: Columns
  all(db: Db, ...parameters: SqlValue[]): Promise<R[]>
  /** The only row, or undefined. */
  first(db: Db, ...parameters: SqlValue[]): Promise<R | undefined>
  /** How many rows were touched. */
  count(db: Db, ...parameters: SqlValue[]): Promise<number>
}

const registered = new Map<string, Statement<unknown>>()

/** Declares a statement. A guard test prepares every one on a migrated database and compares its columns. */
export function statement<const C extends Columns>(name: string, columns: C, sql: string): Statement<RowOf<C>> {
  if (registered.has(name)) throw new Error(`Two statements are named ${name}`)
  const run = (db: Db, parameters: SqlValue[]) =>
    db.query<RowOf<C> & Record<string, unknown>>({ name, text: sql, values: parameters as unknown[] })
  const made: Statement<RowOf<C>> = {
    name,
    sql,
    columns,
    all: async (db, ...parameters) => (await run(db, parameters)).rows,
    first: async (db, ...parameters) => (await run(db, parameters)).rows[0],
    count: async (db, ...parameters) => (await run(db, parameters)).rowCount ?? 0,
  }
  registered.set(name, made as Statement<unknown>)
  return made
}

/** Every statement declared so far, for the guard test. */
export const allStatements = (): readonly Statement<unknown>[] => [...registered.values()]
