import { change } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import { applyChanges } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsProblem } from '../kit/errors.ts'
import { idsFilter, long, reference } from '../kit/field.ts'
import { type AdsAnswer, type AdsInput, required, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { idKind, listKind, longKind } from '../kit/values.ts'
import { findLineItem, incompatibleLineItem } from './line-item-fit.ts'
import { postsToPromote, promotionError } from './promotable-posts.ts'
import { createPromotedReposts } from './promoted-repost.ts'
import { PROMOTION_SORTS, promotionSortAs, promotionStatus } from './promotion-status.ts'

const POSTS_AT_ONCE = 50
const newPromotions = { line_item_id: required(idKind), post_ids: required(listKind(longKind, { max: POSTS_AT_ONCE })) }
type PromotionInput = AdsInput<ValuesOf<typeof newPromotions>>

/** A post that a line item shows. */
export const promotedPosts = defineAdsEntity({
  name: 'promoted_post',
  plural: 'promoted_posts',
  tag: 'Promoted Posts',
  component: 'PromotedPost',
  table: 'ads_promoted_post',
  notFound: 'PROMOTED_POST_NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    post_id: long({ required: true, createOnly: true }),
    ...promotionStatus,
  },
  joins: 'join ads_line_item l on l.id = r.line_item_id',
  hiddenWhen: 'l.deleted',
  filters: {
    line_item_ids: idsFilter('r.line_item_id'),
    promoted_post_ids: idsFilter('r.id'),
  },
  sorts: PROMOTION_SORTS,
  sortAs: promotionSortAs,
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  operations: {
    list: 'listPromotedPosts',
    get: 'getPromotedPost',
    create: replaced({
      id: 'createPromotedPosts',
      summary: 'Promote posts with a line item',
      params: newPromotions,
      envelope: 'whole list',
      handle: promotePosts,
    }),
    delete: 'deletePromotedPost',
  },
  history: 'PROMOTED_POST',
})

const promotedAlready = statement(
  'ads_promoted_already',
  { id: 'int8' },
  'select id from ads_promoted_post where line_item_id = $1 and post_id = any($2::bigint[]) and not deleted',
)
const fullUser = statement(
  'ads_full_promotable_user',
  { user_id: 'int8' },
  `select user_id from ads_promotable_user where account_id = $1 and promotable_user_type = 'FULL' and not deleted`,
)

/** Promotes each post once for each line item: a repeated request returns the existing records. */
async function promotePosts(input: PromotionInput): Promise<AdsAnswer> {
  const { runtime, account, params } = input
  const asked = [...new Set(params.post_ids)]
  const records = await change(runtime, async (tx, invalidate) => {
    await promotedPosts.scope.lock(tx, account.id)
    const lineItem = await findLineItem(tx, account.id, params.line_item_id)
    if (lineItem.product_type === 'MEDIA')
      throw new AdsProblem([
        incompatibleLineItem('a line item of the product type MEDIA shows media creatives, not posts'),
      ])
    const posts = new Map((await postsToPromote.all(tx, account.id, asked)).map((post) => [post.id, post]))
    const errors = asked.flatMap((id) => promotionError(id, posts.get(id), lineItem.objective) ?? [])
    if (errors.length > 0) throw new AdsProblem(errors)
    const ofOthers = [...posts.values()].filter((post) => post.promotable_user_type !== 'FULL')
    const reposts =
      ofOthers.length === 0
        ? new Map<string, string>()
        : await createPromotedReposts(
            tx,
            invalidate,
            runtime,
            {
              userId: (await fullUser.first(tx, account.id))!.user_id,
              app: input.caller.app,
              isSandbox: input.sandbox,
            },
            ofOthers,
          )
    const shown = asked.map((id) => reposts.get(id) ?? id)
    return createMissing(tx, input, lineItem.id, shown)
  })
  const now = runtime.clock.now()
  return { data: records.map((record) => promotedPosts.toReply(record, now)), total_count: records.length }
}

/** Creates the promotions that a line item does not have yet; returns those of all posts, in order. */
async function createMissing(tx: Tx, input: PromotionInput, lineItemId: string, postIds: readonly string[]) {
  const ids = (await promotedAlready.all(tx, lineItemId, [...postIds])).map((row) => row.id)
  const existing = [...(await promotedPosts.records(tx, input.account.id, ids)).values()]
  const promoted = new Set(existing.map((record) => record.post_id))
  const created = await applyChanges(
    tx,
    promotedPosts,
    input,
    postIds
      .filter((id) => !promoted.has(id))
      .map((id) => ({ kind: 'create', given: { line_item_id: lineItemId, post_id: id } })),
  )
  const byPost = new Map([...existing, ...created].map((record) => [record.post_id, record] as const))
  return postIds.map((id) => byPost.get(id)!)
}
