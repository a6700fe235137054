import type { Caller } from '../../api-kit/declaring/caller.ts'
import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { AccountAccess, Allowlist, Doing } from './access.ts'
import { entityOperations } from './entity-operations.ts'
import { type EntitySql, type ListQuery, makeEntitySql } from './entity-sql.ts'
import type { AdsError } from './errors.ts'
import type { Field, Fields } from './field.ts'
import type { Limit } from './limits.ts'
import { lockAccount } from './lock.ts'
import type { AdsInput, AdsOperation } from './operation.ts'
import { showTime } from './times.ts'
import { idKind, type Kind, timeKind } from './values.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mechanism handles records whose members it does not know.
export type Loose = Record<string, any>

/** What every record has. */
export interface Standard {
  id: string
  created_at: Date
  updated_at: Date
  deleted: boolean
}

export type RecordOf<F extends Fields> = Standard & {
  [K in keyof F]: F[K] extends Field<infer T> ? T | null : never
}

/** Who changes records, when, and what they refer to. */
export interface WriteContext {
  runtime: Runtime
  account: AccountAccess
  user: { id: string; username: string }
  caller: Caller
  allowlists: ReadonlySet<string>
  sandbox: boolean
  now: Date
  isCreate: boolean
  /** Names of the members that the client gave. */
  given: ReadonlySet<string>
  /** The record before an update. */
  before: Loose | undefined
  /** The records that its references name, by field. */
  parents: Record<string, Loose>
}

/** A column that is read from elsewhere, by an SQL expression over the record `r` and the joined tables. */
export interface Read {
  kind: Kind<never>
  sql: string
  /** Used by what is shown, but no member itself. */
  hidden?: boolean
  always?: boolean
}
export const reads = <T>(kind: Kind<T>, sql: string, options: { hidden?: boolean; always?: boolean } = {}): Read => ({
  kind: kind as unknown as Kind<never>,
  sql,
  ...options,
})

/** A member that is computed from the record. */
export interface Shown {
  schema: TSchema
  show(record: Loose, now: number): unknown
}

/** A list parameter that narrows a list; `sql` compares a column of `r` or a joined table with its place. */
export interface Filter {
  kind: Kind<never>
  sql(place: string): string
  required?: boolean
}
export const filter = <T>(
  kind: Kind<T>,
  sql: (place: string) => string,
  options: { required?: boolean } = {},
): Filter => ({
  kind: kind as unknown as Kind<never>,
  sql,
  ...options,
})

/** Whose records they are: the account of the path unless declared otherwise. */
export interface Scope {
  /** Column of the owner. */
  column: string
  /** Owner of a request's records. */
  owner(input: AdsInput<never, never>): string
  /** Makes changes of one owner's records wait for each other. */
  lock(tx: Tx, owner: string): Promise<void>
}

/** A change on its way into the database. */
export interface Change {
  kind: 'create' | 'update' | 'delete'
  record: Loose
  before: Loose | undefined
  context: WriteContext
}

export interface EntityDeclaration<F extends Fields> {
  name: string
  plural: string
  tag: string
  /** Name of the record's schema in the OpenAPI document. */
  component: string
  table: string
  /** The table is a view, which is read alone. */
  isView?: boolean
  /** Code of a refusal when there is no such record. */
  notFound: string
  /** Path of the collection; `{account_id}/<plural>` unless set. */
  path?: string
  /** Name of the id in paths and batches; `<name>_id` unless set. */
  idName?: string
  idKind?: Kind<string>
  scope?: Scope
  /** A record of the path under which these stand: its id is the field of the same name. */
  under?: { field: string; entity: () => AdsEntity }
  fields: F
  joins?: string
  reads?: Record<string, Read>
  shown?: Record<string, Shown>
  /** SQL that is true for records which show with `with_deleted` alone though not deleted themselves. */
  hiddenWhen?: string
  filters?: Record<string, Filter>
  /** Further conditions that follow from the request. */
  narrow?(input: AdsInput<Record<string, unknown>>): ListQuery['filters']
  /** Column that `q` searches by prefix. */
  named?: string
  /** Longest `q`. */
  namedMax?: number
  sorts?: readonly string[]
  /** Attributes that are sorted by another column than their own. */
  sortAs?: Record<string, string>
  /** Records may be drafts, which show with `with_draft` alone. */
  drafts?: boolean
  count?: { initial: number; max: number }
  /** Lists take no `with_deleted`, no `with_total_count`. */
  plainList?: boolean
  /** Members without a value are left out of replies; elsewhere they are null. */
  sparse?: boolean
  may: { see: Doing; manage: Doing }
  readLimit?: Limit
  deletion?: 'soft' | 'permanent'
  /** Most operations of a batch. */
  batch?: number
  operations: Partial<Record<'list' | 'get' | 'create' | 'update' | 'delete' | 'batch', string>>
  sandboxOnly?: readonly ('create' | 'delete')[]
  allowlist?: Allowlist
  feature?: string
  /** Name of the entity in the account history. */
  history?: string
  /** Members that the history keeps besides those of replies. */
  alsoInHistory?(record: Loose): Record<string, unknown>
  /** Rules about one record as it will be; the references are in `context.parents`. */
  check?(draft: RecordOf<F>, context: WriteContext): AdsError[]
  /** Sets members that follow from others, after the rules. */
  derive?(draft: RecordOf<F>, context: WriteContext): void
  /** Rules that need the database: the errors of each change, in order. One statement for all of them. */
  checkAll?(tx: Tx, changes: Change[]): Promise<AdsError[][]>
  /** What follows from changes, in the same transaction. */
  after?(tx: Tx, changes: Change[]): Promise<void>
}

/** A declared kind of record: its operations and what other parts may ask of it. */
export interface AdsEntity extends Omit<EntityDeclaration<Fields>, 'check' | 'derive'> {
  idName: string
  idKind: Kind<string>
  scope: Scope
  collection: string
  schema: TSchema
  sql: EntitySql
  all: AdsOperation[]
  check?(draft: Loose, context: WriteContext): AdsError[]
  derive?(draft: Loose, context: WriteContext): void
  /** Records of an owner by their ids, deleted ones too. */
  records(db: Db, owner: string, ids: readonly string[]): Promise<Map<string, Loose>>
  /** A record as replies show it. */
  toReply(record: Loose, now: number): Record<string, unknown>
}

const accountScope: Scope = {
  column: 'account_id',
  owner: (input) => input.account.id,
  lock: lockAccount,
}

/** Declares a kind of record; list, get, create, update, delete and batch follow from it. */
export function defineAdsEntity<F extends Fields>(declaration: EntityDeclaration<F>): AdsEntity {
  const entity: AdsEntity = {
    ...(declaration as unknown as EntityDeclaration<Fields>),
    idName: declaration.idName ?? `${declaration.name}_id`,
    idKind: declaration.idKind ?? idKind,
    scope: declaration.scope ?? accountScope,
    collection: declaration.path ?? `/12/accounts/{account_id}/${declaration.plural}`,
    schema: recordSchema(declaration as unknown as EntityDeclaration<Fields>),
    sql: undefined as never,
    all: [],
    records: async (db, owner, ids) =>
      new Map((await entity.sql.byIds(db, owner, ids)).map((record) => [record.id as string, record])),
    toReply: (record, now) => toReply(entity, record, now),
  } as AdsEntity
  entity.sql = makeEntitySql(entity)
  entity.all = entityOperations(entity)
  declared.push(entity)
  return entity
}

const declared: AdsEntity[] = []

/** Every entity declared so far, for guards. */
export const allAdsEntities = (): readonly AdsEntity[] => declared

function recordSchema(declaration: EntityDeclaration<Fields>): TSchema {
  const withoutValue = (always: boolean | undefined, schema: TSchema): TSchema =>
    always ? schema : declaration.sparse ? Type.Optional(schema) : nullable(schema)
  const members: Record<string, TSchema> = { id: (declaration.idKind ?? idKind).schema }
  for (const [name, item] of Object.entries(declaration.fields)) {
    if (item.hidden) continue
    members[name] = withoutValue(item.always || item.required || isPlain(item.initial), item.kind.schema)
  }
  for (const [name, item] of Object.entries(declaration.reads ?? {}))
    if (!item.hidden) members[name] = withoutValue(item.always, item.kind.schema)
  for (const [name, item] of Object.entries(declaration.shown ?? {})) members[name] = item.schema
  members.created_at = timeKind.schema
  members.updated_at = timeKind.schema
  members.deleted = Type.Boolean()
  return component(declaration.component, Type.Object(members))
}

const isPlain = (initial: unknown): boolean => initial !== undefined && typeof initial !== 'function'

function toReply(entity: AdsEntity, record: Loose, now: number): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: entity.idKind.show(record.id) }
  const add = (name: string, kind: Kind<unknown>) => {
    const value = record[name]
    shown[name] = value === null || value === undefined ? null : kind.show(value)
  }
  for (const [name, item] of Object.entries(entity.fields)) if (!item.hidden) add(name, item.kind)
  for (const [name, item] of Object.entries(entity.reads ?? {})) if (!item.hidden) add(name, item.kind as never)
  shown.created_at = showTime(record.created_at)
  shown.updated_at = showTime(record.updated_at)
  shown.deleted = record.deleted
  for (const [name, item] of Object.entries(entity.shown ?? {})) shown[name] = item.show(record, now)
  return shown
}
