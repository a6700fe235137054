import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/entity.ts'
import { AdsError } from '../kit/errors.ts'
import { flag, listOf, text, whole } from '../kit/field.ts'
import { listRecords } from '../kit/list-records.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { flagKind, oneOfKind } from '../kit/values.ts'
import { REASONS } from './custom-audience.entity.ts'

const NAME = 'Do Not Reach List'
const ALL = 10_000

const liveList = statement(
  'ads_do_not_reach_list_live',
  { found: 'bool' },
  'select exists (select 1 from ads_do_not_reach_list where account_id = $1 and not deleted) as found',
)
const markMade = statement(
  'ads_do_not_reach_list_mark_changed',
  {},
  'update ads_do_not_reach_list set due_at = $1, revision = revision + 1 where id = any($2::bigint[])',
)

/** People whom an account's campaigns leave out; an account has one list of them. */
export const doNotReachLists = defineAdsEntity({
  name: 'do_not_reach_list',
  plural: 'do_not_reach_lists',
  tag: 'Do Not Reach Lists',
  component: 'DoNotReachList',
  table: 'ads_do_not_reach_list',
  notFound: 'NOT_FOUND',
  fields: {
    name: text({ readOnly: true, initial: NAME }),
    description: text(),
    targetable: flag({ readOnly: true, initial: false }),
    reasons_not_targetable: listOf(oneOfKind(REASONS), { readOnly: true, always: true, initial: () => [...REASONS] }),
    list_size: whole({ readOnly: true }),
  },
  may: { see: 'see audiences', manage: 'manage audiences' },
  operations: { create: 'createDoNotReachList', delete: 'deleteDoNotReachList' },
  checkAll: async (tx, changes) => {
    const { kind, context } = changes[0]!
    if (kind !== 'create' || !(await liveList.first(tx, context.account.id))!.found) return []
    return [
      [
        new AdsError('ACTION_NOT_ALLOWED', 'The account has a Do Not Reach list already', {
          details: 'an account has at most one; delete it to make another',
        }),
      ],
    ]
  },
  after: async (tx, changes) => {
    const ids = changes.map((item) => item.record.id as string)
    if (ids.length > 0) await markMade.count(tx, changes[0]!.context.now, ids)
  },
})

/** The list has no pages: there is one live record, and those that were deleted before it. */
const list = defineAdsOperation({
  id: 'listDoNotReachLists',
  route: 'GET /12/accounts/{account_id}/do_not_reach_lists',
  tag: 'Do Not Reach Lists',
  summary: 'List Do Not Reach lists',
  params: { with_deleted: optional(flagKind, { initial: false }) },
  data: doNotReachLists.schema,
  envelope: 'list',
  may: 'see audiences',
  handle: async (input) => {
    const all = { ...input, params: { ...input.params, count: ALL } }
    return { ...(await listRecords(doNotReachLists, all as never)), next_cursor: null }
  },
})

export const doNotReachListOperations = [list, ...doNotReachLists.all]
