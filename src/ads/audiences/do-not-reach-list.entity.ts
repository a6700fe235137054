import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsError } from '../kit/errors.ts'
import { flag, listOf, text, whole } from '../kit/field.ts'
import { optional } from '../kit/operation.ts'
import { flagKind, oneOfKind } from '../kit/values.ts'
import { REASONS } from './custom-audience.shape.ts'

const NAME = 'Do Not Reach List'
const ALL = 10_000

const liveList = statement(
  'ads_do_not_reach_list_live',
  { found: 'bool' },
  'select exists (select 1 from ads_do_not_reach_list where account_id = $1 and not deleted) as found',
)
const markDue = statement(
  'ads_do_not_reach_list_mark_changed',
  {},
  'update ads_do_not_reach_list set due_at = $1, revision = revision + 1 where id = any($2::bigint[])',
)

/** Users whom an account's campaigns do not reach. An account has one such list. */
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
  operations: {
    // The list has no pages: an account has one live record, and those that it deleted earlier.
    list: {
      id: 'listDoNotReachLists',
      params: { with_deleted: optional(flagKind, { initial: false }) },
      handle: async (input, standard) => ({
        ...(await standard({ ...input, params: { ...input.params, count: ALL } })),
        next_cursor: null,
      }),
    },
    create: 'createDoNotReachList',
    delete: 'deleteDoNotReachList',
  },
  checkAll: async (tx, changes) => {
    const { kind, context } = changes[0]!
    if (kind !== 'create' || !(await liveList.first(tx, context.account.id))!.found) return []
    return [
      [
        new AdsError('ACTION_NOT_ALLOWED', 'The account already has a Do Not Reach list', {
          details: 'an account has at most one; delete it to create another',
        }),
      ],
    ]
  },
  after: async (tx, changes) => {
    const ids = changes.map((item) => item.record.id)
    if (ids.length > 0) await markDue.count(tx, changes[0]!.context.now, ids)
  },
})
