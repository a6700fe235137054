import type { Caller } from '../../../api-kit/declaring/caller.ts'
import type { Runtime } from '../../../api-kit/runtime.ts'
import type { Exchange, Headers, ServeOptions } from '../../../api-kit/serving/serve-request.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { type AccountAccess, accountAccessPart, enrolmentPart, MAY, type Permission } from '../access.ts'
import { refusal } from '../errors.ts'
import { countAccountUse, countUserUse } from '../limits.ts'
import type { AdsOperation } from '../operation.ts'
import { parseBase36 } from '../values.ts'

/** The caller and, on account paths, the account. */
export interface Admitted {
  caller: Caller
  user: { id: string; username: string }
  account: AccountAccess
  allowlists: ReadonlySet<string>
}

/** Checks who calls: signature, enrolment of the app, limits, then the account and the user's role on it. */
export async function admit(
  operation: AdsOperation,
  accountId: string | undefined,
  sandbox: boolean,
  exchange: Exchange,
  serveOptions: ServeOptions,
): Promise<Admitted> {
  const { runtime } = serveOptions
  const caller = await serveOptions.authenticate(exchange.facts, exchange.notes)
  exchange.notes.caller = caller
  if (caller.app.naming === 'legacy') exchange.naming = adsLegacyNaming
  if (caller.kind !== 'oauth1' || !caller.user)
    throw refusal('UNAUTHORIZED_ACCESS', 'This interface takes only OAuth 1.0a user context')
  return admitUser(operation, { caller, user: caller.user, accountId, sandbox }, exchange.headers, runtime)
}

/** Checks what a user who is known may do through an app: enrolment of the app, limits, then the account and the user's role on it. */
export async function admitUser(
  operation: AdsOperation,
  who: { caller: Caller; user: NonNullable<Caller['user']>; accountId: string | undefined; sandbox: boolean },
  headers: Headers,
  runtime: Runtime,
): Promise<Admitted> {
  const { caller, user } = who
  const enrolment = await runtime.parts.one(enrolmentPart, caller.app.id)
  if (enrolment?.level !== 'standard' && !(enrolment && operation.forConversions))
    throw notEnrolled(enrolment ? 'the app is enrolled for conversions only' : 'the app is not enrolled')
  const allowlists = new Set(enrolment.allowlists)
  if (operation.allowlist && !allowlists.has(operation.allowlist))
    throw refusal('UNAUTHORIZED_CLIENT_APPLICATION', 'The client application may not use this call', {
      details: `the app is not on the allowlist ${operation.allowlist}`,
    })
  if (operation.method !== 'GET' && caller.level === 'read') throw readOnlyToken()
  const id = who.accountId === undefined ? undefined : accountIdOf(who.accountId)
  const use = { limit: operation.limit, operation: operation.id }
  await countUserUse(runtime, { ...use, owner: `${caller.app.id}:${user.id}` }, headers)
  if (id === undefined) return { caller, user, account: NO_ACCOUNT, allowlists }
  const account = await reach(id, user.id, operation, who.sandbox, runtime)
  await countAccountUse(runtime, { ...use, account: id }, headers)
  return { caller, user, account, allowlists }
}

// Operations without an account in their path never read it.
const NO_ACCOUNT = undefined as unknown as AccountAccess

function accountIdOf(text: string): string {
  if (/[^0-9A-Za-z]/.test(text))
    throw refusal('INVALID_ID_ILLEGAL_CHARACTERS', 'The id has characters that are not allowed in ids', {
      parameter: 'account_id',
    })
  const id = parseBase36(text)
  if (id === undefined) throw unknownAccount(text)
  return id
}

export const notEnrolled = (details: string) =>
  refusal('UNAUTHORIZED_CLIENT_APPLICATION', 'The client application may not use the advertising interface', {
    details,
  })

export const readOnlyToken = () => refusal('READONLY_CLIENT_APPLICATION', 'The token allows only reading')

export const actionNotAllowed = (details: string) =>
  refusal('ACTION_NOT_ALLOWED', 'The user may not do this on the account', { details })

export const unknownAccount = (value: string) =>
  refusal('ACCOUNT_NOT_FOUND', 'The account does not exist, or the user is not associated with it', {
    parameter: 'account_id',
    value,
  })

async function reach(
  id: string,
  userId: string,
  operation: AdsOperation,
  sandbox: boolean,
  runtime: Runtime,
): Promise<AccountAccess> {
  const row = await runtime.parts.one(accountAccessPart, id)
  const permissions = (row?.users as Record<string, Permission[]> | null | undefined)?.[userId]
  if (!row || row.sandbox !== sandbox || !permissions || (row.deleted && !operation.seesDeletedAccount))
    throw unknownAccount(BigInt(id).toString(36))
  const allowed: readonly Permission[] = MAY[operation.may]
  if (!permissions.some((permission) => allowed.includes(permission)))
    throw actionNotAllowed(`needs one of ${allowed.join(', ')}`)
  return {
    id,
    name: row.name,
    timezone: row.timezone,
    businessId: row.business_id,
    features: new Set(row.features),
    campaignCap: row.campaign_cap,
    deleted: row.deleted,
    permissions,
  }
}
