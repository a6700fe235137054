import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import { applyChanges } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsProblem, refusal } from '../kit/errors.ts'
import { idsFilter, long, reference } from '../kit/field.ts'
import { type AdsAnswer, type AdsInput, required, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { idKind, longKind } from '../kit/values.ts'
import { findLineItem, incompatibleLineItem } from './line-item-fit.ts'
import { PROMOTION_SORTS, promotionSortAs, promotionStatus } from './promotion-status.ts'

const newPromotion = { line_item_id: required(idKind), user_id: required(longKind) }

/** A user whom a line item recommends to follow. */
export const promotedAccounts = defineAdsEntity({
  name: 'promoted_account',
  plural: 'promoted_accounts',
  tag: 'Promoted Accounts',
  component: 'PromotedAccount',
  table: 'ads_promoted_account',
  counted: true,
  notFound: 'PROMOTED_ACCOUNT_NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    user_id: long({ required: true, createOnly: true }),
    ...promotionStatus,
  },
  filters: {
    line_item_ids: idsFilter('r.line_item_id'),
    promoted_account_ids: idsFilter('r.id'),
  },
  sorts: PROMOTION_SORTS,
  sortAs: promotionSortAs,
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  operations: {
    list: { id: 'listPromotedAccounts', handle: listPromotedAccounts },
    get: 'getPromotedAccount',
    create: replaced({
      id: 'createPromotedAccount',
      summary: 'Promote a user with a line item',
      params: newPromotion,
      handle: promoteAccount,
    }),
    delete: 'deletePromotedAccount',
  },
  history: 'PROMOTED_ACCOUNT',
})

const isForAccounts = (lineItem: { product_type: string }): boolean => lineItem.product_type === 'PROMOTED_ACCOUNT'

async function listPromotedAccounts(
  input: AdsInput,
  standard: (input: AdsInput) => Promise<AdsAnswer>,
): Promise<AdsAnswer> {
  const asked = input.params.line_item_ids as string[] | undefined
  if (asked) {
    const named = await lineItems.records(input.runtime.database, input.account.id, asked)
    if (![...named.values()].some(isForAccounts))
      throw new AdsProblem([
        incompatibleLineItem('none of the line items has the product type PROMOTED_ACCOUNT').with({
          parameter: 'line_item_ids',
        }),
      ])
  }
  return standard(input)
}

// Only the FULL promotable user; for the others, only their posts may be promoted.
const mayBePromoted = statement(
  'ads_user_may_be_promoted',
  { id: 'int8' },
  `select u.id from ads_promotable_user p join user_account u on u.id = p.user_id
    where p.account_id = $1 and p.user_id = $2 and p.promotable_user_type = 'FULL' and not p.deleted and not u.protected and not u.suspended`,
)
const promotedAlready = statement(
  'ads_user_promoted_already',
  { id: 'int8' },
  'select id from ads_promoted_account where line_item_id = $1 and user_id = $2 and not deleted',
)

/** Promotes the user once for each line item: a repeated request returns the existing record. */
async function promoteAccount(input: AdsInput<ValuesOf<typeof newPromotion>>): Promise<AdsAnswer> {
  const { runtime, account } = input
  const { line_item_id, user_id } = input.params
  const record = await change(runtime, async (tx) => {
    await promotedAccounts.scope.lock(tx, account.id)
    if (!isForAccounts(await findLineItem(tx, account.id, line_item_id)))
      throw new AdsProblem([incompatibleLineItem('must have the product type PROMOTED_ACCOUNT')])
    if (!(await mayBePromoted.first(tx, account.id, user_id)))
      throw refusal('INVALID_USER', 'The user cannot be promoted', {
        parameter: 'user_id',
        details: 'must be the FULL promotable user of the account, neither protected nor suspended',
        value: user_id,
      })
    const existing = await promotedAlready.first(tx, line_item_id, user_id)
    if (existing) return (await promotedAccounts.records(tx, account.id, [existing.id])).get(existing.id)!
    const [created] = await applyChanges(tx, promotedAccounts, input, [
      { kind: 'create', given: { line_item_id, user_id } },
    ])
    return created!
  })
  return { data: promotedAccounts.toReply(record, runtime.clock.now()) }
}
