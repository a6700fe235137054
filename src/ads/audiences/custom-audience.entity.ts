import { Type, words } from '../../api-kit/declaring/schema.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type Change, defineAdsEntity, filter, type Loose, reads } from '../kit/entity.ts'
import { AdsError, invalidParameter, missingParameter, notFound } from '../kit/errors.ts'
import { field, flag, listOf, oneOf, text, whole } from '../kit/field.ts'
import { idKind, listKind, oneOfKind, toBase36 } from '../kit/values.ts'
import { leafIds, segmentsKind } from './audience-segments.ts'

export const AUDIENCE_NOT_FOUND = 'TAILORED_AUDIENCE_NOT_FOUND'
export const REASONS = ['PROCESSING', 'TOO_SMALL'] as const
export const PERMISSION_LEVELS = ['READ_ONLY', 'READ_WRITE'] as const

const TYPES = ['CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE'] as const

const fields = {
  name: text({ min: 1, max: 255, required: true }),
  description: text(),
  audience_type: oneOf(TYPES, { required: true, reads: oneOfKind(['FLEXIBLE', 'MOBILE_AUDIENCE']) as never }),
  segments: field(segmentsKind, { createOnly: true, hidden: true }),
  audience_size: whole({ readOnly: true }),
  targetable: flag({ readOnly: true, initial: false }),
  reasons_not_targetable: listOf(oneOfKind(REASONS), { readOnly: true, always: true, initial: () => [...REASONS] }),
}

const shown = {
  targetable_types: {
    schema: Type.Array(words(TYPES.flatMap((type) => [type, `EXCLUDED_${type}`]))),
    show: ({ audience_type: type }: Loose) => [type, `EXCLUDED_${type}`],
  },
  is_owner: {
    schema: Type.Boolean(),
    show: ({ owner_account_id: owner, account_id: account }: Loose) => owner === account,
  },
  partner_source: { schema: Type.String(), show: () => 'OTHER' },
  // Flexible audiences alone have it.
  metadata: {
    schema: Type.Optional(
      Type.Array(
        Type.Object({
          custom_audience_id: Type.String(),
          account_id: Type.String(),
          name: Type.String(),
          audience_source: Type.String(),
          upload_status: Type.String(),
          segments: segmentsKind.schema,
        }),
      ),
    ),
    show: ({ id, owner_account_id: owner, name, segments }: Loose) =>
      segments
        ? [
            {
              custom_audience_id: toBase36(id),
              account_id: toBase36(owner),
              name,
              audience_source: 'FLEXIBLE_AUDIENCE',
              upload_status: 'UPLOADED',
              segments,
            },
          ]
        : undefined,
  },
}

const shared = {
  name: 'custom_audience',
  plural: 'custom_audiences',
  tag: 'Custom Audiences',
  component: 'CustomAudience',
  notFound: AUDIENCE_NOT_FOUND,
  fields,
  shown,
  may: { see: 'see audiences', manage: 'manage audiences' },
} as const

/** The audiences that an account sees: its own and those that others share with it. */
export const reachedAudiences = defineAdsEntity({
  ...shared,
  table: 'ads_audience_reach',
  isView: true,
  reads: {
    owner_account_id: reads(idKind, 'r.owner_account_id', { always: true }),
    permission_level: reads(oneOfKind(PERMISSION_LEVELS), 'r.permission_level', { always: true }),
  },
  narrow: ({ params }) => [
    {
      name: 'permission_scope',
      sql: (place) => `(r.owner_account_id = r.account_id) = ${place}::bool`,
      value: params.permission_scope !== 'SHARED',
    },
  ],
  filters: { custom_audience_ids: filter(listKind(idKind), (place) => `r.id = any(${place}::bigint[])`) },
  named: 'name',
  sorts: ['created_at', 'updated_at', 'deleted', 'name', 'audience_size', 'targetable'],
  operations: { list: 'listCustomAudiences', get: 'getCustomAudience' },
})

const namesTaken = statement(
  'ads_custom_audience_names_taken',
  { id: 'int8', name: 'text' },
  'select id, name from ads_custom_audience where account_id = $1 and name = any($2::text[]) and not deleted',
)
const leavesKnown = statement(
  'ads_custom_audience_leaves_known',
  { id: 'int8?', audience_type: 'text?' },
  'select id, audience_type from ads_audience_reach where account_id = $1 and id = any($2::bigint[]) and not deleted',
)
const markMade = statement(
  'ads_custom_audience_mark_changed',
  {},
  `update ads_custom_audience a set due_at = $1, revision = revision + 1, leaf_ids = coalesce(s.leaves::bigint[], leaf_ids)
     from unnest($2::bigint[], $3::text[]) as s (id, leaves) where a.id = s.id`,
)

/** The audiences of an account itself: what it makes, changes and deletes. */
export const customAudiences = defineAdsEntity({
  ...shared,
  table: 'ads_custom_audience',
  reads: {
    owner_account_id: reads(idKind, 'r.account_id', { always: true }),
    permission_level: reads(oneOfKind(PERMISSION_LEVELS), `'READ_WRITE'::text`, { always: true }),
  },
  batch: 10,
  allowlist: 'batch_audiences',
  operations: {
    create: 'createCustomAudience',
    update: 'updateCustomAudience',
    delete: 'deleteCustomAudience',
    batch: 'batchCustomAudiences',
  },
  check: ({ audience_type: type, segments }, { before, isCreate }) => {
    if (isCreate && type === 'FLEXIBLE' && !segments)
      return [missingParameter('segments', 'is needed with the audience_type FLEXIBLE')]
    if (isCreate && type !== 'FLEXIBLE' && segments)
      return [invalidParameter('segments', 'goes with the audience_type FLEXIBLE only')]
    if (before && before.audience_type !== type) return [invalidParameter('audience_type', 'can not be changed')]
    if (before?.audience_type === 'FLEXIBLE')
      return [wrongType('custom_audience_id', 'flexible audiences can not be changed once made')]
    return []
  },
  checkAll: async (tx, changes) => {
    const [nameErrors, leafErrors] = [await takenNames(tx, changes), await unfitLeaves(tx, changes)]
    return changes.map((_, at) => [...nameErrors[at]!, ...leafErrors[at]!])
  },
  // What is new is counted at the next run, and what was deleted gives up what is kept of it.
  after: async (tx, changes) => {
    const touched = changes.filter((item) => item.kind !== 'update')
    if (touched.length === 0) return
    const leaves = touched.map(({ kind, record }) =>
      kind === 'create' && record.segments ? `{${leafIds(record.segments).join(',')}}` : null,
    )
    await markMade.count(
      tx,
      touched[0]!.context.now,
      touched.map((item) => item.record.id as string),
      leaves,
    )
  },
})

/** A kind of audience that does not allow what was asked. */
export const wrongType = (parameter: string, details: string, value?: unknown): AdsError =>
  new AdsError('INVALID_TAILORED_AUDIENCE_TYPE', 'The type of the audience does not allow this', {
    parameter,
    details,
    ...(value === undefined ? {} : { value }),
  })

async function takenNames(tx: Tx, changes: Change[]): Promise<AdsError[][]> {
  const named = changes.filter((item) => item.kind !== 'delete')
  const owner = changes[0]!.record.account_id as string
  const names = named.map((item) => item.record.name as string)
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

async function unfitLeaves(tx: Tx, changes: Change[]): Promise<AdsError[][]> {
  const ids = (item: Change) => (item.kind === 'create' && item.record.segments ? leafIds(item.record.segments) : [])
  const wanted = [...new Set(changes.flatMap(ids))]
  const rows = wanted.length === 0 ? [] : await leavesKnown.all(tx, changes[0]!.context.account.id, wanted)
  const types = new Map(rows.map((row) => [row.id, row.audience_type]))
  return changes.map((item) =>
    ids(item).flatMap((id): AdsError[] => {
      const type = types.get(id)
      if (type === undefined) return [notFound(AUDIENCE_NOT_FOUND, 'segments', toBase36(id))]
      return type === 'MOBILE_AUDIENCE'
        ? []
        : [wrongType('segments', 'leaf audiences have the type MOBILE_AUDIENCE', toBase36(id))]
    }),
  )
}
