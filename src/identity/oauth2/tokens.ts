import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { oauth2Error } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { digest, randomText } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { OAUTH2_RANDOM_LENGTH, oauth2TokenOf } from './token-text.ts'

export const ACCESS_TOKEN_LIFE_S = 7_200
const REFRESH_TOKEN_LIFE_MS = 183 * 24 * 3600_000
export const CODE_LIFE_MS = 30_000

export const grantAdd = statement(
  'oauth2_grant_add',
  {},
  'insert into oauth2_grant (id, app_id, user_id, scopes, naming, created_at) values ($1, $2, $3, $4, $5, $6)',
)
export const codeAdd = statement(
  'oauth2_code_add',
  {},
  `insert into oauth2_code (code_hash, grant_id, redirect_uri, challenge, expires_at) values ($1, $2, $3, $4, $5)`,
)
export const codeByHash = statement(
  'oauth2_code_by_hash',
  {
    grant_id: 'int8',
    app_id: 'int8',
    scopes: 'text[]',
    naming: 'text',
    redirect_uri: 'text',
    challenge: 'text',
    used: 'bool',
    expires_at: 'timestamptz',
  },
  `select c.grant_id, g.app_id, g.scopes, g.naming, c.redirect_uri, c.challenge, c.used, c.expires_at
     from oauth2_code c join oauth2_grant g on g.id = c.grant_id where c.code_hash = $1 and not g.revoked`,
)
export const codeUse = statement(
  'oauth2_code_use',
  {},
  'update oauth2_code set used = true where code_hash = $1 and not used',
)
// Locks the grant: a revocation waits for the token and ends it, or comes first and no token is made.
const accessAdd = statement(
  'oauth2_access_token_add',
  {},
  `insert into oauth2_access_token (token_hash, grant_id, expires_at, scopes)
   select $1, id, $3, $4::text[] from oauth2_grant where id = $2 and not revoked for share`,
)
const refreshAdd = statement(
  'oauth2_refresh_token_add',
  {},
  'insert into oauth2_refresh_token (token_hash, grant_id, expires_at) values ($1, $2, $3)',
)
export const refreshByHash = statement(
  'oauth2_refresh_token_by_hash',
  { grant_id: 'int8', app_id: 'int8', scopes: 'text[]', naming: 'text', used: 'bool', expires_at: 'timestamptz' },
  `select r.grant_id, g.app_id, g.scopes, g.naming, r.used, r.expires_at
     from oauth2_refresh_token r join oauth2_grant g on g.id = r.grant_id where r.token_hash = $1 and not g.revoked`,
)
export const refreshUse = statement(
  'oauth2_refresh_token_use',
  {},
  'update oauth2_refresh_token set used = true where token_hash = $1 and not used',
)
export const grantOfToken = statement(
  'oauth2_grant_of_token',
  { grant_id: 'int8', user_id: 'int8' },
  `select g.id as grant_id, g.user_id from oauth2_grant g
    where g.app_id = $2 and not g.revoked
      and (g.id in (select grant_id from oauth2_access_token where token_hash = $1)
        or g.id in (select grant_id from oauth2_refresh_token where token_hash = $1))`,
)
const grantRevoke = statement(
  'oauth2_grant_revoke',
  { id: 'int8' },
  'update oauth2_grant set revoked = true where id = $1 returning id',
)
const grantsOfAppRevoke = statement(
  'oauth2_grants_of_app_revoke',
  { id: 'int8' },
  'update oauth2_grant set revoked = true where app_id = $1 and not revoked returning id',
)
const grantsOfUserRevoke = statement(
  'oauth2_grants_of_user_revoke',
  { id: 'int8' },
  'update oauth2_grant set revoked = true where user_id = $1 and app_id = $2 and not revoked returning id',
)
// Tokens that an operator made, and those of the first world, are of no client that signs in again.
const earlierAdsGrantsRevoke = statement(
  'oauth2_earlier_ads_grants_revoke',
  { id: 'int8' },
  `update oauth2_grant o set revoked = true from oauth2_grant n
    where n.id = $1 and o.user_id = n.user_id and o.app_id = n.app_id and o.id <> n.id
      and o.is_ads_sign_in and not o.revoked
   returning o.id`,
)
const adsSignInNote = statement(
  'oauth2_ads_sign_in_note',
  {},
  'update oauth2_grant set is_ads_sign_in = true where id = $1',
)
const tokensOfGrants = statement(
  'oauth2_tokens_of_grants',
  { token_hash: 'text' },
  `select encode(token_hash, 'hex') as token_hash from oauth2_access_token where grant_id = any($1::bigint[])`,
)

/** Ends a grant and all its tokens. */
export async function revokeGrant(tx: Tx, invalidate: Invalidate, grantId: string): Promise<void> {
  await invalidateTokens(tx, invalidate, await grantRevoke.all(tx, grantId))
}

/** After a sign-in with scopes of advertising, of which each app and user has one: ends the earlier one. */
export async function replaceAdsSignIn(tx: Tx, invalidate: Invalidate, grantId: string): Promise<void> {
  await adsSignInNote.count(tx, grantId)
  await invalidateTokens(tx, invalidate, await earlierAdsGrantsRevoke.all(tx, grantId))
}

/** Ends every grant of an app, including codes that were not exchanged yet. */
export async function revokeGrantsOfApp(tx: Tx, invalidate: Invalidate, appId: string): Promise<void> {
  await invalidateTokens(tx, invalidate, await grantsOfAppRevoke.all(tx, appId))
}

/** Ends every grant of a user for an app in the same way; returns how many there were. */
export async function revokeGrantsOfUser(
  tx: Tx,
  invalidate: Invalidate,
  userId: string,
  appId: string,
): Promise<number> {
  const grants = await grantsOfUserRevoke.all(tx, userId, appId)
  await invalidateTokens(tx, invalidate, grants)
  return grants.length
}

// A separate statement: it also sees the tokens that the revocation waited for.
async function invalidateTokens(tx: Tx, invalidate: Invalidate, grants: { id: string }[]): Promise<void> {
  if (grants.length === 0) return
  const ids = grants.map((grant) => grant.id)
  for (const row of await tokensOfGrants.all(tx, ids)) invalidate('bearer', row.token_hash)
}

/** Revokes the access a user granted to an app, and emits an event for it. */
export async function revokeGrantedAccess(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  grant: { id: string; userId: string; appId: string },
): Promise<void> {
  await revokeGrant(tx, invalidate, grant.id)
  await emit(tx, runtime, { type: 'oauth.revoke', actorId: grant.userId, payload: { app_id: grant.appId } })
}

export const badToken = (reason: string) =>
  oauth2Error(400, 'invalid_request', 'Value passed for the token was invalid.', reason)

/** A new token. */
export const makeToken = (now: number, kind: 'ac' | 'at' | 'rt'): string =>
  oauth2TokenOf(randomText(OAUTH2_RANDOM_LENGTH), now, kind)

export const makeCode = (now: number): string => makeToken(now, 'ac')

/**
 * New tokens of a grant, with a refresh token if offline access was granted. `narrowed` are the scopes of the access token where
 * they are fewer than the grant's; the refresh token keeps those of the grant. Refuses when the grant was revoked meanwhile.
 */
export async function issueTokens(
  tx: Tx,
  grant: { id: string; scopes: string[] },
  now: number,
  narrowed?: readonly string[],
): Promise<{ access: string; refresh: string | undefined }> {
  const access = makeToken(now, 'at')
  const expires = new Date(now + ACCESS_TOKEN_LIFE_S * 1000)
  if ((await accessAdd.count(tx, digest(access), grant.id, expires, narrowed ?? null)) === 0)
    throw badToken('the grant was revoked at this moment')
  if (!grant.scopes.includes('offline.access')) return { access, refresh: undefined }
  const refresh = makeToken(now, 'rt')
  await refreshAdd.count(tx, digest(refresh), grant.id, new Date(now + REFRESH_TOKEN_LIFE_MS))
  return { access, refresh }
}
