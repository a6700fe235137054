import { SCOPES } from '../../../identity/oauth2/scopes.ts'
import { digest } from '../../../process/secret-box.ts'
import { statement } from '../../../storage/statement.ts'
import { FIRST_APPS, firstAppId, firstAppSecrets, firstPassword, firstUserId } from '../../first-facts.ts'
import { readFirstOauth2Pairs } from '../../first-oauth2.ts'
import { FIRST_USERS } from '../../first-world.data.ts'
import { APP_COLUMNS, SELECT_APPS } from '../app-columns.ts'
import type { WorldApp, WorldToken, WorldUser } from '../people.schema.ts'
import { itemsMade } from '../world-items.ts'
import { typedAgain } from './export-texts.ts'
import { type Exporting, MOST_EXPORTED } from './exporting.ts'

const usersAll = statement(
  'export_users',
  {
    id: 'int8',
    username: 'text',
    name: 'text',
    description: 'text',
    description_entities: 'jsonb?',
    location: 'text',
    url: 'text',
    url_entities: 'jsonb?',
    profile_image_url: 'text?',
    profile_banner_url: 'text?',
    protected: 'bool',
    suspended: 'bool',
    verified_type: 'text',
    subscription_type: 'text',
    geo_enabled: 'bool',
    receives_messages_from_everyone: 'bool',
    created_at: 'timestamptz',
    pinned_post_id: 'int8?',
    email: 'text?',
    password_changed: 'bool?',
  },
  `select u.id, u.username, u.name, u.description, u.description_entities, u.location, u.url, u.url_entities, u.profile_image_url,
          u.profile_banner_url, u.protected, u.suspended, u.verified_type, u.subscription_type, u.geo_enabled, u.receives_messages_from_everyone,
          u.created_at, u.pinned_post_id, s.email, s.password_changed
     from user_account u left join user_sign_in s on s.user_id = u.id order by u.id limit $1`,
)
const RELATIONS = { source_id: 'int8', target_id: 'int8' } as const
const followsAll = statement(
  'export_follows',
  RELATIONS,
  'select source_id, target_id from follow where not pending order by source_id, id limit $1',
)
const blocksAll = statement(
  'export_blocks',
  RELATIONS,
  'select source_id, target_id from block order by source_id, id limit $1',
)
const mutesAll = statement(
  'export_mutes',
  RELATIONS,
  'select source_id, target_id from mute order by source_id, id limit $1',
)
const appsAll = statement('export_apps', APP_COLUMNS, `${SELECT_APPS} order by a.id limit $1`)
const oauth1All = statement(
  'export_oauth1_tokens',
  { app_id: 'int8', user_id: 'int8', access_level: 'text', token_sealed: 'bytea', secret_sealed: 'bytea' },
  'select app_id, user_id, access_level, token_sealed, secret_sealed from oauth1_access_token order by user_id, app_id limit $1',
)
const oauth2Known = statement(
  'export_oauth2_tokens',
  { token_hash: 'text', app_id: 'int8', user_id: 'int8', scopes: 'text[]' },
  `select encode(t.token_hash, 'hex') as token_hash, g.app_id, g.user_id, g.scopes
     from oauth2_access_token t join oauth2_grant g on g.id = t.grant_id
    where t.token_hash = any($1::bytea[]) and not g.revoked and t.expires_at > $2`,
)

/** The apps of a server, with the secrets that can be read. */
export async function exportApps(run: Exporting): Promise<WorldApp[]> {
  const { tx, runtime } = run
  const rows = await appsAll.all(tx, MOST_EXPORTED.apps)
  const made = await itemsMade(tx, runtime.secretBox, 'app', MOST_EXPORTED.apps)
  const secrets = new Map(made.map((item) => [item.id, item.secrets]))
  for (const [index] of FIRST_APPS.entries())
    if (!secrets.has(firstAppId(index)))
      secrets.set(firstAppId(index), { client_secret: firstAppSecrets(runtime, index).client_secret })
  return rows.map((row) => {
    run.appIds.add(row.id)
    const known = secrets.get(row.id)
    const secret = known?.generated ? undefined : known?.client_secret
    return {
      id: row.id,
      name: row.name,
      owner: run.username(row.owner_user_id),
      tier: row.tier as WorldApp['tier'],
      permission_level: row.permission_level as WorldApp['permission_level'],
      client_type: row.client_type as WorldApp['client_type'],
      ...(row.callback_urls.length > 0 ? { callback_urls: row.callback_urls } : {}),
      ...(row.description ? { description: row.description } : {}),
      ...(row.website_url ? { website_url: row.website_url } : {}),
      ...(row.sign_in_enabled ? {} : { sign_in_enabled: false }),
      ...(row.naming === 'auto' ? {} : { naming: 'legacy' as const }),
      ...(row.suspended ? { suspended: true } : {}),
      api_key: row.api_key,
      api_key_secret: runtime.secretBox.open(row.api_key_secret_sealed),
      client_id: row.client_id,
      ...(secret !== undefined && digest(secret).equals(row.client_secret_hash) ? { client_secret: secret } : {}),
      ...(row.bearer_token_sealed ? { bearer_token: runtime.secretBox.open(row.bearer_token_sealed) } : {}),
      ...(row.ads_level
        ? { ads: { level: row.ads_level, allowlists: [...(row.allowlists ?? [])].sort() } as WorldApp['ads'] }
        : {}),
    }
  })
}

/** The users of a server, with relations, tokens and the passwords that are known. */
export async function exportUsers(run: Exporting): Promise<WorldUser[]> {
  const { tx } = run
  const rows = await usersAll.all(tx, MOST_EXPORTED.users + 1)
  run.checkBound('users', rows.length, MOST_EXPORTED.users)
  for (const row of rows) run.usernames.set(row.id, row.username)
  const [follows, blocks, mutes] = [
    grouped(run, await followsAll.all(tx, MOST_EXPORTED.rows)),
    grouped(run, await blocksAll.all(tx, MOST_EXPORTED.rows)),
    grouped(run, await mutesAll.all(tx, MOST_EXPORTED.rows)),
  ]
  const tokens = await readTokens(run)
  const passwords = await readPasswords(run)
  return rows.map((row) => {
    const password = row.password_changed ? undefined : passwords.get(row.id)
    return {
      username: row.username,
      id: row.id,
      name: row.name,
      ...(password === undefined ? {} : { password }),
      ...given('email', row.email),
      ...given('description', typedAgain(row.description, row.description_entities)),
      ...given('location', row.location),
      ...given('url', typedAgain(row.url, row.url_entities)),
      ...given('profile_image_url', row.profile_image_url),
      ...given('profile_banner_url', row.profile_banner_url),
      ...(row.protected ? { protected: true } : {}),
      ...(row.suspended ? { suspended: true } : {}),
      verified_type: row.verified_type as WorldUser['verified_type'],
      subscription_type: row.subscription_type as WorldUser['subscription_type'],
      ...(row.geo_enabled ? {} : { geo_enabled: false }),
      ...(row.receives_messages_from_everyone ? {} : { receives_messages_from_everyone: false }),
      created_at: row.created_at.toISOString(),
      ...(row.pinned_post_id === null ? {} : { pinned_post: row.pinned_post_id }),
      ...listed('tokens', tokens.get(row.id)),
      ...listed('follows', follows.get(row.id)),
      ...listed('blocks', blocks.get(row.id)),
      ...listed('mutes', mutes.get(row.id)),
    }
  })
}

const given = <K extends string>(name: K, value: string | null): Partial<Record<K, string>> =>
  value ? ({ [name]: value } as Record<K, string>) : {}
const listed = <K extends string, V>(name: K, values: V[] | undefined): Partial<Record<K, V[]>> =>
  values ? ({ [name]: values } as Record<K, V[]>) : {}

function grouped(run: Exporting, rows: { source_id: string; target_id: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { source_id, target_id } of rows) {
    const group = groups.get(source_id) ?? []
    group.push(run.username(target_id))
    groups.set(source_id, group)
  }
  return groups
}

async function readPasswords({ tx, runtime }: Exporting): Promise<Map<string, string>> {
  const passwords = new Map(FIRST_USERS.map((_, index) => [firstUserId(index), firstPassword(runtime, index)]))
  for (const { id, secrets } of await itemsMade(tx, runtime.secretBox, 'user', MOST_EXPORTED.users))
    if (secrets.password !== undefined) passwords.set(id, secrets.password)
  return passwords
}

async function readTokens({ tx, runtime }: Exporting): Promise<Map<string, WorldToken[]>> {
  const box = runtime.secretBox
  const tokens = new Map<string, Map<string, WorldToken>>()
  const of = (userId: string, appId: string): WorldToken => {
    const apps = tokens.get(userId) ?? new Map<string, WorldToken>()
    tokens.set(userId, apps)
    const token = apps.get(appId) ?? { app: appId }
    apps.set(appId, token)
    return token
  }
  for (const row of await oauth1All.all(tx, MOST_EXPORTED.rows))
    Object.assign(of(row.user_id, row.app_id), {
      access_token: box.open(row.token_sealed),
      access_token_secret: box.open(row.secret_sealed),
      access_level: row.access_level,
    })
  const pairs = (await itemsMade(tx, box, 'user', MOST_EXPORTED.users)).flatMap(({ secrets }) =>
    Object.values(secrets.oauth2 ?? {}),
  )
  for (const { access, refresh } of await readFirstOauth2Pairs(runtime))
    if (access) pairs.push({ access, refresh: refresh ?? null })
  const byHash = new Map(pairs.map((pair) => [digest(pair.access).toString('hex'), pair]))
  const hashes = pairs.map((pair) => digest(pair.access))
  for (const row of await oauth2Known.all(tx, hashes, new Date(runtime.clock.now()))) {
    const pair = byHash.get(row.token_hash)!
    Object.assign(of(row.user_id, row.app_id), {
      oauth2_access_token: pair.access,
      ...(pair.refresh === null ? {} : { oauth2_refresh_token: pair.refresh }),
      scopes: row.scopes.filter((scope) => SCOPES.has(scope)).sort(),
    })
  }
  return new Map(
    [...tokens].map(([userId, apps]) => [
      userId,
      [...apps.values()].sort((left, right) => (left.app < right.app ? -1 : 1)),
    ]),
  )
}
