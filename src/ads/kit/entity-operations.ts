import { type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { batchRecords } from './batch-records.ts'
import { changeRecord } from './change-records.ts'
import type { AdsEntity, Loose } from './entity.ts'
import { AdsProblem, notFound } from './errors.ts'
import { excludeTotalWithCursor, listParams, listRecords } from './list-records.ts'
import { type AdsInput, type AdsOperation, defineAdsOperation, optional, type PathParams } from './operation.ts'
import { flagKind } from './values.ts'
import { writeParams } from './write-params.ts'

/** The operations that an entity declares. */
export function entityOperations(entity: AdsEntity): AdsOperation[] {
  const { operations, tag, may, collection } = entity
  const one = `${collection}/{${entity.idName}}`
  const above: PathParams = entity.under
    ? { [entity.under.field]: { kind: entity.under.entity().idKind, missing: entity.under.entity().notFound } }
    : {}
  const path: PathParams = { ...above, [entity.idName]: { kind: entity.idKind, missing: entity.notFound } }
  const shared = {
    tag,
    data: entity.schema,
    ...(entity.allowlist ? { allowlist: entity.allowlist } : {}),
    ...(entity.feature ? { feature: entity.feature } : {}),
  }
  const reading = { ...shared, may: may.see, ...(entity.readLimit ? { limit: entity.readLimit } : {}) }
  const writing = { ...shared, may: may.manage }
  const onlyInSandbox = (what: 'create' | 'delete') => (entity.sandboxOnly?.includes(what) ? { sandboxOnly: true } : {})
  const reply = (input: Pick<AdsInput, 'runtime'>, record: Loose) => ({
    data: entity.toReply(record, input.runtime.clock.now()),
  })
  const made: AdsOperation[] = []
  if (operations.list) {
    made.push(
      defineAdsOperation({
        ...reading,
        id: operations.list,
        route: `GET ${collection as `/${string}`}`,
        summary: `List ${spoken(entity.plural)}`,
        path: above,
        params: listParams(entity),
        envelope: 'list',
        check: excludeTotalWithCursor,
        handle: async (input) => {
          await findAbove(entity, input as never)
          return listRecords(entity, input as never)
        },
      }),
    )
  }
  if (operations.get) {
    made.push(
      defineAdsOperation({
        ...reading,
        id: operations.get,
        route: `GET ${one as `/${string}`}`,
        summary: `Get one of the ${spoken(entity.plural)}`,
        path,
        params: { with_deleted: optional(flagKind, { initial: false }) },
        handle: async (input) =>
          reply(input, await findRecord(entity, input as never, input.params.with_deleted === true)),
      }),
    )
  }
  if (operations.create) {
    made.push(
      defineAdsOperation({
        ...writing,
        ...onlyInSandbox('create'),
        id: operations.create,
        route: `POST ${collection as `/${string}`}`,
        summary: `Create one of the ${spoken(entity.plural)}`,
        path: above,
        params: writeParams(entity, 'create'),
        handle: async (input) =>
          reply(
            input,
            await changeRecord(entity, input as never, {
              kind: 'create',
              given: await givenOf(entity, input as never),
            }),
          ),
      }),
    )
  }
  if (operations.update) {
    made.push(
      defineAdsOperation({
        ...writing,
        id: operations.update,
        route: `PUT ${one as `/${string}`}`,
        summary: `Change one of the ${spoken(entity.plural)}`,
        path,
        params: writeParams(entity, 'update'),
        handle: async (input) =>
          reply(
            input,
            await changeRecord(entity, input as never, {
              kind: 'update',
              id: input.path[entity.idName]!,
              given: input.params,
            }),
          ),
      }),
    )
  }
  if (operations.delete) {
    made.push(
      defineAdsOperation({
        ...writing,
        ...onlyInSandbox('delete'),
        id: operations.delete,
        route: `DELETE ${one as `/${string}`}`,
        summary: `Delete one of the ${spoken(entity.plural)}`,
        path,
        handle: async (input) =>
          reply(
            input,
            await changeRecord(entity, input as never, { kind: 'delete', id: input.path[entity.idName]!, given: {} }),
          ),
      }),
    )
  }
  if (operations.batch) {
    made.push(
      defineAdsOperation({
        ...writing,
        id: operations.batch,
        route: `POST ${collection.replace('/12/', '/12/batch/') as `/${string}`}`,
        summary: `Create, change and delete ${spoken(entity.plural)} together`,
        path: above,
        body: BatchBody,
        envelope: 'batch',
        handle: (input) => batchRecords(entity, input as never),
      }),
    )
  }
  return made
}

const spoken = (plural: string) => plural.replaceAll('_', ' ')

// The rules about params depend on the operation and are told item by item.
const BatchBody: TSchema = Type.Array(
  Type.Object({ operation_type: Type.Optional(Type.Unknown()), params: Type.Optional(Type.Unknown()) }),
)

async function givenOf(entity: AdsEntity, input: AdsInput<Record<string, unknown>>): Promise<Record<string, unknown>> {
  await findAbove(entity, input)
  const under = entity.under?.field
  return under === undefined ? input.params : { ...input.params, [under]: input.path[under] }
}

/** The record of the path under which an entity's records stand. */
export async function findAbove(
  entity: AdsEntity,
  input: AdsInput<Record<string, unknown>>,
): Promise<Loose | undefined> {
  if (!entity.under) return undefined
  const above = entity.under.entity()
  return findOf(above, input, input.path[entity.under.field]!, entity.under.field, false)
}

/** The record that the path names. */
export async function findRecord(
  entity: AdsEntity,
  input: AdsInput<Record<string, unknown>>,
  withDeleted: boolean,
): Promise<Loose> {
  await findAbove(entity, input)
  const record = await findOf(entity, input, input.path[entity.idName]!, entity.idName, withDeleted)
  if (entity.under && record[entity.under.field] !== input.path[entity.under.field])
    throw gone(entity, entity.idName, record.id)
  return record
}

async function findOf(
  entity: AdsEntity,
  input: AdsInput<Record<string, unknown>>,
  id: string,
  parameter: string,
  withDeleted: boolean,
): Promise<Loose> {
  const [record] = await entity.sql.byIds(input.runtime.database, entity.scope.owner(input as never), [id])
  if (!record || (!withDeleted && (record.deleted || record.is_hidden))) throw gone(entity, parameter, id)
  return record
}

const gone = (entity: AdsEntity, parameter: string, id: string) =>
  new AdsProblem([notFound(entity.notFound, parameter, entity.idKind.show(id) as string)])
