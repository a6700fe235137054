import { defineAdsEntity, filter } from '../kit/entity.ts'
import { oneOf, text, time } from '../kit/field.ts'
import { lockAccount } from '../kit/lock.ts'
import { idKind, listKind } from '../kit/values.ts'

const INDUSTRIES = [
  'AGENCY',
  'BUSINESS_TO_BUSINESS',
  'ONLINE_SERVICES',
  'EDUCATION',
  'FINANCIAL',
  'HEALTH',
  'GOVERNMENT',
  'MEDIA',
  'MOBILE',
  'RESTAURANT',
  'RETAIL',
  'TECHNOLOGY',
  'TRAVEL',
  'OTHER',
] as const

const fields = {
  name: text({ min: 1, max: 255, always: true }),
  business_name: text({ readOnly: true }),
  business_id: { kind: idKind, readOnly: true },
  timezone: text({ readOnly: true, always: true }),
  timezone_switch_at: time({ readOnly: true }),
  industry_type: oneOf(INDUSTRIES),
  approval_status: oneOf(['ACCEPTED', 'UNDER_REVIEW', 'REJECTED'], { readOnly: true, always: true }),
}

const shared = {
  name: 'account',
  plural: 'accounts',
  tag: 'Accounts',
  component: 'Account',
  notFound: 'ACCOUNT_NOT_FOUND',
  path: '/12/accounts',
  fields,
  may: { see: 'know the account', manage: 'change settings' },
} as const

/** The accounts that the caller reaches, in the environment of the request. */
export const reachedAccounts = defineAdsEntity({
  ...shared,
  table: 'ads_account_reach',
  isView: true,
  scope: { column: 'user_id', owner: (input) => input.user.id, lock: async () => {} },
  narrow: (input) => [{ name: 'sandbox', sql: (place) => `r.sandbox = ${place}::bool`, value: input.sandbox }],
  filters: { account_ids: filter(listKind(idKind), (place) => `r.id = any(${place}::bigint[])`) },
  named: 'name',
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  readLimit: 'account reads',
  operations: { list: 'listAccounts' },
})

/** The account of the path as a record of its own. */
export const accounts = defineAdsEntity({
  ...shared,
  table: 'ads_account',
  scope: {
    column: 'id',
    owner: (input) => input.account.id,
    lock: lockAccount,
  },
  operations: {},
})
