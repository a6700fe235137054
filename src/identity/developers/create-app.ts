import type { PermissionLevel, Tier } from '../../api-kit/caller.ts'
import type { House, Touch } from '../../api-kit/house.ts'
import { digest, randomText } from '../../process/sealer.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { makeBearerToken } from '../app-only/bearer-token.ts'

/** What an app is made of. */
export interface AppDraft {
  name: string
  ownerUserId: string
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

const developerAdd = statement(
  'developer_account_add',
  { id: 'int8' },
  `insert into developer_account (id, user_id, name, created_at)
   select $1, u.id, u.name, $3 from user_account u where u.id = $2
   on conflict (user_id) do update set name = developer_account.name returning id`,
)
const projectOfDeveloper = statement(
  'project_of_developer',
  { id: 'int8' },
  'select id from project where developer_account_id = $1 order by id limit 1',
)
const projectAdd = statement(
  'project_add',
  {},
  'insert into project (id, developer_account_id, name, created_at) values ($1, $2, $3, $4)',
)
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
const appTokensDrop = statement(
  'client_app_tokens_drop',
  { token_hash: 'text' },
  `delete from oauth1_access_token where app_id = $1 returning encode(token_hash, 'hex') as token_hash`,
)

export const makeAppSecrets = (): AppSecrets => ({
  api_key: randomText(25),
  api_key_secret: randomText(50),
  client_id: Buffer.from(`${randomText(20)}:1:ci`)
    .toString('base64')
    .replace(/=+$/, ''),
  client_secret: randomText(50),
  bearer_token: makeBearerToken(),
})

/** Makes an app in the owner's first project; a new developer gets an account and a project. */
export async function createApp(
  tx: Tx,
  house: House,
  draft: AppDraft,
  given: { id?: string; secrets?: AppSecrets } = {},
): Promise<{ id: string; secrets: AppSecrets }> {
  const now = new Date(house.clock.now())
  const developer = await developerAdd.first(tx, house.ids.next(), draft.ownerUserId, now)
  const known = await projectOfDeveloper.first(tx, developer!.id)
  const projectId = known?.id ?? house.ids.next()
  if (!known) await projectAdd.count(tx, projectId, developer!.id, 'Default project', now)
  const id = given.id ?? house.ids.next()
  const secrets = given.secrets ?? makeAppSecrets()
  await appAdd.count(
    tx,
    id,
    projectId,
    draft.ownerUserId,
    draft.name,
    draft.description ?? '',
    draft.websiteUrl ?? '',
    secrets.api_key,
    house.sealer.seal(secrets.api_key_secret),
    secrets.client_id,
    digest(secrets.client_secret),
    digest(secrets.bearer_token),
    house.sealer.seal(secrets.bearer_token),
    draft.callbackUrls,
    draft.permissionLevel,
    draft.signInEnabled ?? true,
    draft.clientType,
    draft.tier,
    draft.naming ?? 'auto',
    now,
  )
  return { id, secrets }
}

/** Replaces every secret of an app; all tokens of the old keys are dead when the change is answered. */
export async function rotateApp(tx: Tx, touch: Touch, house: House, appId: string): Promise<AppSecrets | undefined> {
  const secrets = makeAppSecrets()
  const old = await appSecretsSet.first(
    tx,
    appId,
    secrets.api_key,
    house.sealer.seal(secrets.api_key_secret),
    secrets.client_id,
    digest(secrets.client_secret),
    digest(secrets.bearer_token),
    house.sealer.seal(secrets.bearer_token),
  )
  if (!old) return undefined
  touch('app', appId)
  touch('api_key', old.old_api_key)
  touch('client_id', old.old_client_id)
  if (old.old_bearer !== null) touch('bearer', old.old_bearer)
  for (const token of await appTokensDrop.all(tx, appId)) touch('oauth1_token', token.token_hash)
  return secrets
}
