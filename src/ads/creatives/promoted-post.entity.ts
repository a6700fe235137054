import { lineItems } from '../campaigns/line-item.entity.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { idsFilter, long, reference } from '../kit/field.ts'
import { PROMOTION_SORTS, promotionSortAs, promotionStatus } from './promotion-status.ts'

/** A post that a line item shows. Made by `promote-posts.ts`. */
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
  operations: { list: 'listPromotedPosts', get: 'getPromotedPost', delete: 'deletePromotedPost' },
  history: 'PROMOTED_POST',
})
