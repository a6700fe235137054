import { digest, type SecretBox } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** Tokens of world files and agents are for programs that run for long. */
export const TEN_YEARS_MS = 10 * 365 * 24 * 3600_000

const oauth1Write = statement(
  'bulk_oauth1_write',
  {},
  `insert into oauth1_access_token (token_hash, token_sealed, secret_sealed, app_id, user_id, access_level, created_at)
   select t.hash, t.token, t.secret, t.app_id, t.user_id, t.level, $7
     from unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::text[]) as t (hash, token, secret, app_id, user_id, level)
   on conflict (app_id, user_id) do update set token_hash = excluded.token_hash, token_sealed = excluded.token_sealed,
     secret_sealed = excluded.secret_sealed, access_level = excluded.access_level`,
)
const oauth2Write = statement(
  'bulk_oauth2_write',
  {},
  `with sent as materialized (
     select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bytea[], $6::bytea[])
       as g (id, app_id, user_id, scopes, access, refresh)
   ), grants as (
     insert into oauth2_grant (id, app_id, user_id, scopes, created_at)
     select id, app_id, user_id, string_to_array(scopes, ' '), $7 from sent
   ), access as (
     insert into oauth2_access_token (token_hash, grant_id, expires_at) select access, id, $8::timestamptz from sent
   )
   insert into oauth2_refresh_token (token_hash, grant_id, expires_at) select refresh, id, $8::timestamptz from sent where refresh is not null`,
)

/** An OAuth 1.0a token of a user for an app. */
export interface NewToken {
  appId: string
  userId: string
  level: string
  token: string
  secret: string
}

/** Stores tokens; they replace earlier ones of the same user and app. */
export async function storeOauth1Tokens(tx: Tx, box: SecretBox, tokens: readonly NewToken[], now: Date): Promise<void> {
  if (tokens.length === 0) return
  await oauth1Write.count(
    tx,
    tokens.map(({ token }) => digest(token)),
    tokens.map(({ token }) => box.seal(token)),
    tokens.map(({ secret }) => box.seal(secret)),
    tokens.map(({ appId }) => appId),
    tokens.map(({ userId }) => userId),
    tokens.map(({ level }) => level),
    now,
  )
}

/** A grant of OAuth 2.0 with its first tokens. */
export interface NewGrant {
  id: string
  appId: string
  userId: string
  scopes: readonly string[]
  access: string
  refresh: string | null
}

export async function storeOauth2Tokens(
  tx: Tx,
  grants: readonly NewGrant[],
  now: number,
  lifeMs: number,
): Promise<void> {
  if (grants.length === 0) return
  await oauth2Write.count(
    tx,
    grants.map(({ id }) => id),
    grants.map(({ appId }) => appId),
    grants.map(({ userId }) => userId),
    grants.map(({ scopes }) => scopes.join(' ')),
    grants.map(({ access }) => digest(access)),
    grants.map(({ refresh }) => (refresh === null ? null : digest(refresh))),
    new Date(now),
    new Date(now + lifeMs),
  )
}
