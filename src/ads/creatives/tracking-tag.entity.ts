import { lineItems } from '../campaigns/line-item.entity.ts'
import { changeRecord } from '../kit/change-records.ts'
import { defineAdsEntity, filter } from '../kit/entity.ts'
import { field, oneOf, reference } from '../kit/field.ts'
import { defineAdsOperation, required } from '../kit/operation.ts'
import { idKind, listKind } from '../kit/values.ts'
import { webAddressKind } from './web-address.ts'

/** An address of a measuring partner that is called when a line item is seen or clicked. */
export const trackingTags = defineAdsEntity({
  name: 'tracking_tag',
  plural: 'tracking_tags',
  tag: 'Tracking Tags',
  component: 'TrackingTag',
  table: 'ads_tracking_tag',
  notFound: 'NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    tracking_tag_type: oneOf(['IMPRESSION_TAG', 'CLICK_TRACKER'], { required: true, createOnly: true }),
    tracking_tag_url: field(webAddressKind, { required: true }),
  },
  filters: {
    line_item_ids: filter(listKind(idKind), (place) => `r.line_item_id = any(${place}::bigint[])`),
    tracking_tag_ids: filter(listKind(idKind), (place) => `r.id = any(${place}::bigint[])`),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  operations: {
    list: 'listTrackingTags',
    get: 'getTrackingTag',
    create: 'createTrackingTag',
    delete: 'deleteTrackingTag',
  },
})

/** Unlike with other records, the one thing that can change must be given. */
const updateTrackingTag = defineAdsOperation({
  id: 'updateTrackingTag',
  route: 'PUT /12/accounts/{account_id}/tracking_tags/{tracking_tag_id}',
  tag: trackingTags.tag,
  summary: 'Change the address of a tracking tag',
  path: { tracking_tag_id: { kind: idKind, missing: trackingTags.notFound } },
  params: { tracking_tag_url: required(webAddressKind) },
  data: trackingTags.schema,
  may: 'manage campaigns',
  handle: async (input) => {
    const wish = { kind: 'update' as const, id: input.path.tracking_tag_id!, given: { ...input.params } }
    const record = await changeRecord(trackingTags, input as never, wish)
    return { data: trackingTags.toReply(record, input.runtime.clock.now()) }
  },
})

export const trackingTagOperations = [...trackingTags.all, updateTrackingTag]
