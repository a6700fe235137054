import { lineItems } from '../campaigns/line-item.entity.ts'
import { changeRecord } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { field, idsFilter, oneOf, reference } from '../kit/field.ts'
import { type AdsAnswer, type AdsInput, required, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { webAddressKind } from './web-address.ts'

const newAddress = { tracking_tag_url: required(webAddressKind) }

/** The address of a measurement partner that is requested when a line item is seen or clicked. */
export const trackingTags = defineAdsEntity({
  name: 'tracking_tag',
  plural: 'tracking_tags',
  tag: 'Tracking Tags',
  component: 'TrackingTag',
  table: 'ads_tracking_tag',
  counted: true,
  notFound: 'NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    tracking_tag_type: oneOf(['IMPRESSION_TAG', 'CLICK_TRACKER'], { required: true, createOnly: true }),
    tracking_tag_url: field(webAddressKind, { required: true }),
  },
  filters: {
    line_item_ids: idsFilter('r.line_item_id'),
    tracking_tag_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  operations: {
    list: 'listTrackingTags',
    get: 'getTrackingTag',
    create: 'createTrackingTag',
    update: replaced({
      id: 'updateTrackingTag',
      summary: 'Update the address of a tracking tag',
      params: newAddress,
      handle: updateTrackingTag,
    }),
    delete: 'deleteTrackingTag',
  },
})

/** Requires the address, which is the only member that can change. */
async function updateTrackingTag(input: AdsInput<ValuesOf<typeof newAddress>>): Promise<AdsAnswer> {
  const id = input.path.tracking_tag_id!
  const record = await changeRecord(trackingTags, input, { kind: 'update', id, given: input.params })
  return { data: trackingTags.toReply(record, input.runtime.clock.now()) }
}
