import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { changeRecord } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { type AdsError, invalidParameter, missingParameter, notFound } from '../kit/errors.ts'
import { type AdsAnswer, type AdsInput, optional, required, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { addToEcho, type Echo } from '../kit/serving/echo.ts'
import { idKind, textKind, toBase36 } from '../kit/values.ts'
import { leafIds } from './audience-segments.ts'
import {
  AUDIENCE_NOT_FOUND,
  audienceFields,
  audienceReads,
  audienceShape,
  type CustomAudience,
  type CustomAudienceChange,
  wrongType,
} from './custom-audience.shape.ts'
import { findOwned, findReached, findWritable } from './reached-audience.entity.ts'

const namesTaken = statement(
  'ads_custom_audience_names_taken',
  { id: 'int8', name: 'text' },
  'select id, name from ads_custom_audience where account_id = $1 and name = any($2::text[]) and not deleted',
)
const leavesFound = statement(
  'ads_custom_audience_leaves_found',
  { id: 'int8?', audience_type: 'text?' },
  'select id, audience_type from ads_audience_reach where account_id = $1 and id = any($2::bigint[]) and not deleted',
)
const markDue = statement(
  'ads_custom_audience_mark_changed',
  {},
  `update ads_custom_audience a set due_at = $1, revision = revision + 1, leaf_ids = coalesce(s.leaves::bigint[], leaf_ids)
     from unnest($2::bigint[], $3::text[]) as s (id, leaves) where a.id = s.id`,
)

const newAudience = { name: required(audienceFields.name.kind), description: optional(textKind()) }
const changedAudience = {
  name: optional(audienceFields.name.kind),
  description: optional(textKind(), { clearable: true }),
}

/** The audiences that an account itself creates, updates and deletes. */
export const customAudiences = defineAdsEntity({
  ...audienceShape,
  table: 'ads_custom_audience',
  reads: audienceReads('r.account_id', `'READ_WRITE'::text`),
  batch: 10,
  operations: {
    create: replaced({ id: 'createCustomAudience', params: newAudience, handle: createCustomAudience }),
    update: replaced({ id: 'updateCustomAudience', params: changedAudience, handle: updateCustomAudience }),
    delete: { id: 'deleteCustomAudience', handle: deleteCustomAudience },
    batch: { id: 'batchCustomAudiences', allowlist: 'batch_audiences' },
  },
  check: ({ audience_type: type, segments }, { before, isCreate }) => {
    if (isCreate && type === 'FLEXIBLE' && !segments)
      return [missingParameter('segments', 'is required for the audience_type FLEXIBLE')]
    if (isCreate && type !== 'FLEXIBLE' && segments)
      return [invalidParameter('segments', 'may only be sent with the audience_type FLEXIBLE')]
    if (before && before.audience_type !== type) return [invalidParameter('audience_type', 'cannot be changed')]
    if (before?.audience_type === 'FLEXIBLE')
      return [wrongType('custom_audience_id', 'a flexible audience cannot be changed')]
    return []
  },
  checkAll: async (tx, changes) => {
    const [nameErrors, leafErrors] = [await takenNames(tx, changes), await unfitLeaves(tx, changes)]
    return changes.map((_, at) => [...nameErrors[at]!, ...leafErrors[at]!])
  },
  // New audiences are counted in the next run, which also removes the keys of deleted ones.
  after: async (tx, changes) => {
    const written = changes.filter((item) => item.kind !== 'update')
    if (written.length === 0) return
    const leaves = written.map(({ kind, record }) =>
      kind === 'create' && record.segments ? `{${leafIds(record.segments).join(',')}}` : null,
    )
    await markDue.count(
      tx,
      written[0]!.context.now,
      written.map((item) => item.record.id),
      leaves,
    )
  },
})

async function takenNames(tx: Tx, changes: CustomAudienceChange[]): Promise<AdsError[][]> {
  const named = changes.filter((item) => item.kind !== 'delete')
  const owner = changes[0]!.context.account.id
  const names = named.map((item) => item.record.name)
  const holders = new Map(
    (names.length === 0 ? [] : await namesTaken.all(tx, owner, names)).map((row) => [row.name, row.id]),
  )
  return changes.map(({ kind, record }) => {
    if (kind === 'delete') return []
    const holder = holders.get(record.name)
    if (holder !== undefined && holder !== record.id)
      return [invalidParameter('name', 'another audience of the account has this name', record.name)]
    holders.set(record.name, record.id)
    return []
  })
}

async function unfitLeaves(tx: Tx, changes: CustomAudienceChange[]): Promise<AdsError[][]> {
  const ids = (item: CustomAudienceChange) =>
    item.kind === 'create' && item.record.segments ? leafIds(item.record.segments) : []
  const wanted = [...new Set(changes.flatMap(ids))]
  const rows = wanted.length === 0 ? [] : await leavesFound.all(tx, changes[0]!.context.account.id, wanted)
  const types = new Map(rows.map((row) => [row.id, row.audience_type]))
  return changes.map((item) =>
    ids(item).flatMap((id): AdsError[] => {
      const type = types.get(id)
      if (type === undefined) return [notFound(AUDIENCE_NOT_FOUND, 'segments', toBase36(id))]
      return type === 'MOBILE_AUDIENCE'
        ? []
        : [wrongType('segments', 'leaf audiences must have the type MOBILE_AUDIENCE', toBase36(id))]
    }),
  )
}

const reply = (input: AdsInput, record: CustomAudience): AdsAnswer => ({
  data: customAudiences.toReply(record, input.runtime.clock.now()),
})

async function createCustomAudience(input: AdsInput<ValuesOf<typeof newAudience>>): Promise<AdsAnswer> {
  const given = { ...input.params, audience_type: 'CRM' as const }
  return reply(input, await changeRecord(customAudiences, input, { kind: 'create', given }))
}

async function updateCustomAudience(input: AdsInput<ValuesOf<typeof changedAudience>>): Promise<AdsAnswer> {
  const audience = await findWritable(input)
  // The audience may be another account's that is shared for writing; it is changed as a record of its owner.
  const asOwner = { ...input, account: { ...input.account, id: audience.owner_account_id } }
  await changeRecord(customAudiences, asOwner, { kind: 'update', id: audience.id, given: input.params })
  return { ...reply(input, await findReached(input)), request: { params: echoOf(input) } }
}

// In this operation the platform omits the id of the path from the echo.
function echoOf(input: AdsInput): Echo {
  const echo: Echo = {}
  addToEcho(echo, 'account_id', idKind, input.account.id, input.naming)
  for (const [sent, value] of Object.entries(input.params)) addToEcho(echo, sent, textKind(), value, input.naming)
  return echo
}

async function deleteCustomAudience(input: AdsInput): Promise<AdsAnswer> {
  const { id } = await findOwned(input)
  return reply(input, await changeRecord(customAudiences, input, { kind: 'delete', id }))
}
