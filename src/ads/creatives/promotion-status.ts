import { oneOf } from '../kit/field.ts'

/** States of what a line item promotes. Nothing is reviewed here: all is accepted from the beginning. */
export const promotionStatus = {
  entity_status: oneOf(['ACTIVE', 'PAUSED'], { readOnly: true, initial: 'ACTIVE' }),
  approval_status: oneOf(['ACCEPTED', 'UNDER_REVIEW', 'REJECTED'], { readOnly: true, initial: 'ACCEPTED' }),
}

/** Attributes that promotions are sorted by; those that are paused come behind the others. */
export const PROMOTION_SORTS = ['created_at', 'updated_at', 'deleted', 'paused'] as const
export const promotionSortAs = { paused: 'entity_status' }
