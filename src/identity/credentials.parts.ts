import type { PermissionLevel, Tier } from '../api-kit/declaring/caller.ts'
import { definePart, keyedBy } from '../api-kit/declaring/part.ts'
import { type RowOf, statement } from '../storage/statement.ts'

const appColumns = {
  id: 'int8',
  project_id: 'int8',
  developer_account_id: 'int8',
  owner_user_id: 'int8',
  name: 'text',
  description: 'text',
  website_url: 'text',
  api_key: 'text',
  api_key_secret_sealed: 'bytea',
  client_id: 'text',
  client_secret_hash: 'bytea',
  bearer_token_sealed: 'bytea?',
  callback_urls: 'text[]',
  permission_level: 'text',
  sign_in_enabled: 'bool',
  client_type: 'text',
  tier: 'text',
  naming: 'text',
  suspended: 'bool',
} as const

const appSelect = `select a.id, a.project_id, p.developer_account_id, a.owner_user_id, a.name, a.description, a.website_url, a.api_key,
  a.api_key_secret_sealed, a.client_id, a.client_secret_hash, a.bearer_token_sealed, a.callback_urls, a.permission_level, a.sign_in_enabled,
  a.client_type, a.tier, a.naming, a.suspended
  from client_app a join project p on p.id = a.project_id`

type AppRow = RowOf<typeof appColumns>

/** An app, with its credentials and settings. */
export type App = Omit<AppRow, 'permission_level' | 'tier' | 'client_type' | 'naming'> & {
  permission_level: PermissionLevel
  tier: Tier
  client_type: 'confidential' | 'public'
  naming: 'auto' | 'legacy'
}

const appsById = statement('identity_apps_by_id', appColumns, `${appSelect} where a.id = any($1::bigint[])`)

/** Apps by id. Every change to an app invalidates kind `app`. */
export const appPart = definePart<App>('app', 'row', async (db, ids) =>
  keyedBy((row) => row.id, (await appsById.all(db, ids)) as App[]),
)

const appIdsByApiKey = statement(
  'identity_app_ids_by_api_key',
  { api_key: 'text', id: 'int8' },
  'select api_key, id from client_app where api_key = any($1::text[])',
)
const appIdsByClientId = statement(
  'identity_app_ids_by_client_id',
  { client_id: 'text', id: 'int8' },
  'select client_id, id from client_app where client_id = any($1::text[])',
)

/** App id by API key. Rotation invalidates kind `api_key`. */
export const apiKeyPart = definePart<string>(
  'api_key',
  'app',
  async (db, keys) => new Map((await appIdsByApiKey.all(db, keys)).map((row) => [row.api_key, row.id])),
)

/** App id by client id. */
export const clientIdPart = definePart<string>(
  'client_id',
  'app',
  async (db, ids) => new Map((await appIdsByClientId.all(db, ids)).map((row) => [row.client_id, row.id])),
)

/** What a bearer token stands for. */
export interface Bearer {
  token_hash: string
  app_id: string
  user_id: string | null
  grant_id: string | null
  scopes: string[]
  /** The spelling in which its scopes were asked for. */
  naming: string
  expires_at: Date | null
  /** Invalidated, replaced or revoked. */
  ended: boolean
}

const bearersByHash = statement(
  'identity_bearers_by_hash',
  {
    token_hash: 'text',
    app_id: 'int8',
    user_id: 'int8?',
    grant_id: 'int8?',
    scopes: 'text[]',
    naming: 'text',
    expires_at: 'timestamptz?',
    ended: 'bool',
  },
  `select encode(t.token_hash, 'hex') as token_hash, g.app_id, g.user_id, g.id as grant_id, coalesce(t.scopes, g.scopes) as scopes, g.naming, t.expires_at, g.revoked as ended
     from oauth2_access_token t join oauth2_grant g on g.id = t.grant_id
    where t.token_hash = any(select decode(h, 'hex') from unnest($1::text[]) h)
   union all
   select encode(bearer_token_hash, 'hex'), id, null, null, '{}', 'neutral', null, false
     from client_app
    where bearer_token_hash = any(select decode(h, 'hex') from unnest($1::text[]) h)
   union all
   select encode(token_hash, 'hex'), app_id, null, null, '{}', 'neutral', null, true
     from ended_bearer_token
    where token_hash = any(select decode(h, 'hex') from unnest($1::text[]) h)`,
)

/** Bearer tokens of both kinds by the hex digest of their text. Revocation invalidates kind `bearer`. */
export const bearerPart = definePart<Bearer>('bearer', 'row', async (db, hashes) =>
  keyedBy((row) => row.token_hash, await bearersByHash.all(db, hashes)),
)

const oauth1TokensByHash = statement(
  'identity_oauth1_tokens_by_hash',
  { token_hash: 'text', secret_sealed: 'bytea', app_id: 'int8', user_id: 'int8', access_level: 'text' },
  `select encode(token_hash, 'hex') as token_hash, secret_sealed, app_id, user_id, access_level
     from oauth1_access_token
    where token_hash = any(select decode(h, 'hex') from unnest($1::text[]) h)`,
)

/** OAuth 1.0a access tokens by the hex digest of their text. Revocation invalidates kind `oauth1_token`. */
export const oauth1TokenPart = definePart('oauth1_token', 'row', async (db, hashes) =>
  keyedBy((row) => row.token_hash, await oauth1TokensByHash.all(db, hashes)),
)

const accountsById = statement(
  'identity_accounts_by_id',
  { id: 'int8', username: 'text', name: 'text', suspended: 'bool', profile_image_url: 'text?' },
  'select id, username, name, suspended, profile_image_url from user_account where id = any($1::bigint[]) and deactivated_at is null',
)

/** What sign-in needs of a user. Every change to a user invalidates kind `user`. */
export const accountPart = definePart('user', 'account', async (db, ids) =>
  keyedBy((row) => row.id, await accountsById.all(db, ids)),
)
