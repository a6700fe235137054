import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { statement } from '../../storage/statement.ts'

/** What a user may be on an account. */
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

/** What an operation does to an account, and who may do it. */
export const MAY = {
  'know the account': PERMISSIONS,
  'change settings': ['ACCOUNT_ADMIN'],
  'see campaigns': VIEWERS,
  'manage campaigns': MANAGERS,
  'see creatives': VIEWERS,
  'manage creatives': [...MANAGERS, 'CREATIVE_MANAGER'],
  'see audiences': [...MANAGERS, 'CAMPAIGN_ANALYST', 'PARTNER_AUDIENCE_MANAGER'],
  'manage audiences': [...MANAGERS, 'PARTNER_AUDIENCE_MANAGER'],
  'see insights': [...VIEWERS, 'ANALYST'],
} satisfies Record<string, readonly Permission[]>
export type Doing = keyof typeof MAY

/** Closed parts of the interface that an app is let into one by one. */
export const ALLOWLISTS = [
  'account_history',
  'catalogs',
  'audience_users',
  'batch_audiences',
  'advertiser_user',
  'partner_funding',
  'recommendations',
] as const
export type Allowlist = (typeof ALLOWLISTS)[number]

const enrolmentsOf = statement(
  'ads_enrolments',
  { app_id: 'int8', level: 'text', allowlists: 'text[]' },
  'select app_id, level, allowlists from ads_enrolment where app_id = any($1::bigint[])',
)

/** Whether an app is let into the advertising interface. Kind `app`: what changes an app forgets it. */
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

/** An account and who may do what on it. Every change of it touches `ads_account`. */
export const accountAccessPart = definePart('ads_account', 'access', async (db, ids) =>
  keyedBy((row) => row.id, await accountsWithUsers.all(db, ids)),
)

/** The account of a request, as its caller reaches it. */
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
