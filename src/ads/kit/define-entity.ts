import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import type { AdsEntity, AdsRecord, EntityDeclaration, Fields, Reads } from './entity.ts'
import { entityOperations } from './entity-operations.ts'
import { makeEntitySql } from './entity-sql.ts'
import { lockAccount } from './lock.ts'
import { showTime } from './times.ts'
import { idKind, type Kind, timeKind } from './values.ts'

/** Declares a kind of record, with its list, get, create, update, delete and batch operations. */
export function defineAdsEntity<F extends Fields, R extends Reads = Record<never, never>>(
  declaration: EntityDeclaration<F, R>,
): AdsEntity<F, R> {
  const entity = makeEntity(declaration as EntityDeclaration)
  entities.push(entity)
  // Inside, records have no typed members. The declaration guarantees that they are F and R.
  return entity as AdsEntity as AdsEntity<F, R>
}

const entities: AdsEntity[] = []

/** Every entity declared so far, for guards. */
export const allAdsEntities = (): readonly AdsEntity[] => entities

function makeEntity(declared: EntityDeclaration): AdsEntity {
  const id = declared.idKind ?? idKind
  const base = {
    declared,
    fields: declared.fields,
    reads: declared.reads ?? {},
    name: declared.name,
    plural: declared.plural,
    tag: declared.tag,
    table: declared.table,
    notFound: declared.notFound,
    idName: declared.idName ?? `${declared.name}_id`,
    idKind: id,
    scope: declared.scope ?? {
      column: 'account_id',
      owner: (context) => context.account.id,
      lock: lockAccount,
    },
    collection: declared.path ?? (`/12/accounts/{account_id}/${declared.plural}` as const),
    may: declared.may,
    schema: recordSchema(declared, id),
    consequences: declared.after ? [declared.after] : [],
  } satisfies Partial<AdsEntity>
  const sql = makeEntitySql(base)
  const entity: AdsEntity = {
    ...base,
    sql,
    operations: [],
    records: async (db, owner, ids) => new Map((await sql.byIds(db, owner, ids)).map((record) => [record.id, record])),
    toReply: (record, now) => toReply(declared, id, record, now),
    afterChange: (consequence) => entity.consequences.push(consequence),
  }
  entity.operations.push(...entityOperations(entity))
  return entity
}

function recordSchema(declared: EntityDeclaration, id: Kind<string>): TSchema {
  const optionalUnless = (always: boolean | undefined, schema: TSchema): TSchema =>
    always ? schema : declared.sparse ? Type.Optional(schema) : nullable(schema)
  const members: Record<string, TSchema> = { id: id.schema }
  for (const [name, item] of Object.entries(declared.fields)) {
    if (item.hidden) continue
    members[name] = optionalUnless(item.always || item.required || isPlain(item.initial), item.kind.schema)
  }
  for (const [name, item] of Object.entries(declared.reads ?? {}))
    if (!item.hidden) members[name] = optionalUnless(item.always, item.kind.schema)
  for (const [name, item] of Object.entries(declared.shown ?? {})) members[name] = item.schema
  if (!declared.untimed) Object.assign(members, { created_at: timeKind.schema, updated_at: timeKind.schema })
  members.deleted = Type.Boolean()
  return component(declared.component, Type.Object(members))
}

const isPlain = (initial: unknown): boolean => initial !== undefined && typeof initial !== 'function'

function toReply(
  declared: EntityDeclaration,
  id: Kind<string>,
  record: AdsRecord,
  now: number,
): Record<string, unknown> {
  const reply: Record<string, unknown> = { id: id.show(record.id) }
  const add = (name: string, kind: Kind<unknown>) => {
    const value = record[name]
    reply[name] = value === null || value === undefined ? null : kind.show(value)
  }
  for (const [name, item] of Object.entries(declared.fields)) if (!item.hidden) add(name, item.kind)
  for (const [name, item] of Object.entries(declared.reads ?? {})) if (!item.hidden) add(name, item.kind)
  if (!declared.untimed) {
    reply.created_at = showTime(record.created_at)
    reply.updated_at = showTime(record.updated_at)
  }
  reply.deleted = record.deleted
  for (const [name, item] of Object.entries(declared.shown ?? {})) reply[name] = item.show(record, now)
  return reply
}
