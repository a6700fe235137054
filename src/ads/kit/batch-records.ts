import { adsLegacyNaming } from '../../legacy-words.ts'
import { changeRecords } from './change-records.ts'
import type { AdsEntity, RecordChange } from './entity.ts'
import { AdsError, AdsProblem, invalidParameter, missingParameter } from './errors.ts'
import type { AdsAnswer, AdsInput, Params } from './operation.ts'
import { RefusedValue } from './refused-value.ts'
import { addToEcho, type Echo } from './serving/echo.ts'
import { paramOf, readParams } from './serving/read-params.ts'
import { SentWords } from './serving/sent-words.ts'
import { idKind } from './values.ts'
import { unchangingParams, writeParams } from './write-params.ts'

/** One item of a batch as it was sent. */
interface Sent {
  operation_type?: unknown
  params?: unknown
}

const KINDS: Record<string, RecordChange['kind']> = { Create: 'create', Update: 'update', Delete: 'delete' }

/** Makes all changes of a batch or none: one bad item fails the batch, and its errors are at its index. */
export async function batchRecords(entity: AdsEntity, input: AdsInput): Promise<AdsAnswer> {
  const { batch: maxOperations = 1, operations } = entity.declared
  const body = input.body as Sent[]
  if (body.length === 0 || body.length > maxOperations)
    throw new AdsProblem([
      new AdsError('REQUEST_TOO_COMPLEX', 'The batch has too few or too many operations', {
        details: `a batch has 1 to ${maxOperations} operations`,
      }),
    ])
  const id = { [entity.idName]: { kind: entity.idKind, required: true } }
  const shapes: Shapes = {
    create: { params: operations.create ? writeParams(entity, 'create') : {}, unchanging: {} },
    update: {
      params: { ...id, ...(operations.update ? writeParams(entity, 'update') : {}) },
      unchanging: unchangingParams(entity),
    },
    delete: { params: id, unchanging: {} },
  }
  const sent = body.map((item) => restoreItem(entity, item, shapes))
  // Before anything is echoed: one item in the legacy spelling makes the whole answer legacy.
  if (sent.some((item) => item.words.areLegacy)) input.naming = adsLegacyNaming
  const read = sent.map((item) => readItem(entity, input, item, shapes))
  const request = read.map((item) => item.echo)
  const refuse = (errors: AdsError[][]) =>
    batchProblem(
      errors.map((each, at) => each.map((error) => sent[at]!.words.asSent(error))),
      request,
    )
  const seen = new Set<string>()
  for (const item of read) {
    const id = item.change && 'id' in item.change ? item.change.id : undefined
    if (id !== undefined && seen.has(id))
      item.errors.push(invalidParameter(entity.idName, 'the record occurs twice in the batch'))
    if (id !== undefined) seen.add(id)
  }
  if (read.some((item) => item.errors.length > 0)) throw refuse(read.map((item) => item.errors))
  const outcome = await changeRecords(
    entity,
    input,
    read.map((item) => item.change),
  )
  if ('errors' in outcome) throw refuse(outcome.errors)
  const now = input.runtime.clock.now()
  return { request, data: outcome.records.map((record) => entity.toReply(record, now)) }
}

/** The refusal of a batch, of which nothing was changed. */
export function batchProblem(errors: AdsError[][], request: unknown): AdsProblem {
  const problem = new AdsProblem([], { status: 400, operationErrors: errors })
  problem.echo = request
  return problem
}

/** The parameters of each kind of change. */
type Shapes = Record<RecordChange['kind'], { params: Params; unchanging: Params }>

interface Item {
  change: RecordChange
  errors: AdsError[]
  echo: { params: Echo; operation_type: unknown }
}

/** An item whose words are in the neutral naming. */
interface Restored {
  kind: RecordChange['kind'] | undefined
  sent: Sent
  values: Map<string, unknown>
  words: SentWords
}

const allowedTypes = (entity: AdsEntity): string[] =>
  Object.keys(KINDS).filter((word) => entity.declared.operations[KINDS[word]!])

function restoreItem(entity: AdsEntity, sent: Sent, shapes: Shapes): Restored {
  const type = sent.operation_type
  const kind = typeof type === 'string' && allowedTypes(entity).includes(type) ? KINDS[type] : undefined
  const words = new SentWords(adsLegacyNaming)
  const values = new Map<string, unknown>()
  if (kind && isObject(sent.params))
    for (const [name, value] of Object.entries(sent.params))
      values.set(name, hasWords(shapes[kind], name) ? words.restore(name, value) : value)
  return { kind, sent, values, words }
}

const hasWords = ({ params, unchanging }: Shapes[RecordChange['kind']], name: string): boolean =>
  (paramOf(params, name) ?? paramOf(unchanging, name))?.kind.hasWords === true

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MEMBERS = ['operation_type', 'params']

function readItem(entity: AdsEntity, input: AdsInput, { kind, sent, values }: Restored, shapes: Shapes): Item {
  const type = sent.operation_type
  const echo: Item['echo'] = { params: {}, operation_type: type ?? null }
  addToEcho(echo.params, 'account_id', idKind, input.account.id, input.naming)
  const item: Item = { change: { kind: 'create', given: {} }, errors: [], echo }
  for (const name of Object.keys(sent).filter((each) => !MEMBERS.includes(each) && !input.ignores(each)))
    item.errors.push(invalidParameter(name, `is not a member of an operation; allowed are ${MEMBERS.join(', ')}`))
  if (!kind) {
    item.errors.push(
      type === undefined
        ? missingParameter('operation_type')
        : invalidParameter('operation_type', `must be one of ${allowedTypes(entity).join(', ')}`, type),
    )
    return item
  }
  if (!isObject(sent.params)) {
    item.errors.push(
      sent.params === undefined ? missingParameter('params') : invalidParameter('params', 'must be an object'),
    )
    return item
  }
  const { params, unchanging } = shapes[kind]
  const isUpdate = kind === 'update'
  const options = {
    isUpdate,
    comparesRecord: isUpdate && input.runtime.strict === 'off',
    ignores: input.ignores,
    unchanging,
  }
  const { values: given, given: names, errors } = readParams(params, values, options)
  item.errors.push(...errors)
  for (const name of names) addToEcho(echo.params, name, params[name]!.kind, given[name], input.naming)
  const { [entity.idName]: id, ...rest } = given
  if (id instanceof RefusedValue) item.errors.push(id.error)
  if (kind === 'create') item.change = { kind, given: rest }
  // An item without an id has an error already, so nothing will be changed.
  else if (typeof id === 'string') item.change = kind === 'update' ? { kind, id, given: rest } : { kind, id }
  return item
}
