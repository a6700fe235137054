import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import type { Objective } from '../campaigns/objectives.data.ts'
import { applyChanges } from '../kit/change-records.ts'
import { AdsProblem } from '../kit/errors.ts'
import { defineAdsOperation, required } from '../kit/operation.ts'
import { idKind, listKind, longKind } from '../kit/values.ts'
import { findLineItem, incompatibleLineItem } from './line-item-fit.ts'
import { postsToPromote, promotionError } from './promotable-posts.ts'
import { promotedPosts } from './promoted-post.entity.ts'
import { makePromotedReposts } from './promoted-repost.ts'

const POSTS_AT_ONCE = 50

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

/** Has a line item show posts. A post that it shows already stays as it is, so that a call may be repeated. */
export const promotePosts = defineAdsOperation({
  id: 'createPromotedPosts',
  route: 'POST /12/accounts/{account_id}/promoted_posts',
  tag: promotedPosts.tag,
  summary: 'Promote posts with a line item',
  params: { line_item_id: required(idKind), post_ids: required(listKind(longKind, { max: POSTS_AT_ONCE })) },
  data: promotedPosts.schema,
  envelope: 'counted list',
  may: 'manage campaigns',
  handle: async (input) => {
    const { runtime, account, params } = input
    const asked = [...new Set(params.post_ids)]
    const records = await change(runtime, async (tx, invalidate) => {
      await promotedPosts.scope.lock(tx, account.id)
      const lineItem = await findLineItem(tx, account.id, params.line_item_id)
      if (lineItem.product_type === 'MEDIA')
        throw new AdsProblem([
          incompatibleLineItem('line items of the product type MEDIA show media creatives, no posts'),
        ])
      const known = new Map((await postsToPromote.all(tx, account.id, asked)).map((post) => [post.id, post]))
      const errors = asked.flatMap((id) => promotionError(id, known.get(id), lineItem.objective as Objective) ?? [])
      if (errors.length > 0) throw new AdsProblem(errors)
      const ofOthers = [...known.values()].filter((post) => post.promotable_user_type !== 'FULL')
      const reposts =
        ofOthers.length === 0
          ? new Map<string, string>()
          : await makePromotedReposts(
              tx,
              invalidate,
              runtime,
              { userId: (await fullUser.first(tx, account.id))!.user_id, app: input.caller.app },
              ofOthers,
            )
      const shown = asked.map((id) => reposts.get(id) ?? id)
      const already = (await promotedAlready.all(tx, lineItem.id, shown)).map((row) => row.id)
      const standing = [...(await promotedPosts.records(tx, account.id, already)).values()]
      const isStanding = new Set(standing.map((record) => record.post_id))
      const made = await applyChanges(
        tx,
        promotedPosts,
        input,
        shown
          .filter((id) => !isStanding.has(id))
          .map((id) => ({ kind: 'create', given: { line_item_id: lineItem.id, post_id: id } })),
      )
      const byPost = new Map([...standing, ...made].map((record) => [record.post_id, record] as const))
      return shown.map((id) => byPost.get(id)!)
    })
    const now = runtime.clock.now()
    return { data: records.map((record) => promotedPosts.toReply(record, now)), total_count: records.length }
  },
})
