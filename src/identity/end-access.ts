import type { Invalidate, Runtime } from '../api-kit/runtime.ts'
import { emit } from '../events/emit.ts'
import type { Tx } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import { revokeGrantsOfUser } from './oauth2/tokens.ts'

const requestTokensDrop = statement(
  'access_request_tokens_drop',
  {},
  'delete from oauth1_request_token where user_id = $1 and app_id = $2 and expires_at > $3',
)
const accessTokensDrop = statement(
  'access_oauth1_tokens_drop',
  { token_hash: 'text' },
  `delete from oauth1_access_token where user_id = $1 and app_id = $2 returning encode(token_hash, 'hex') as token_hash`,
)

/**
 * Revokes the access a user granted to an app and emits one event for it. This includes approvals that the app has not yet
 * exchanged for a token. Returns how many grants of each kind there were.
 */
export async function endAccess(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  { userId, appId }: { userId: string; appId: string },
): Promise<{ oauth1: number; oauth2: number }> {
  const oauth2 = await revokeGrantsOfUser(tx, invalidate, userId, appId)
  // In this order: an exchange in progress removes the request token first and then adds the access token.
  const approved = await requestTokensDrop.count(tx, userId, appId, new Date(runtime.clock.now()))
  const tokens = await accessTokensDrop.all(tx, userId, appId)
  invalidate('oauth1_token', ...tokens.map((row) => row.token_hash))
  const oauth1 = approved + tokens.length
  if (oauth1 + oauth2 > 0)
    await emit(tx, runtime, { type: 'oauth.revoke', actorId: userId, payload: { app_id: appId } })
  return { oauth1, oauth2 }
}
