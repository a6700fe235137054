import { defineAdsEntity } from '../kit/define-entity.ts'
import { idsFilter, long, oneOf } from '../kit/field.ts'

/** The users whose posts an account may promote. Operators add them; one of them is FULL. */
export const promotableUsers = defineAdsEntity({
  name: 'promotable_user',
  plural: 'promotable_users',
  tag: 'Promotable Users',
  component: 'PromotableUser',
  table: 'ads_promotable_user',
  notFound: 'PROMOTABLE_USER_NOT_FOUND',
  fields: {
    user_id: long({ readOnly: true, always: true }),
    promotable_user_type: oneOf(['FULL', 'REPOSTS_ONLY'], { readOnly: true, always: true }),
  },
  filters: { promotable_user_ids: idsFilter('r.id') },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'change settings' },
  operations: { list: 'listPromotableUsers', get: 'getPromotableUser' },
})
