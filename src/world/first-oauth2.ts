import type { Runtime } from '../api-kit/runtime.ts'
import { SCOPES } from '../identity/oauth2/scopes.ts'
import { digest } from '../process/secret-box.ts'
import type { Db } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import { firstAppId, firstGrantId, firstOauth2Pair, firstUserId } from './first-facts.ts'
import { FIRST_USERS } from './first-world.data.ts'

// Later than any time that the clock can be moved to: a file with credentials must not stop working after two hours.
const ENDS_AT = new Date(Date.UTC(9999, 0, 1))

const pairsAdd = statement(
  'first_oauth2_pairs_add',
  {},
  `with known as (
     select k.* from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[]) as k (grant_id, user_id, access_hash, refresh_hash)
       join user_account u on u.id = k.user_id join client_app a on a.id = $5
   ), granted as (
     insert into oauth2_grant (id, app_id, user_id, scopes, created_at) select grant_id, $5, user_id, $6::text[], $7 from known on conflict do nothing
   ), access as (
     insert into oauth2_access_token (token_hash, grant_id, expires_at) select access_hash, grant_id, $8 from known on conflict do nothing
   )
   insert into oauth2_refresh_token (token_hash, grant_id, expires_at) select refresh_hash, grant_id, $8 from known on conflict do nothing`,
)
const validHashes = statement(
  'first_oauth2_valid',
  { token_hash: 'text' },
  `select encode(t.token_hash, 'hex') as token_hash from oauth2_access_token t join oauth2_grant g on g.id = t.grant_id
    where t.token_hash = any($1::bytea[]) and not g.revoked and t.expires_at > $2
   union all
   select encode(r.token_hash, 'hex') from oauth2_refresh_token r join oauth2_grant g on g.id = r.grant_id
    where r.token_hash = any($1::bytea[]) and not g.revoked and not r.used and r.expires_at > $2`,
)

const indexes = [...FIRST_USERS.keys()]

/** Gives each first user an OAuth 2.0 pair for the first app, with every scope. A pair that was there before stays as it is, also when it was revoked. */
export async function giveFirstOauth2Pairs(db: Db, runtime: Runtime): Promise<void> {
  const pairs = indexes.map((index) => firstOauth2Pair(runtime, index))
  await pairsAdd.count(
    db,
    indexes.map(firstGrantId),
    indexes.map(firstUserId),
    pairs.map((pair) => digest(pair.access)),
    pairs.map((pair) => digest(pair.refresh)),
    firstAppId(0),
    [...SCOPES],
    new Date(runtime.clock.now()),
    ENDS_AT,
  )
}

/** The pairs of the first users, in their order; without the tokens that are no longer valid. */
export async function readFirstOauth2Pairs(
  runtime: Runtime,
): Promise<{ access: string | undefined; refresh: string | undefined }[]> {
  const pairs = indexes.map((index) => firstOauth2Pair(runtime, index))
  const tokens = pairs.flatMap((pair) => [pair.access, pair.refresh])
  const valid = await validTokens(runtime, tokens)
  const ifValid = (token: string) => (valid.has(token) ? token : undefined)
  return pairs.map((pair) => ({ access: ifValid(pair.access), refresh: ifValid(pair.refresh) }))
}

/** The OAuth 2.0 tokens among these that can be used now. */
export async function validTokens(runtime: Runtime, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await validHashes.all(runtime.database, tokens.map(digest), new Date(runtime.clock.now()))
  const valid = new Set(rows.map((row) => row.token_hash))
  return new Set(tokens.filter((token) => valid.has(digest(token).toString('hex'))))
}
