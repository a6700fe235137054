import { defineAdsEntity, filter } from '../kit/entity.ts'
import { long, oneOf } from '../kit/field.ts'
import { idKind, listKind } from '../kit/values.ts'

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
  filters: { promotable_user_ids: filter(listKind(idKind), (place) => `r.id = any(${place}::bigint[])`) },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'change settings' },
  operations: { list: 'listPromotableUsers', get: 'getPromotableUser' },
})
