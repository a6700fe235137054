import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { statement } from '../../storage/statement.ts'

/** The permissions that a user can have on an account. */
export const PERMISSIONS = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
  'PARTNER_AUDIENCE_MANAGER',
  'POST_COMPOSER',
] as const
export type Permission = (typeof PERMISSIONS)[number]

const MANAGERS: Permission[] = ['ACCOUNT_ADMIN', 'AD_MANAGER']
const VIEWERS: Permission[] = [...MANAGERS, 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST']

/** What an operation does to an account, and the permissions that allow it. */
export const MAY = {
  'see the account': PERMISSIONS,
  'change settings': ['ACCOUNT_ADMIN'],
  'see campaigns': VIEWERS,
  'manage campaigns': MANAGERS,
  'see creatives': VIEWERS,
  'manage creatives': [...MANAGERS, 'CREATIVE_MANAGER'],
  'see audiences': [...MANAGERS, 'CAMPAIGN_ANALYST', 'PARTNER_AUDIENCE_MANAGER'],
  'manage audiences': [...MANAGERS, 'PARTNER_AUDIENCE_MANAGER'],
  'see insights': [...VIEWERS, 'ANALYST'],
} satisfies Record<string, readonly Permission[]>
export type AdsAction = keyof typeof MAY

/** Restricted parts of the interface; an app gets access to each of them separately. */
export const ALLOWLISTS = [
  'account_history',
  'catalogs',
  'audience_users',
  'batch_audiences',
  'advertiser_user',
  'partner_funding',
  'recommendations',
  'mobile_measurement',
] as const
export type Allowlist = (typeof ALLOWLISTS)[number]

const enrolmentsOf = statement(
  'ads_enrolments',
  { app_id: 'int8', level: 'text', allowlists: 'text[]' },
  'select app_id, level, allowlists from ads_enrolment where app_id = any($1::bigint[])',
)

/** Whether an app may use the advertising interface. Of kind `app`, so every change to the app invalidates it. */
export const enrolmentPart = definePart('app', 'ads enrolment', async (db, ids) =>
  keyedBy((row) => row.app_id, await enrolmentsOf.all(db, ids)),
)

const accountsWithUsers = statement(
  'ads_accounts_with_users',
  {
    id: 'int8',
    sandbox: 'bool',
    name: 'text',
    timezone: 'text',
    business_id: 'int8?',
    features: 'text[]',
    campaign_cap: 'int4',
    deleted: 'bool',
    users: 'jsonb?',
  },
  `select a.id, a.sandbox, a.name, a.timezone, a.business_id, a.features, a.campaign_cap, a.deleted,
          (select jsonb_object_agg(u.user_id::text, u.permissions) from ads_account_user u where u.account_id = a.id) as users
     from ads_account a where a.id = any($1::bigint[])`,
)

/** An account and the permissions of its users. Every change to it invalidates `ads_account`. */
export const accountAccessPart = definePart('ads_account', 'access', async (db, ids) =>
  keyedBy((row) => row.id, await accountsWithUsers.all(db, ids)),
)

/** The account of a request, with the caller's permissions on it. */
export interface AccountAccess {
  id: string
  name: string
  timezone: string
  businessId: string | null
  features: ReadonlySet<string>
  campaignCap: number
  deleted: boolean
  permissions: readonly Permission[]
}
