import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import { incompatibleLineItem } from '../creatives/line-item-fit.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { DraftChange } from '../kit/entity.ts'
import { type AdsError, invalidParameter, notFound } from '../kit/errors.ts'
import { idsFilter, long, reference } from '../kit/field.ts'
import { notAllowed } from './post-authors.ts'

// Locked until the link is stored: a post that is published meanwhile would miss it.
const scheduledToLink = statement(
  'ads_scheduled_to_link',
  { id: 'int8', is_ahead: 'bool' },
  `select id, scheduled_status = 'SCHEDULED' and scheduled_at > $3::timestamptz as is_ahead from ads_scheduled_post
    where account_id = $1 and id = any($2::bigint[]) for share`,
)
const linksOf = statement(
  'ads_scheduled_links_of',
  { line_item_id: 'int8', scheduled_post_id: 'int8' },
  `select line_item_id, scheduled_post_id from ads_scheduled_promoted_post
    where account_id = $1 and scheduled_post_id = any($2::bigint[]) and not deleted`,
)

const fields = {
  line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
  scheduled_post_id: long({ required: true, createOnly: true }),
  post_id: long({ readOnly: true }),
}

/** Line items that will promote a scheduled post once it is published. */
export const scheduledPromotedPosts = defineAdsEntity({
  name: 'scheduled_promoted_post',
  plural: 'scheduled_promoted_posts',
  tag: 'Scheduled Promoted Posts',
  component: 'ScheduledPromotedPost',
  table: 'ads_scheduled_promoted_post',
  counted: true,
  notFound: 'NOT_FOUND',
  fields,
  filters: {
    line_item_ids: idsFilter('r.line_item_id'),
    scheduled_promoted_post_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  operations: {
    list: 'listScheduledPromotedPosts',
    get: 'getScheduledPromotedPost',
    create: 'createScheduledPromotedPost',
    delete: 'deleteScheduledPromotedPost',
  },
  check: (_, { parents }) =>
    parents.line_item_id.product_type === 'MEDIA'
      ? [incompatibleLineItem('line items of the product type MEDIA show media creatives, not posts')]
      : [],
  checkAll: (tx, changes) => linkErrors(tx, changes),
})

async function linkErrors(tx: Tx, changes: DraftChange<typeof fields>[]): Promise<AdsError[][]> {
  const { account, now } = changes[0]!.context
  const ids = changes.map((item) => item.record.scheduled_post_id)
  const scheduled = await scheduledToLink.all(tx, account.id, ids, now)
  const links = await linksOf.all(tx, account.id, ids)
  return changes.map(({ kind, record }) => {
    const id = record.scheduled_post_id
    const post = scheduled.find((row) => row.id === id)
    if (kind === 'delete')
      return post && !post.is_ahead
        ? [notAllowed('scheduled_promoted_post_id', 'can be deleted only before the scheduled_at of its post')]
        : []
    if (!post) return [notFound('POST_NOT_FOUND', 'scheduled_post_id', id)]
    if (!post.is_ahead)
      return [invalidParameter('scheduled_post_id', 'must be a post whose scheduled_at is in the future', id)]
    return links.some((link) => link.scheduled_post_id === id && link.line_item_id === record.line_item_id)
      ? [invalidParameter('scheduled_post_id', 'is already linked to the line item', id)]
      : []
  })
}
