import { lineItems } from '../campaigns/line-item.entity.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { missingParameter } from '../kit/errors.ts'
import { field, filter, idsFilter, reads, reference } from '../kit/field.ts'
import { idKind, oneOfKind } from '../kit/values.ts'
import { accountMedia } from './account-media.entity.ts'
import { CREATIVE_TYPES, PREROLL_TYPES } from './creative-types.data.ts'
import { incompatibleLineItem, isOnNetwork } from './line-item-fit.ts'
import { promotionStatus } from './promotion-status.ts'
import { webAddressKind } from './web-address.ts'

/** A media item that a line item shows: before videos, or as an image on the publisher network. */
export const mediaCreatives = defineAdsEntity({
  name: 'media_creative',
  plural: 'media_creatives',
  tag: 'Media Creatives',
  component: 'MediaCreative',
  table: 'ads_media_creative',
  counted: true,
  notFound: 'MEDIA_CREATIVE_NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    account_media_id: reference(() => accountMedia, { required: true, createOnly: true }),
    landing_url: field(webAddressKind, { createOnly: true }),
    ...promotionStatus,
  },
  joins: 'join ads_account_media m on m.id = r.account_media_id join ads_line_item l on l.id = r.line_item_id',
  reads: { creative_type: reads(oneOfKind(CREATIVE_TYPES), 'm.creative_type', { always: true }) },
  filters: {
    campaign_id: filter(idKind, (placeholder) => `l.campaign_id = ${placeholder}::bigint`),
    line_item_ids: idsFilter('r.line_item_id'),
    media_creative_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  readLimit: 'core reads',
  operations: {
    list: 'listMediaCreatives',
    get: 'getMediaCreative',
    create: 'createMediaCreative',
    delete: 'deleteMediaCreative',
  },
  check: (draft, { parents }) => {
    const lineItem = parents.line_item_id
    const isPreroll = PREROLL_TYPES.includes(parents.account_media_id.creative_type)
    if (isPreroll && lineItem.objective !== 'PREROLL_VIEWS')
      return [incompatibleLineItem('pre-roll media need a line item with the objective PREROLL_VIEWS')]
    if (!isPreroll && (lineItem.objective === 'PREROLL_VIEWS' || !isOnNetwork(lineItem)))
      return [incompatibleLineItem('images need a line item with a placement on the publisher network')]
    return lineItem.objective === 'WEBSITE_CLICKS' && draft.landing_url === null
      ? [missingParameter('landing_url', 'is required with the objective WEBSITE_CLICKS')]
      : []
  },
  derive: (draft, { parents }) => {
    // A pre-roll video has a call to action instead of a landing page.
    if (PREROLL_TYPES.includes(parents.account_media_id.creative_type)) draft.landing_url = null
  },
})
