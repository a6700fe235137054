import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import type { Invalidate } from '../../api-kit/runtime.ts'
import { digest, randomText, type SecretBox } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

export const REQUEST_TOKEN_LIFE_MS = 15 * 60_000

export const requestTokenAdd = statement(
  'oauth1_request_token_add',
  {},
  `insert into oauth1_request_token (token_hash, secret_sealed, app_id, callback, access_level, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
export const requestTokenByHash = statement(
  'oauth1_request_token_by_hash',
  {
    secret_sealed: 'bytea',
    app_id: 'int8',
    callback: 'text',
    access_level: 'text',
    user_id: 'int8?',
    verifier_hash: 'bytea?',
  },
  `select secret_sealed, app_id, callback, access_level, user_id, verifier_hash
     from oauth1_request_token where token_hash = $1 and expires_at > $2`,
)
export const requestTokenApprove = statement(
  'oauth1_request_token_approve',
  {},
  'update oauth1_request_token set user_id = $2, verifier_hash = $3 where token_hash = $1 and user_id is null',
)
/** The stored form of a verifier. It uses the secret key, because a PIN has so few digits that a plain digest is easy to guess. */
export const verifierDigest = (secretBox: SecretBox, requestToken: string, verifier: string): Buffer =>
  Buffer.from(secretBox.sign(`verifier ${requestToken} ${verifier}`), 'base64url')

export const requestTokenRemove = statement(
  'oauth1_request_token_remove',
  {},
  'delete from oauth1_request_token where token_hash = $1',
)

/** Keeps the pair of an earlier grant; its level becomes that of the newest approval. */
const accessTokenAdd = statement(
  'oauth1_access_token_add',
  { token_hash: 'bytea', token_sealed: 'bytea', secret_sealed: 'bytea' },
  `insert into oauth1_access_token (token_hash, token_sealed, secret_sealed, app_id, user_id, access_level, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (app_id, user_id) do update set access_level = excluded.access_level
   returning token_hash, token_sealed, secret_sealed`,
)
export const grantedLevel = statement(
  'oauth1_granted_level',
  { access_level: 'text' },
  'select access_level from oauth1_access_token where app_id = $1 and user_id = $2',
)
export const accessTokenRemove = statement(
  'oauth1_access_token_remove',
  { token_sealed: 'bytea', app_id: 'int8', user_id: 'int8' },
  'delete from oauth1_access_token where token_hash = $1 returning token_sealed, app_id, user_id',
)

/** A token and its secret. */
export interface TokenPair {
  token: string
  secret: string
}

/** The access token of a user for an app: the existing one, or a new one. */
export async function issueAccessToken(
  tx: Tx,
  invalidate: Invalidate,
  secretBox: SecretBox,
  grant: { appId: string; userId: string; level: PermissionLevel; now: number; pair?: TokenPair },
): Promise<TokenPair> {
  const fresh = grant.pair ?? { token: `${grant.userId}-${randomText(30)}`, secret: randomText(45) }
  const row = await accessTokenAdd.first(
    tx,
    digest(fresh.token),
    secretBox.seal(fresh.token),
    secretBox.seal(fresh.secret),
    grant.appId,
    grant.userId,
    grant.level,
    new Date(grant.now),
  )
  invalidate('oauth1_token', row!.token_hash.toString('hex'))
  return { token: secretBox.open(row!.token_sealed), secret: secretBox.open(row!.secret_sealed) }
}
