import { oneOf } from '../kit/field.ts'

/** The states of what a line item promotes. This server does not review anything, so all of it is accepted. */
export const promotionStatus = {
  entity_status: oneOf(['ACTIVE', 'PAUSED'], { readOnly: true, initial: 'ACTIVE' }),
  approval_status: oneOf(['ACCEPTED', 'UNDER_REVIEW', 'REJECTED'], { readOnly: true, initial: 'ACCEPTED' }),
}

/** The attributes that promotions can be sorted by; paused ones come after the others. */
export const PROMOTION_SORTS = ['created_at', 'updated_at', 'deleted', 'paused'] as const
export const promotionSortAs = { paused: 'entity_status' }
