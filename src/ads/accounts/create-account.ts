import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { Permission } from '../kit/access.ts'
import { wholeSecond } from '../kit/times.ts'
import { FEATURES } from './features.data.ts'

const accountAdd = statement(
  'ads_account_add',
  {},
  `insert into ads_account (id, sandbox, name, business_id, business_name, timezone, industry_type, features, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $9, $9)`,
)
const userGrant = statement(
  'ads_account_user_grant',
  {},
  `insert into ads_account_user (account_id, user_id, permissions) values ($1, $2, $3::text[])
   on conflict (account_id, user_id) do update set permissions = excluded.permissions`,
)
const userRemove = statement(
  'ads_account_user_remove',
  {},
  'delete from ads_account_user where account_id = $1 and user_id = $2',
)
const promotableAdd = statement(
  'ads_promotable_user_add',
  {},
  `insert into ads_promotable_user (id, account_id, user_id, promotable_user_type, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (account_id, user_id) where not deleted do nothing`,
)

/** A new account and its owner. */
export interface AccountDraft {
  id?: string
  ownerUserId: string
  sandbox: boolean
  name: string
  timezone?: string
  businessId?: string | null
  businessName?: string | null
  industryType?: string | null
  /** All features unless given. */
  features?: readonly string[]
}

const OWNER_PERMISSIONS: Permission[] = ['ACCOUNT_ADMIN', 'POST_COMPOSER']

/** Creates an account. Its owner becomes its administrator and its FULL promotable user. */
export async function createAccount(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  draft: AccountDraft,
): Promise<string> {
  const id = draft.id ?? runtime.ids.next()
  const now = wholeSecond(runtime.clock.now())
  await accountAdd.count(
    tx,
    id,
    draft.sandbox,
    draft.name,
    draft.businessId ?? null,
    draft.businessName ?? null,
    draft.timezone ?? 'America/Los_Angeles',
    draft.industryType ?? null,
    [...(draft.features ?? FEATURES)].sort(),
    now,
  )
  await grantAccess(tx, invalidate, id, draft.ownerUserId, OWNER_PERMISSIONS)
  await addPromotableUser(tx, runtime, id, draft.ownerUserId, 'FULL')
  return id
}

/** Lets an account promote the posts of a user. Does nothing when it already may. */
export async function addPromotableUser(
  tx: Tx,
  runtime: Runtime,
  accountId: string,
  userId: string,
  type: 'FULL' | 'REPOSTS_ONLY',
): Promise<void> {
  await promotableAdd.count(tx, runtime.ids.next(), accountId, userId, type, wholeSecond(runtime.clock.now()))
}

/** Sets the permissions of a user on an account. Without permissions the user is removed from it. */
export async function grantAccess(
  tx: Tx,
  invalidate: Invalidate,
  accountId: string,
  userId: string,
  permissions: readonly Permission[],
): Promise<void> {
  if (permissions.length === 0) await userRemove.count(tx, accountId, userId)
  else await userGrant.count(tx, accountId, userId, [...permissions])
  invalidate('ads_account', accountId)
}
