import { isDeepStrictEqual } from 'node:util'
import { change, type Invalidate } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import type {
  AdsEntity,
  AdsRecord,
  DraftChange,
  EntityDeclaration,
  Fields,
  Reads,
  RecordChange,
  RecordOf,
  WriteContext,
} from './entity.ts'
import { type AdsError, AdsProblem, invalidParameter, missingParameter, notFound } from './errors.ts'
import { recordHistory } from './history.ts'
import type { AdsContext } from './operation.ts'
import { RefusedValue } from './refused-value.ts'
import { wholeSecond } from './times.ts'

/** Makes all changes or none. On errors, `errors` has those of each change at the index of the change. */
export async function changeRecords<F extends Fields, R extends Reads>(
  entity: AdsEntity<F, R>,
  context: AdsContext,
  changes: RecordChange<F>[],
  invalidateAlso?: (invalidate: Invalidate) => void,
): Promise<{ records: RecordOf<F, R>[] } | { errors: AdsError[][] }> {
  try {
    const work = (tx: Tx, invalidate: Invalidate) => {
      invalidateAlso?.(invalidate)
      return applyChanges(tx, entity, context, changes)
    }
    return { records: await change(context.runtime, work) }
  } catch (error) {
    if (error instanceof ChangeErrors) return { errors: error.each }
    throw error
  }
}

/** Makes one change. Its errors are those of the request. */
export async function changeRecord<F extends Fields, R extends Reads>(
  entity: AdsEntity<F, R>,
  context: AdsContext,
  asked: RecordChange<F>,
): Promise<RecordOf<F, R>> {
  const outcome = await changeRecords(entity, context, [asked])
  if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!)
  return outcome.records[0]!
}

/** Ends the transaction with the errors of each change. */
class ChangeErrors extends AdsProblem {
  readonly each: AdsError[][]
  constructor(each: AdsError[][]) {
    super(each.flat())
    this.each = each
  }
}

const throwIfErrors = (errors: AdsError[][]): void => {
  if (errors.some((item) => item.length > 0)) throw new ChangeErrors(errors)
}

/** Makes changes in the caller's transaction, for changes that follow from others. Throws on errors. */
export async function applyChanges<F extends Fields, R extends Reads>(
  tx: Tx,
  entity: AdsEntity<F, R>,
  context: AdsContext,
  changes: RecordChange<F>[],
): Promise<RecordOf<F, R>[]> {
  // Here records have no typed members. The declaration of the entity guarantees that they are F and R.
  return (await applyToRecords(tx, entity, context, changes)) as RecordOf<F, R>[]
}

async function applyToRecords(
  tx: Tx,
  entity: AdsEntity,
  context: AdsContext,
  asked: RecordChange[],
): Promise<AdsRecord[]> {
  const owner = entity.scope.owner(context)
  await entity.scope.lock(tx, owner)
  const { runtime, account, user, caller, allowlists, sandbox } = context
  const shared = { runtime, account, user, caller, allowlists, sandbox, now: wholeSecond(runtime.clock.now()) }
  const stored = await storedRecords(tx, entity, context, owner, asked)
  const parents = await storedParents(tx, entity, owner, asked, stored)
  const changes: DraftChange[] = []
  const errors = asked.map((item) => {
    const before = item.kind === 'create' ? undefined : stored.get(item.id)
    if (item.kind !== 'create' && (!before || before.deleted))
      return [notFound(entity.notFound, entity.idName, entity.idKind.show(item.id))]
    const draft = draftChange(entity, owner, item, before, shared, parents)
    changes.push(draft.change)
    return draft.errors
  })
  throwIfErrors(errors)
  if (entity.declared.checkAll) throwIfErrors(await entity.declared.checkAll(tx, changes))
  const effective = changes.filter((item) => item.kind !== 'update' || isChanged(entity, item))
  await store(tx, entity, effective)
  const ids = changes.map((item) => item.record.id)
  // Read again: members may come from other tables.
  const after = await entity.records(tx, owner, ids)
  for (const item of changes) item.record = after.get(item.record.id) ?? item.record
  await recordHistory(tx, entity, effective)
  if (effective.length > 0) for (const consequence of entity.consequences) await consequence(tx, effective)
  return changes.map((item) => item.record)
}

const idOf = (asked: RecordChange): string | undefined => (asked.kind === 'create' ? undefined : asked.id)
const givenBy = (asked: RecordChange): Record<string, unknown> => (asked.kind === 'delete' ? {} : asked.given)

async function storedRecords(
  tx: Tx,
  entity: AdsEntity,
  context: AdsContext,
  owner: string,
  asked: RecordChange[],
): Promise<Map<string, AdsRecord>> {
  const ids = [...new Set(asked.flatMap((item) => idOf(item) ?? []))]
  const { under } = entity.declared
  const rows = await entity.sql.byIds(tx, owner, ids, { lock: true })
  return new Map(
    rows
      .filter((row) => under === undefined || row[under.field] === context.path[under.field])
      .map((row) => [row.id, row]),
  )
}

/** Records that references name, by field and id. */
type Parents = Map<string, Map<string, AdsRecord>>

/** Loads the records that references name, with one statement for each field. */
async function storedParents(
  tx: Tx,
  entity: AdsEntity,
  owner: string,
  asked: RecordChange[],
  stored: Map<string, AdsRecord>,
): Promise<Parents> {
  const parents: Parents = new Map()
  for (const [name, item] of Object.entries(entity.fields)) {
    if (!item.refersTo) continue
    const ids = asked.flatMap((each) => {
      const given = givenBy(each)[name]
      const id = typeof given === 'string' ? given : stored.get(idOf(each) ?? '')?.[name]
      return typeof id === 'string' ? id : []
    })
    parents.set(name, await item.refersTo().records(tx, owner, [...new Set(ids)]))
  }
  return parents
}

function draftChange(
  entity: AdsEntity,
  owner: string,
  asked: RecordChange,
  before: AdsRecord | undefined,
  shared: Omit<WriteContext, 'isCreate' | 'given' | 'before' | 'parents'>,
  parents: Parents,
): { change: DraftChange; errors: AdsError[] } {
  const isCreate = asked.kind === 'create'
  const { changed: given, errors } =
    before && asked.kind === 'update'
      ? changedMembers(entity, givenBy(asked), before, shared.now)
      : { changed: givenBy(asked), errors: [] }
  const named: Record<string, AdsRecord> = {}
  const context: WriteContext = { ...shared, isCreate, given: new Set(Object.keys(given)), before, parents: named }
  const record: AdsRecord = {
    ...(before ?? {
      id: shared.runtime.ids.next(),
      [entity.scope.column]: owner,
      created_at: shared.now,
      deleted: false,
    }),
    updated_at: shared.now,
    ...(asked.kind === 'delete' ? { deleted: true } : {}),
  } as AdsRecord
  const draft = { change: { kind: asked.kind, record, before, context }, errors }
  if (asked.kind === 'delete') return draft
  for (const name of Object.keys(entity.fields)) {
    if (Object.hasOwn(given, name)) record[name] = given[name]
    else if (isCreate) record[name] = null
  }
  if (errors.length > 0) return draft
  errors.push(...findParents(entity, record, context, parents, named))
  if (errors.length > 0) return draft
  const { declared } = entity
  if (isCreate) setInitial(declared, record, context)
  errors.push(...checkConditions(declared, record, context))
  if (errors.length === 0 && declared.check) errors.push(...declared.check(record, context))
  if (errors.length === 0) declared.derive?.(record, context)
  return draft
}

/** What an update changes. Clients that send whole records repeat the other members. */
function changedMembers(
  entity: AdsEntity,
  given: Record<string, unknown>,
  before: AdsRecord,
  now: Date,
): { changed: Record<string, unknown>; errors: AdsError[] } {
  const changed: Record<string, unknown> = {}
  const errors: AdsError[] = []
  let shown: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(given)) {
    if (value instanceof RefusedValue) {
      shown ??= entity.toReply(before, now.getTime())
      if (!value.isRepeated(before[name], shown[name])) errors.push(value.error)
    } else if (!isDeepStrictEqual(value, before[name])) changed[name] = value
  }
  return { changed, errors }
}

/** Fills `named` with the records that references name. A reference to a missing record is an error. */
function findParents(
  entity: AdsEntity,
  record: AdsRecord,
  context: WriteContext,
  parents: Parents,
  named: Record<string, AdsRecord>,
): AdsError[] {
  const errors: AdsError[] = []
  for (const [name, item] of Object.entries(entity.fields)) {
    const id = record[name]
    if (!item.refersTo || typeof id !== 'string') continue
    const parent = parents.get(name)?.get(id)
    // A record keeps a parent that was deleted after the record named it.
    const isNew = context.isCreate || context.given.has(name)
    if (parent && !(isNew && parent.deleted)) named[name] = parent
    else errors.push(notFound(item.refersTo().notFound, name, item.kind.show(id)))
  }
  return errors
}

function setInitial({ fields, initially }: EntityDeclaration, record: AdsRecord, context: WriteContext): void {
  for (const [name, { initial }] of Object.entries(fields))
    if (record[name] === null && initial !== undefined)
      record[name] = typeof initial === 'function' ? initial(context) : initial
  for (const [name, initial] of Object.entries(initially ?? {}))
    if (record[name] === null) record[name] = initial?.(record, context) ?? null
}

function checkConditions(declared: EntityDeclaration, record: AdsRecord, context: WriteContext): AdsError[] {
  const errors: AdsError[] = []
  for (const [name, condition] of Object.entries(declared.requiredWhen ?? {}))
    if (condition && record[name] === null && condition.holds(record, context))
      errors.push(missingParameter(name, condition.says))
  for (const [name, condition] of Object.entries(declared.onlyWhen ?? {}))
    if (condition && context.given.has(name) && record[name] !== null && !condition.holds(record, context))
      errors.push(invalidParameter(name, condition.says))
  return errors
}

/** Compares values, not their JSON text: PostgreSQL stores the keys of JSON in another order. */
function isChanged(entity: AdsEntity, { record, before }: DraftChange): boolean {
  const isSame = Object.keys(entity.fields).every((name) => isDeepStrictEqual(record[name], before?.[name]))
  if (isSame && before) record.updated_at = before.updated_at
  return !isSame
}

async function store(tx: Tx, entity: AdsEntity, changes: DraftChange[]): Promise<void> {
  const of = (...kinds: RecordChange['kind'][]) =>
    changes.filter((item) => kinds.includes(item.kind)).map((item) => item.record)
  const created = of('create')
  if (created.length > 0) await entity.sql.insert(tx, created)
  const isPermanent = entity.declared.deletion === 'permanent'
  const changed = isPermanent ? of('update') : of('update', 'delete')
  if (changed.length > 0) await entity.sql.update(tx, changed)
  const removed = isPermanent ? of('delete') : []
  if (removed.length > 0)
    await entity.sql.remove(
      tx,
      removed.map((record) => record.id),
    )
}
