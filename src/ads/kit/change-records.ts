import { change, type Invalidate } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import type { AdsEntity, Change, Loose, WriteContext } from './entity.ts'
import { type AdsError, AdsProblem, invalidParameter, missingParameter, notFound } from './errors.ts'
import { recordHistory } from './history.ts'
import type { AdsInput } from './operation.ts'
import { wholeSecond } from './times.ts'

/** What a request wants done to one record. `given` has the values that the client sent, null where it cleared one. */
export interface RecordChange {
  kind: Change['kind']
  /** The record to change or delete. */
  id?: string
  given: Record<string, unknown>
}

/** Fulfils wishes all or none; on errors, those of each wish stand at its place. */
export async function changeRecords(
  entity: AdsEntity,
  input: AdsInput<never, never>,
  wishes: RecordChange[],
  invalidateAlso?: (invalidate: Invalidate) => void,
): Promise<{ records: Loose[] } | { errors: AdsError[][] }> {
  try {
    const work = (tx: Tx, invalidate: Invalidate) => {
      invalidateAlso?.(invalidate)
      return applyChanges(tx, entity, input, wishes)
    }
    return { records: await change(input.runtime, work) }
  } catch (error) {
    if (error instanceof ChangeErrors) return { errors: error.each }
    throw error
  }
}

/** One wish; its errors are the refusal of the request. */
export async function changeRecord(
  entity: AdsEntity,
  input: AdsInput<never, never>,
  wish: RecordChange,
  invalidateAlso?: (invalidate: Invalidate) => void,
): Promise<Loose> {
  const outcome = await changeRecords(entity, input, [wish], invalidateAlso)
  if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!)
  return outcome.records[0]!
}

/** Ends the transaction with what is wrong with each wish. */
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

/** Fulfils wishes in a transaction of the caller; for what follows from other changes. Throws on errors. */
export async function applyChanges(
  tx: Tx,
  entity: AdsEntity,
  input: AdsInput<never, never>,
  wishes: RecordChange[],
): Promise<Loose[]> {
  const owner = entity.scope.owner(input)
  await entity.scope.lock(tx, owner)
  const context = {
    runtime: input.runtime,
    account: input.account,
    user: input.user,
    caller: input.caller,
    allowlists: input.allowlists,
    sandbox: input.sandbox,
    now: wholeSecond(input.runtime.clock.now()),
  }
  const known = await knownRecords(tx, entity, input, owner, wishes)
  const parents = await knownParents(tx, entity, owner, wishes, known)
  const changes: Change[] = []
  const errors = wishes.map((wish) => {
    const before = wish.id === undefined ? undefined : known.get(wish.id)
    if (wish.kind !== 'create' && (!before || before.deleted))
      return [notFound(entity.notFound, entity.idName, wish.id && entity.idKind.show(wish.id))]
    const made = makeChange(entity, owner, wish, before, context, parents)
    changes.push(made.change)
    return made.errors
  })
  throwIfErrors(errors)
  if (entity.checkAll) throwIfErrors(await entity.checkAll(tx, changes))
  const effective = changes.filter((item) => item.kind !== 'update' || isChanged(entity, item))
  await store(tx, entity, effective)
  const ids = changes.map((item) => item.record.id as string)
  // Read again: members may come from other tables.
  const stored = new Map((await entity.sql.byIds(tx, owner, ids)).map((record) => [record.id as string, record]))
  for (const item of changes) item.record = stored.get(item.record.id) ?? item.record
  await recordHistory(tx, entity, effective)
  if (entity.after) await entity.after(tx, effective)
  return changes.map((item) => item.record)
}

async function knownRecords(
  tx: Tx,
  entity: AdsEntity,
  input: AdsInput<never, never>,
  owner: string,
  wishes: RecordChange[],
): Promise<Map<string, Loose>> {
  const ids = [...new Set(wishes.flatMap((wish) => wish.id ?? []))]
  const under = entity.under && input.path[entity.under.field]
  const rows = await entity.sql.byIds(tx, owner, ids, { lock: true })
  return new Map(
    rows
      .filter((row) => under === undefined || row[entity.under!.field] === under)
      .map((row) => [row.id as string, row]),
  )
}

/** The records that references name, by field and id: one statement for each kind of record. */
async function knownParents(
  tx: Tx,
  entity: AdsEntity,
  owner: string,
  wishes: RecordChange[],
  known: Map<string, Loose>,
): Promise<Map<string, Map<string, Loose>>> {
  const parents = new Map<string, Map<string, Loose>>()
  for (const [name, item] of Object.entries(entity.fields)) {
    if (!item.refersTo) continue
    const ids = wishes.flatMap(
      (wish) => (wish.given[name] as string | undefined) ?? known.get(wish.id ?? '')?.[name] ?? [],
    )
    parents.set(name, await item.refersTo().records(tx, owner, [...new Set(ids)]))
  }
  return parents
}

function makeChange(
  entity: AdsEntity,
  owner: string,
  wish: RecordChange,
  before: Loose | undefined,
  shared: Omit<WriteContext, 'isCreate' | 'given' | 'before' | 'parents'>,
  knownParentsOf: Map<string, Map<string, Loose>>,
): { change: Change; errors: AdsError[] } {
  const context: WriteContext = {
    ...shared,
    isCreate: wish.kind === 'create',
    given: new Set(Object.keys(wish.given)),
    before,
    parents: {},
  }
  const errors: AdsError[] = []
  const record: Loose =
    wish.kind === 'create'
      ? {
          id: shared.runtime.ids.next(),
          [entity.scope.column]: owner,
          created_at: shared.now,
          updated_at: shared.now,
          deleted: false,
        }
      : { ...before, updated_at: shared.now, ...(wish.kind === 'delete' ? { deleted: true } : {}) }
  const made = { change: { kind: wish.kind, record, before, context }, errors }
  if (wish.kind === 'delete') return made
  for (const name of Object.keys(entity.fields)) {
    if (Object.hasOwn(wish.given, name)) record[name] = wish.given[name]
    else if (wish.kind === 'create') record[name] = null
  }
  errors.push(...findParents(entity, record, context, knownParentsOf))
  if (errors.length > 0) return made
  if (wish.kind === 'create') setInitial(entity, record, context)
  errors.push(...checkFields(entity, record, context))
  if (errors.length === 0 && entity.check) errors.push(...entity.check(record, context))
  if (errors.length === 0) entity.derive?.(record, context)
  return made
}

function findParents(
  entity: AdsEntity,
  record: Loose,
  context: WriteContext,
  known: Map<string, Map<string, Loose>>,
): AdsError[] {
  const errors: AdsError[] = []
  for (const [name, item] of Object.entries(entity.fields)) {
    const id = record[name] as string | null
    if (!item.refersTo || id === null || id === undefined) continue
    const parent = known.get(name)?.get(id)
    // What was deleted later stays the parent of what already names it.
    const isNew = context.isCreate || context.given.has(name)
    if (parent && !(isNew && parent.deleted)) context.parents[name] = parent
    else errors.push(notFound(item.refersTo().notFound, name, item.kind.show(id)))
  }
  return errors
}

function setInitial(entity: AdsEntity, record: Loose, context: WriteContext): void {
  for (const [name, item] of Object.entries(entity.fields)) {
    if (record[name] !== null || item.initial === undefined) continue
    record[name] = (typeof item.initial === 'function' ? item.initial(record, context) : item.initial) ?? null
  }
}

function checkFields(entity: AdsEntity, record: Loose, context: WriteContext): AdsError[] {
  const errors: AdsError[] = []
  for (const [name, item] of Object.entries(entity.fields)) {
    if (item.requiredWhen && record[name] === null && item.requiredWhen[0](record, context))
      errors.push(missingParameter(name, item.requiredWhen[1]))
    if (item.onlyWhen && context.given.has(name) && record[name] !== null && !item.onlyWhen[0](record, context))
      errors.push(invalidParameter(name, item.onlyWhen[1]))
  }
  return errors
}

function isChanged(entity: AdsEntity, { record, before }: Change): boolean {
  const isSame = Object.keys(entity.fields).every(
    (name) => JSON.stringify(record[name]) === JSON.stringify(before?.[name]),
  )
  if (isSame && before) record.updated_at = before.updated_at
  return !isSame
}

async function store(tx: Tx, entity: AdsEntity, changes: Change[]): Promise<void> {
  const of = (...kinds: Change['kind'][]) =>
    changes.filter((item) => kinds.includes(item.kind)).map((item) => item.record)
  const created = of('create')
  if (created.length > 0) await entity.sql.insert(tx, created)
  const isPermanent = entity.deletion === 'permanent'
  const changed = isPermanent ? of('update') : of('update', 'delete')
  if (changed.length > 0) await entity.sql.update(tx, changed)
  const gone = isPermanent ? of('delete') : []
  if (gone.length > 0)
    await entity.sql.remove(
      tx,
      gone.map((record) => record.id),
    )
}
