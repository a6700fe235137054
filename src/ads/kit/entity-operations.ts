import { type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { batchRecords } from './batch-records.ts'
import { changeRecord } from './change-records.ts'
import type { AdsEntity, AdsRecord, EntityOperation, Fields, OperationKind, Reads, RecordOf } from './entity.ts'
import { AdsProblem, notFound } from './errors.ts'
import { excludeTotalWithCursor, listParams, listRecords } from './list-records.ts'
import {
  type AdsAnswer,
  type AdsContext,
  type AdsInput,
  type AdsOperation,
  defineAdsOperation,
  optional,
  type Params,
  type PathParams,
} from './operation.ts'
import { flagKind } from './values.ts'
import { unchangingParams, writeParams } from './write-params.ts'

/** What the standard operation of a kind does, before the declaration changes it. */
interface Standard {
  route: `${AdsOperation['method']} /${string}`
  summary: string
  path: PathParams
  params: Params
  body?: TSchema
  envelope?: AdsOperation['envelope']
  check?: AdsOperation['check']
  handle(input: AdsInput): Promise<AdsAnswer>
}

/** The operations that an entity declares. */
export function entityOperations(entity: AdsEntity): AdsOperation[] {
  const standards = standardOperations(entity)
  const kinds = Object.keys(standards) as OperationKind[]
  return kinds.flatMap((kind) => {
    const asked = entity.declared.operations[kind]
    if (asked === undefined) return []
    return makeOperation(entity, kind, standards[kind], typeof asked === 'string' ? { id: asked } : asked)
  })
}

function makeOperation(
  entity: AdsEntity,
  kind: OperationKind,
  standard: Standard,
  asked: EntityOperation,
): AdsOperation {
  const { tag, may, declared } = entity
  const isRead = kind === 'list' || kind === 'get'
  const isSandboxOnly = (declared.sandboxOnly as readonly string[] | undefined)?.includes(kind)
  const check = asked.check ?? standard.check
  const limit = asked.limit ?? (isRead ? declared.readLimit : undefined)
  const allowlist = asked.allowlist ?? declared.allowlist
  const body = asked.body ?? standard.body
  return defineAdsOperation({
    id: asked.id,
    route: standard.route,
    tag,
    summary: asked.summary ?? standard.summary,
    path: standard.path,
    params: paramsOf(standard, asked),
    ...(kind === 'update' && !asked.body
      ? { unchanging: unchangingParams(entity), comparesRecord: !asked.params }
      : {}),
    ...(body ? { body } : {}),
    data: asked.data ?? entity.schema,
    envelope: asked.envelope ?? standard.envelope ?? 'one',
    may: isRead ? may.see : may.manage,
    ...(limit ? { limit } : {}),
    ...(allowlist ? { allowlist } : {}),
    sandboxOnly: asked.sandboxOnly ?? isSandboxOnly ?? false,
    seesDeletedAccount: asked.seesDeletedAccount ?? false,
    forConversions: declared.forConversions ?? false,
    ...(asked.echo ? { echo: asked.echo } : {}),
    ...(check ? { check } : {}),
    handle: (input: AdsInput) => asked.handle?.(input, standard.handle) ?? standard.handle(input),
  })
}

function paramsOf(standard: Standard, asked: EntityOperation): Params {
  // An operation with a JSON body has no parameters.
  if (asked.params || asked.body) return asked.params ?? {}
  const params = { ...standard.params, ...asked.moreParams }
  for (const name of asked.withoutParams ?? []) delete params[name]
  return params
}

function standardOperations(entity: AdsEntity): Record<OperationKind, Standard> {
  const { collection, declared } = entity
  const { under } = declared
  const one = `${collection}/{${entity.idName}}` as const
  const title = declared.title ?? entity.name.replaceAll('_', ' ')
  const titles = entity.plural.replaceAll('_', ' ')
  const aTitle = `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
  const above: PathParams = under
    ? { [under.field]: { kind: under.entity().idKind, missing: under.entity().notFound } }
    : {}
  const path: PathParams = { ...above, [entity.idName]: { kind: entity.idKind, missing: entity.notFound } }
  const reply = (input: AdsInput, record: AdsRecord) => ({ data: entity.toReply(record, input.runtime.clock.now()) })
  return {
    list: {
      route: `GET ${collection}`,
      summary: `List ${titles}`,
      path: above,
      params: listParams(entity),
      envelope: 'list',
      check: excludeTotalWithCursor,
      handle: async (input) => {
        await findAbove(entity, input)
        return listRecords(entity, input)
      },
    },
    get: {
      route: `GET ${one}`,
      summary: `Get ${aTitle}`,
      path,
      params: { with_deleted: optional(flagKind, { initial: false }) },
      handle: async (input) =>
        reply(input, await findRecord(entity, input, { withDeleted: input.params.with_deleted === true })),
    },
    create: {
      route: `POST ${collection}`,
      summary: `Create ${aTitle}`,
      path: above,
      params: writeParams(entity, 'create'),
      handle: async (input) => {
        await findAbove(entity, input)
        const given = under ? { ...input.params, [under.field]: input.path[under.field] } : input.params
        return reply(input, await changeRecord(entity, input, { kind: 'create', given }))
      },
    },
    update: {
      route: `PUT ${one}`,
      summary: `Update ${aTitle}`,
      path,
      params: writeParams(entity, 'update'),
      handle: async (input) =>
        reply(
          input,
          await changeRecord(entity, input, { kind: 'update', id: input.path[entity.idName]!, given: input.params }),
        ),
    },
    delete: {
      route: `DELETE ${one}`,
      summary: `Delete ${aTitle}`,
      path,
      params: {},
      handle: async (input) =>
        reply(input, await changeRecord(entity, input, { kind: 'delete', id: input.path[entity.idName]! })),
    },
    batch: {
      route: `POST ${collection.replace('/12/', '/12/batch/') as `/${string}`}`,
      summary: `Create, update and delete ${titles} in one request`,
      path: above,
      params: {},
      body: BatchBody,
      envelope: 'batch',
      handle: (input) => batchRecords(entity, input),
    },
  }
}

// The rules about params depend on the operation and are checked item by item.
const BatchBody: TSchema = Type.Array(
  Type.Object({ operation_type: Type.Optional(Type.Unknown()), params: Type.Optional(Type.Unknown()) }),
)

/** Finds the record that the path puts above the entity's records; throws when there is none. */
async function findAbove(entity: AdsEntity, context: AdsContext): Promise<void> {
  const { under } = entity.declared
  if (under) await findById(under.entity(), context, under.field, { withDeleted: false })
}

/** The record that the path names. */
export async function findRecord<F extends Fields, R extends Reads>(
  entity: AdsEntity<F, R>,
  context: AdsContext,
  options: { withDeleted: boolean } = { withDeleted: false },
): Promise<RecordOf<F, R>> {
  await findAbove(entity, context)
  const record = await findById(entity, context, entity.idName, options)
  const { under } = entity.declared
  if (under && record[under.field] !== context.path[under.field]) throw missing(entity, entity.idName, record.id)
  // The declaration of the entity guarantees that its records are F and R.
  return record as RecordOf<F, R>
}

async function findById(
  entity: AdsEntity,
  context: AdsContext,
  parameter: string,
  { withDeleted }: { withDeleted: boolean },
): Promise<AdsRecord> {
  const id = context.path[parameter]!
  const [record] = await entity.sql.byIds(context.runtime.database, entity.scope.owner(context), [id])
  if (!record || (!withDeleted && (record.deleted || record.is_hidden))) throw missing(entity, parameter, id)
  return record
}

const missing = (entity: AdsEntity, parameter: string, id: string) =>
  new AdsProblem([notFound(entity.notFound, parameter, entity.idKind.show(id))])
