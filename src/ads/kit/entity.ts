import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { TSchema } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { SqlValue } from '../../storage/statement.ts'
import type { AccountAccess, AdsAction, Allowlist } from './access.ts'
import type { AdsError } from './errors.ts'
import type { Limit } from './limits.ts'
import type { AdsAnswer, AdsContext, AdsInput, AdsOperation, EchoRule, Params } from './operation.ts'
import type { Kind } from './values.ts'

/** Members that every record has. */
export type StandardMembers = {
  id: string
  created_at: Date
  updated_at: Date
  deleted: boolean
}

/** A record without typed members, as the kit itself handles it. */
export type AdsRecord = StandardMembers & Record<string, unknown>

/** A member of a record: how it is read, stored and shown. `IsSet` is true when it always has a value. */
export interface Field<T, IsSet extends boolean = boolean> extends FieldOptions<T> {
  kind: Kind<T>
  /** The entity whose records it names. */
  refersTo?: () => AdsEntity
  /** Only a type: whether the member always has a value. */
  isSet?: IsSet
}

export interface FieldOptions<T> {
  required?: boolean
  /** May be sent when the record is created, and never changes. */
  createOnly?: boolean
  /** May only be sent in an update. */
  updateOnly?: boolean
  /** Never sent by a client: set by `initial`, `initially` and `derive`. */
  readOnly?: boolean
  /** Stored, but not a member of replies. */
  hidden?: boolean
  /** Always has a value. */
  always?: boolean
  /** Value in a new record when the client sent none. */
  initial?: T | InitialValue<T>
  /** What a client may send, if records can have more values. */
  accepts?: Kind<T>
  /** What an update may send, where a creation may send more. */
  onUpdate?: Kind<T>
}
type InitialValue<T> = (context: WriteContext) => T

export type Fields = Record<string, Field<unknown>>

/** A column that is read from elsewhere, by an SQL expression over the record `r` and the joined tables. */
export interface Read<T, IsSet extends boolean = boolean> {
  kind: Kind<T>
  sql: string
  /** Used by `shown` members, but not a member of replies itself. */
  hidden?: boolean
  always?: boolean
  isSet?: IsSet
}
export type Reads = Record<string, Read<unknown>>

type FieldValue<F> = F extends Field<infer T, infer IsSet> ? (IsSet extends true ? T : T | null) : never
type ReadValue<R> = R extends Read<infer T, infer IsSet> ? (IsSet extends true ? T : T | null) : never

/** A record before it is stored: only its own members. */
export type DraftOf<F extends Fields> = StandardMembers & { [K in keyof F]: FieldValue<F[K]> }

/** A stored record with the columns that are read from other tables. */
export type RecordOf<F extends Fields, R extends Reads = Record<never, never>> = DraftOf<F> & {
  [K in keyof R]: ReadValue<R[K]>
}

/** The records of an entity. */
export type RecordsOf<E> = E extends AdsEntity<infer F, infer R> ? RecordOf<F, R> : never

/** The records that references name, by field. */
type ParentsOf<F extends Fields> = {
  [K in keyof F as F[K] extends { refersTo: () => AdsEntity } ? K : never]: F[K] extends { refersTo: () => infer E }
    ? RecordsOf<E>
    : never
}

/** The members that a client sent; null where it cleared a member. */
export type Given<F extends Fields> = { [K in keyof F]?: (F[K] extends Field<infer T> ? T : never) | null }

/** One create, update or delete of a record, as a request asks for it. */
export type RecordChange<F extends Fields = Fields> =
  | { kind: 'create'; given: Given<F> }
  | { kind: 'update'; id: string; given: Given<F> }
  | { kind: 'delete'; id: string }

/** The circumstances of a change: its caller, its time, and the records that references name. */
export interface WriteContext<F extends Fields = Fields, R extends Reads = Reads> {
  runtime: Runtime
  account: AccountAccess
  user: { id: string; username: string }
  caller: Caller
  allowlists: ReadonlySet<string>
  sandbox: boolean
  now: Date
  isCreate: boolean
  /** Names of the members that the client sent. */
  given: ReadonlySet<string>
  /** The record before an update or a deletion. */
  before: RecordOf<F, R> | undefined
  parents: ParentsOf<F>
}

/** A change before it is stored. */
export interface DraftChange<F extends Fields = Fields, R extends Reads = Reads> {
  kind: RecordChange['kind']
  record: DraftOf<F>
  before: RecordOf<F, R> | undefined
  context: WriteContext<F, R>
}

/** A change that was stored. */
export interface Change<F extends Fields = Fields, R extends Reads = Reads> extends DraftChange<F, R> {
  record: RecordOf<F, R>
}

/** A member that is computed from the record. */
export interface Shown<F extends Fields = Fields, R extends Reads = Reads> {
  schema: TSchema
  show(record: RecordOf<F, R>, now: number): unknown
}

/** A condition on a whole record, and how an error words it. */
export interface Condition<F extends Fields, R extends Reads> {
  holds(draft: DraftOf<F>, context: WriteContext<F, R>): boolean
  says: string
}

/** A list parameter that narrows a list; `sql` compares a column of `r` or a joined table with its placeholder. */
export interface Filter {
  kind: Kind<unknown>
  sql(placeholder: string): string
  required?: boolean
}

/** Whose records they are: the account of the path unless declared otherwise. */
export interface Scope {
  /** Column of the owner. */
  column: string
  /** Owner of a request's records. */
  owner(context: AdsContext): string
  /** Makes changes to one owner's records wait for each other. */
  lock(tx: Tx, owner: string): Promise<void>
}

/** One attribute of an order. */
export interface Sort {
  attribute: string
  descending: boolean
}

/** A filter with its value. */
export interface FilterUse {
  name: string
  sql(placeholder: string): string
  value: SqlValue
}

/** The query of a list: filters with their values, order, and where the page starts. */
export interface ListQuery {
  owner: string
  filters: FilterUse[]
  sorts: Sort[]
  /** Values of the sort attributes and the id of the last record of the previous page. */
  after: (string | number)[] | undefined
  limit: number
}

/** The statements of an entity. */
export interface EntitySql<Rec = AdsRecord, Draft = AdsRecord> {
  byIds(db: Db, owner: string, ids: readonly string[], options?: { lock?: boolean }): Promise<Rec[]>
  list(db: Db, query: ListQuery): Promise<Rec[]>
  count(db: Db, query: Pick<ListQuery, 'owner' | 'filters'>): Promise<number>
  insert(tx: Tx, records: readonly Draft[]): Promise<void>
  update(tx: Tx, records: readonly Draft[]): Promise<void>
  remove(tx: Tx, ids: readonly string[]): Promise<void>
  /** Value of a sort attribute as it is written into a cursor. */
  sortValue(record: Rec, attribute: string): string | number
  /** True for a value that a cursor may have for the attribute, because PostgreSQL can cast it. */
  isSortValue(value: string | number, attribute: string): boolean
}

export type OperationKind = 'list' | 'get' | 'create' | 'update' | 'delete' | 'batch'

/** How an operation of an entity differs from the standard one. */
export interface EntityOperation {
  id: string
  summary?: string
  /** Parameters that replace the standard ones. */
  params?: Params
  /** Additional parameters; one with the name of a standard parameter replaces it. */
  moreParams?: Params
  /** Standard parameters that it does not have. */
  withoutParams?: readonly string[]
  body?: TSchema
  data?: TSchema
  envelope?: AdsOperation['envelope']
  limit?: Limit
  allowlist?: Allowlist
  sandboxOnly?: boolean
  seesDeletedAccount?: boolean
  echo?: EchoRule
  /** Further checks of the parameters together. */
  check?(params: Record<string, unknown>): AdsError[]
  /** Replaces the standard handler, which it may call. */
  handle?(input: AdsInput, standard: (input: AdsInput) => Promise<AdsAnswer>): Promise<AdsAnswer>
}

export interface EntityDeclaration<F extends Fields = Fields, R extends Reads = Reads> {
  name: string
  plural: string
  /** The name in sentences, where it is not `name` without underscores. */
  title?: string
  tag: string
  /** Name of the record's schema in the OpenAPI document. */
  component: string
  table: string
  /** True when `ads_record_count` has the number of records, under the name of the table; otherwise the kinds that are counted there. */
  counted?: true | readonly string[]
  /** True when `table` is a view, which is read only. */
  isView?: boolean
  /** Error code when there is no such record. */
  notFound: string
  /** Path of the collection; `{account_id}/<plural>` unless set. */
  path?: `/${string}`
  /** Name of the id in paths and batches; `<name>_id` unless set. */
  idName?: string
  idKind?: Kind<string>
  scope?: Scope
  /** The record in the path that these records belong to; its id is the field of the same name. */
  under?: { field: string; entity: () => AdsEntity }
  fields: F
  joins?: string
  reads?: R
  shown?: Record<string, Shown<NoInfer<F>, NoInfer<R>>>
  /** SQL that is true for records that are only shown with `with_deleted`, although they are not deleted themselves. */
  hiddenWhen?: string
  filters?: Record<string, Filter>
  /** Additional conditions, which depend on the request. */
  narrow?(input: AdsInput): FilterUse[]
  /** Column that `q` searches by prefix. */
  named?: string
  /** Longest `q`. */
  namedMax?: number
  sorts?: readonly string[]
  /** Attributes that are sorted by the column of another attribute. */
  sortAs?: Record<string, string>
  /** Records may be drafts, which are only shown with `with_draft`. */
  drafts?: boolean
  count?: { initial: number; max: number }
  /** Lists have no `with_deleted` and no `with_total_count`. */
  plainList?: boolean
  /** Replies have neither created_at nor updated_at. */
  untimed?: boolean
  /** Members without a value are omitted from replies; for other entities they are null. */
  sparse?: boolean
  may: { see: AdsAction; manage: AdsAction }
  /** Apps that are enrolled for conversions only may use its operations too. */
  forConversions?: boolean
  readLimit?: Limit
  deletion?: 'soft' | 'permanent'
  /** Most operations of a batch. */
  batch?: number
  /** The operations that exist: an id, or how the operation differs from the standard one. */
  operations: Partial<Record<OperationKind, string | EntityOperation>>
  sandboxOnly?: readonly ('create' | 'delete')[]
  allowlist?: Allowlist
  /** Name of the entity in the account history. */
  history?: string
  /** Additional members of the history, which replies do not have. */
  alsoInHistory?(record: RecordOf<NoInfer<F>, NoInfer<R>>): Record<string, unknown>
  /** Initial values that depend on other members. */
  initially?: { [K in keyof F]?: InitialFromDraft<NoInfer<F>, NoInfer<R>, K> }
  /** Members that must have a value when a condition holds. */
  requiredWhen?: { [K in keyof F]?: Condition<NoInfer<F>, NoInfer<R>> }
  /** Members that may only be sent when a condition holds. */
  onlyWhen?: { [K in keyof F]?: Condition<NoInfer<F>, NoInfer<R>> }
  /** Rules about one record as it will be stored. */
  check?(draft: DraftOf<NoInfer<F>>, context: WriteContext<NoInfer<F>, NoInfer<R>>): AdsError[]
  /** Sets members that depend on others, after the rules. */
  derive?(draft: DraftOf<NoInfer<F>>, context: WriteContext<NoInfer<F>, NoInfer<R>>): void
  /** Rules that need the database. Returns the errors of each change, in order; uses one statement for all changes. */
  checkAll?(tx: Tx, changes: DraftChange<NoInfer<F>, NoInfer<R>>[]): Promise<AdsError[][]>
  /** What follows from changes, in the same transaction. Other folders add theirs with `afterChange`. */
  after?(tx: Tx, changes: Change<NoInfer<F>, NoInfer<R>>[]): Promise<void>
}
type InitialFromDraft<F extends Fields, R extends Reads, K extends keyof F> = (
  draft: DraftOf<F>,
  context: WriteContext<F, R>,
) => FieldValue<F[K]> | null | undefined

/** What follows from changes to records, in the same transaction. */
export type Consequence<F extends Fields = Fields, R extends Reads = Reads> = (
  tx: Tx,
  changes: Change<F, R>[],
) => Promise<void>

/** A declared kind of record: its operations, and what other folders use of it. */
export interface AdsEntity<F extends Fields = Fields, R extends Reads = Reads> {
  readonly fields: F
  readonly reads: R
  readonly name: string
  readonly plural: string
  readonly tag: string
  readonly table: string
  readonly notFound: string
  readonly idName: string
  readonly idKind: Kind<string>
  readonly scope: Scope
  readonly collection: `/${string}`
  readonly may: EntityDeclaration['may']
  /** Schema of a record in replies. */
  readonly schema: TSchema
  /** The declaration without typed members, as the kit itself reads it. */
  readonly declared: EntityDeclaration
  readonly sql: EntitySql<RecordOf<F, R>, DraftOf<F>>
  readonly operations: AdsOperation[]
  readonly consequences: Consequence[]
  /** Records of an owner by their ids, deleted ones too. */
  records(db: Db, owner: string, ids: readonly string[]): Promise<Map<string, RecordOf<F, R>>>
  /** A record as replies show it. */
  toReply(record: RecordOf<F, R>, now: number): Record<string, unknown>
  /** Registers what follows from changes to these records. */
  afterChange(consequence: (tx: Tx, changes: Change<F, R>[]) => Promise<void>): void
}
