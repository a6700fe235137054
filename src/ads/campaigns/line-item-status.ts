import type { LineItem } from './line-item.fields.ts'

/** What decides besides the line item itself whether it serves. */
interface Conditions {
  campaignStatus: string
  canFund: boolean
  hasActiveCreative: boolean
}

export const LINE_ITEM_REASONS = [
  'CAMPAIGN_NOT_ACTIVE',
  'EXPIRED',
  'FUNDING_PROBLEM',
  'INCOMPLETE',
  'NO_ACTIVE_CREATIVE',
  'PAUSED_BY_ADVERTISER',
  'STARTS_IN_FUTURE',
] as const

/** Why a line item does not serve now; the same conditions as those of `servable` in the list of who targets an audience. */
export function reasonsLineItemNotServable(
  item: Pick<LineItem, 'entity_status' | 'start_time' | 'end_time'>,
  { campaignStatus, canFund, hasActiveCreative }: Conditions,
  now: number,
): (typeof LINE_ITEM_REASONS)[number][] {
  return [
    ...(campaignStatus === 'ACTIVE' ? [] : ['CAMPAIGN_NOT_ACTIVE' as const]),
    ...(item.end_time && item.end_time.getTime() <= now ? ['EXPIRED' as const] : []),
    ...(canFund ? [] : ['FUNDING_PROBLEM' as const]),
    ...(item.entity_status === 'DRAFT' ? ['INCOMPLETE' as const] : []),
    ...(hasActiveCreative ? [] : ['NO_ACTIVE_CREATIVE' as const]),
    ...(item.entity_status === 'PAUSED' ? ['PAUSED_BY_ADVERTISER' as const] : []),
    ...(item.start_time && item.start_time.getTime() > now ? ['STARTS_IN_FUTURE' as const] : []),
  ]
}

/** The state of a line item in the words of campaigns. */
export const effectiveLineItemStatus = (
  item: Pick<LineItem, 'entity_status'>,
  campaignStatus: string,
  reasons: readonly string[],
): 'UNKNOWN' | 'PAUSED' | 'RUNNING' | 'ACTIVE' =>
  item.entity_status === 'DRAFT' || campaignStatus === 'DRAFT'
    ? 'UNKNOWN'
    : item.entity_status === 'PAUSED' || campaignStatus === 'PAUSED'
      ? 'PAUSED'
      : reasons.length === 0
        ? 'RUNNING'
        : 'ACTIVE'
