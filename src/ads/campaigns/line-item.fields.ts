import { packageNameKind, storeNumberKind } from '../app-store-ids.ts'
import type { Change, DraftChange, DraftOf, RecordOf, WriteContext } from '../kit/entity.ts'
import { field, flag, listOf, long, micros, oneOf, reads, reference, text, time, whole } from '../kit/field.ts'
import { idKind, oneOfKind, textKind } from '../kit/values.ts'
import { webEventTags } from '../measurement/web-event-tag.entity.ts'
import { campaigns } from './campaign.entity.ts'
import { CHOOSABLE_PAY_BY, GOALS, OBJECTIVES, PAY_BY, PLACEMENTS, PRODUCT_TYPES } from './objectives.data.ts'

export const lineItemFields = {
  campaign_id: reference(() => campaigns, { required: true, createOnly: true }),
  name: text({ min: 1, max: 255 }),
  objective: oneOf(OBJECTIVES, { required: true, createOnly: true }),
  product_type: oneOf(PRODUCT_TYPES, { required: true, createOnly: true }),
  placements: listOf(oneOfKind(PLACEMENTS), { required: true, createOnly: true, max: PLACEMENTS.length }),
  goal: oneOf(GOALS, {
    always: true,
    onUpdate: oneOfKind(GOALS.filter((goal) => goal !== 'SITE_VISITS')),
  }),
  bid_amount_local_micro: micros({ min: 1 }),
  bid_strategy: oneOf(['AUTO', 'MAX', 'TARGET'], { always: true }),
  target_cpa_local_micro: micros({ readOnly: true }),
  pay_by: oneOf(PAY_BY, { always: true, accepts: oneOfKind(CHOOSABLE_PAY_BY) }),
  daily_budget_amount_local_micro: micros(),
  total_budget_amount_local_micro: micros(),
  standard_delivery: flag({ initial: true, createOnly: true }),
  start_time: time(),
  end_time: time(),
  duration_in_days: whole({ among: [1, 7, 30] }),
  frequency_cap: whole({ min: 1 }),
  primary_web_event_tag: reference(() => webEventTags, { createOnly: true }),
  categories: listOf(textKind({ pattern: /^IAB[0-9]+(?:-[0-9]+)?$/, says: 'must be a content category code' })),
  advertiser_domain: text({
    pattern: /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
    says: 'must be a domain without a protocol',
    max: 255,
  }),
  advertiser_user_id: long(),
  platform_a_app_store_identifier: field(packageNameKind),
  platform_b_app_store_identifier: field(storeNumberKind),
  audience_expansion: oneOf(['BROAD', 'DEFINED', 'EXPANDED']),
  entity_status: oneOf(['ACTIVE', 'DRAFT', 'PAUSED'], {
    initial: 'ACTIVE',
    onUpdate: oneOfKind(['ACTIVE', 'PAUSED']),
  }),
}

export const lineItemReads = {
  funding_instrument_id: reads(idKind, 'c.funding_instrument_id', { always: true }),
  currency: reads(textKind(), 'f.currency', { always: true }),
}

type F = typeof lineItemFields
type R = typeof lineItemReads
export type LineItem = RecordOf<F, R>
export type LineItemDraft = DraftOf<F>
export type LineItemContext = WriteContext<F, R>
export type LineItemDraftChange = DraftChange<F, R>
export type LineItemChange = Change<F, R>
