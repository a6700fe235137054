import type { PermissionLevel, Tier } from '../../api-kit/declaring/caller.ts'
import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { digest, randomText } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { keepEnded, makeBearerToken } from '../app-only/bearer-token.ts'
import { revokeGrantsOfApp } from '../oauth2/tokens.ts'
import { firstProject, type Project } from './projects.ts'

/** The settings of a new app. */
export interface AppDraft {
  name: string
  ownerUserId: string
  /** Default: the owner's first project. */
  project?: Project
  tier: Tier
  permissionLevel: PermissionLevel
  clientType: 'confidential' | 'public'
  callbackUrls: string[]
  description?: string
  websiteUrl?: string
  signInEnabled?: boolean
  naming?: 'auto' | 'legacy'
}

/** The secrets of an app: shown once, stored sealed or hashed. */
export interface AppSecrets {
  api_key: string
  api_key_secret: string
  client_id: string
  client_secret: string
  bearer_token: string
}

const appAdd = statement(
  'client_app_add',
  {},
  `insert into client_app (id, project_id, owner_user_id, name, description, website_url, api_key, api_key_secret_sealed, client_id,
     client_secret_hash, bearer_token_hash, bearer_token_sealed, callback_urls, permission_level, sign_in_enabled, client_type, tier, naming, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
)
const appSecretsSet = statement(
  'client_app_secrets_set',
  { old_api_key: 'text', old_client_id: 'text', old_bearer: 'text?' },
  `with old as (select id, api_key, client_id, bearer_token_hash from client_app where id = $1 for update)
   update client_app a set api_key = $2, api_key_secret_sealed = $3, client_id = $4, client_secret_hash = $5,
     bearer_token_hash = $6, bearer_token_sealed = $7
   from old where a.id = old.id
   returning old.api_key as old_api_key, old.client_id as old_client_id, encode(old.bearer_token_hash, 'hex') as old_bearer`,
)
const appRequestsDrop = statement('client_app_requests_drop', {}, 'delete from oauth1_request_token where app_id = $1')
const appTokensDrop = statement(
  'client_app_tokens_drop',
  { token_hash: 'text' },
  `delete from oauth1_access_token where app_id = $1 returning encode(token_hash, 'hex') as token_hash`,
)

/** New random secrets. */
export const makeAppSecrets = (): AppSecrets => ({
  api_key: randomText(25),
  api_key_secret: randomText(50),
  client_id: Buffer.from(`${randomText(20)}:1:ci`)
    .toString('base64')
    .replace(/=+$/, ''),
  client_secret: randomText(50),
  bearer_token: makeBearerToken(),
})

/** Creates an app; a new developer gets an account and a project. */
export async function createApp(
  tx: Tx,
  runtime: Runtime,
  draft: AppDraft,
  given: { id?: string; secrets?: AppSecrets } = {},
): Promise<{ id: string; project: Project; secrets: AppSecrets }> {
  const project = draft.project ?? (await firstProject(tx, runtime, draft.ownerUserId))
  const id = given.id ?? runtime.ids.next()
  const secrets = given.secrets ?? makeAppSecrets()
  await appAdd.count(
    tx,
    id,
    project.id,
    draft.ownerUserId,
    draft.name,
    draft.description ?? '',
    draft.websiteUrl ?? '',
    secrets.api_key,
    runtime.secretBox.seal(secrets.api_key_secret),
    secrets.client_id,
    digest(secrets.client_secret),
    digest(secrets.bearer_token),
    runtime.secretBox.seal(secrets.bearer_token),
    draft.callbackUrls,
    draft.permissionLevel,
    draft.signInEnabled ?? true,
    draft.clientType,
    draft.tier,
    draft.naming ?? 'auto',
    new Date(runtime.clock.now()),
  )
  return { id, project, secrets }
}

/** Replaces every secret of an app and ends all tokens, grants and codes of the old ones. */
export async function rotateApp(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  appId: string,
): Promise<AppSecrets | undefined> {
  const secrets = makeAppSecrets()
  // First: this waits for a token exchange in progress, and the statements below see the token that it adds.
  await appRequestsDrop.count(tx, appId)
  const old = await appSecretsSet.first(
    tx,
    appId,
    secrets.api_key,
    runtime.secretBox.seal(secrets.api_key_secret),
    secrets.client_id,
    digest(secrets.client_secret),
    digest(secrets.bearer_token),
    runtime.secretBox.seal(secrets.bearer_token),
  )
  if (!old) return undefined
  invalidate('app', appId)
  invalidate('api_key', old.old_api_key)
  invalidate('client_id', old.old_client_id)
  if (old.old_bearer !== null) {
    invalidate('bearer', old.old_bearer)
    await keepEnded(tx, runtime, appId, Buffer.from(old.old_bearer, 'hex'))
  }
  await revokeGrantsOfApp(tx, invalidate, appId)
  for (const token of await appTokensDrop.all(tx, appId)) invalidate('oauth1_token', token.token_hash)
  return secrets
}

const appRemove = statement('client_app_remove', {}, 'delete from client_app where id = $1')

/** Deletes an app with its tokens, rules, subscriptions and webhooks. Posts keep its name as their source. */
export async function deleteApp(tx: Tx, invalidate: Invalidate, runtime: Runtime, appId: string): Promise<void> {
  await rotateApp(tx, invalidate, runtime, appId)
  await appRemove.count(tx, appId)
}
