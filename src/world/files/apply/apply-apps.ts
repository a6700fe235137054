import { enrolApp } from '../../../ads/accounts/enrol-app.ts'
import type { Allowlist } from '../../../ads/kit/access.ts'
import { keepEnded } from '../../../identity/app-only/bearer-token.ts'
import { type AppSecrets, createApp, makeAppSecrets } from '../../../identity/developers/create-app.ts'
import { webUrl } from '../../../identity/pages/urls.ts'
import { callbackFault } from '../../../identity/sign-in/callback.ts'
import { digest } from '../../../process/secret-box.ts'
import { type RowOf, statement } from '../../../storage/statement.ts'
import { APP_COLUMNS, SELECT_APPS } from '../app-columns.ts'
import type { WorldApp } from '../people.schema.ts'
import { type Applying, KeyedIds } from './applying.ts'

type AppRow = RowOf<typeof APP_COLUMNS>

const appsRead = statement(
  'world_apps_read',
  APP_COLUMNS,
  `${SELECT_APPS}
    where a.id = any($1::bigint[]) or a.name = any($2::text[]) or a.api_key = any($3::text[]) or a.client_id = any($4::text[])
    order by a.id`,
)
const appUpdate = statement(
  'world_app_update',
  {},
  `update client_app set name = $2, tier = $3, permission_level = $4, client_type = $5, callback_urls = $6::text[], description = $7,
     website_url = $8, sign_in_enabled = $9, naming = $10, suspended = $11, api_key = $12, api_key_secret_sealed = $13, client_id = $14,
     client_secret_hash = $15, bearer_token_hash = $16, bearer_token_sealed = coalesce($17, bearer_token_sealed) where id = $1`,
)
const appSuspend = statement('world_app_suspend', {}, 'update client_app set suspended = true where id = $1')

const PLAIN = [
  'name',
  'tier',
  'permission_level',
  'client_type',
  'description',
  'website_url',
  'sign_in_enabled',
  'naming',
  'suspended',
  'api_key',
  'client_id',
] as const

/** Creates and changes the apps of a file, and finds the others that it refers to by name or id. */
export async function applyApps(run: Applying, others: { names: string[]; ids: string[] }): Promise<void> {
  const apps = run.world.apps ?? []
  const keys = apps.map((app) => app.key ?? app.name)
  const made = [...keys, ...others.names].flatMap((key) => run.items.find('app', key)?.id ?? [])
  const rows = await appsRead.all(
    run.tx,
    [...made, ...apps.flatMap((app) => app.id ?? []), ...others.ids],
    [...apps.map((app) => app.name), ...others.names],
    apps.flatMap((app) => app.api_key ?? []),
    apps.flatMap((app) => app.client_id ?? []),
  )
  // The oldest app of a name is meant.
  for (const row of rows.toReversed()) remember(run, [row.name, row.id], row)
  for (const name of others.names) {
    const row = rows.find((item) => item.id === run.items.find('app', name)?.id)
    if (row) remember(run, [name], row)
  }
  const ids = new KeyedIds(rows.map((row) => row.id))
  const seen = new Map<string, number>()
  for (const [index, draft] of apps.entries()) {
    const where = `apps[${index}]`
    const key = keys[index]!
    if (seen.has(key)) run.fault(`${where}.${draft.key ? 'key' : 'name'}`, key, `apps[${seen.get(key)}] has it too`)
    seen.set(key, index)
    checkAddresses(run, draft, where)
    const owner = run.user(draft.owner, `${where}.owner`)
    if (!owner) continue
    const row = findRow(run, rows, draft, key, owner.id)
    if (row && draft.id !== undefined && draft.id !== row.id)
      run.fault(`${where}.id`, draft.id, `the app ${row.name} exists with the id ${row.id}, and an id cannot change`)
    const taken = rows.find(
      (other) =>
        other.id !== row?.id &&
        (other.api_key === draft.api_key || other.client_id === draft.client_id || other.id === draft.id),
    )
    if (taken) run.fault(where, undefined, `the app ${taken.name} [${taken.id}] has the same id, api_key or client_id`)
    run.stopOnFaults()
    if (row) await changeApp(run, draft, key, row, owner.id, where)
    else await addApp(run, draft, key, owner.id, ids)
  }
  run.stopOnFaults()
}

function remember(run: Applying, names: string[], row: { id: string; name: string; tier: string; project_id: string }) {
  for (const name of names)
    run.apps.set(name, { id: row.id, name: row.name, tier: row.tier, projectId: row.project_id })
}

function findRow(run: Applying, rows: readonly AppRow[], draft: WorldApp, key: string, ownerId: string) {
  const id = draft.id ?? run.items.find('app', key)?.id
  const byId = rows.find((row) => row.id === id)
  if (byId || draft.id !== undefined) return byId
  return (
    (draft.api_key !== undefined && rows.find((row) => row.api_key === draft.api_key)) ||
    rows.find((row) => row.name === draft.name && row.owner_user_id === ownerId)
  )
}

function checkAddresses(run: Applying, draft: WorldApp, where: string): void {
  for (const [index, url] of (draft.callback_urls ?? []).entries()) {
    const fault = callbackFault(url)
    if (fault) run.fault(`${where}.callback_urls[${index}]`, url, fault)
  }
  const website = draft.website_url
  if (website && (!/^https?:\/\//i.test(website) || webUrl(website) === null))
    run.fault(`${where}.website_url`, website, 'must be an http or https URL')
}

async function addApp(run: Applying, draft: WorldApp, key: string, ownerId: string, ids: KeyedIds): Promise<void> {
  const secrets: AppSecrets = { ...makeAppSecrets(), ...givenSecrets(draft) }
  const made = await createApp(
    run.tx,
    run.runtime,
    {
      name: draft.name,
      ownerUserId: ownerId,
      tier: draft.tier ?? 'self-serve',
      permissionLevel: draft.permission_level ?? 'read-write-messages',
      clientType: draft.client_type ?? 'confidential',
      callbackUrls: draft.callback_urls ?? [],
      description: draft.description,
      websiteUrl: draft.website_url,
      signInEnabled: draft.sign_in_enabled,
      naming: draft.naming,
    },
    { id: draft.id ?? ids.of(run.now, 'app', key), secrets },
  )
  if (draft.suspended) await appSuspend.count(run.tx, made.id)
  if (draft.ads) await enrol(run, made.id, draft.ads)
  remember(run, [draft.name, made.id, key], {
    id: made.id,
    name: draft.name,
    tier: draft.tier ?? 'self-serve',
    project_id: made.project.id,
  })
  const isGenerated = draft.client_secret === undefined
  run.items.keep({
    kind: 'app',
    key,
    id: made.id,
    secrets: { client_secret: secrets.client_secret, ...(isGenerated ? { generated: true } : {}) },
  })
  run.report.add('created', 'app', draft.name)
}

const SECRETS = ['api_key', 'api_key_secret', 'client_id', 'client_secret', 'bearer_token'] as const
const givenSecrets = (draft: WorldApp): Partial<AppSecrets> =>
  Object.fromEntries(SECRETS.flatMap((name) => (draft[name] === undefined ? [] : [[name, draft[name]]])))

const enrol = (run: Applying, appId: string, { level, allowlists = [] }: NonNullable<WorldApp['ads']>) =>
  enrolApp(run.tx, run.invalidate, appId, { level, allowlists: allowlists as Allowlist[] })

async function changeApp(
  run: Applying,
  draft: WorldApp,
  key: string,
  row: AppRow,
  ownerId: string,
  where: string,
): Promise<void> {
  if (row.owner_user_id !== ownerId)
    run.fault(`${where}.owner`, draft.owner, `the app ${row.name} has another owner, which cannot change`)
  const box = run.runtime.secretBox
  const names: string[] = PLAIN.filter((name) => draft[name] !== undefined && draft[name] !== row[name])
  if (draft.callback_urls && draft.callback_urls.join('\n') !== row.callback_urls.join('\n'))
    names.push('callback_urls')
  const hasNewKeySecret =
    draft.api_key_secret !== undefined && draft.api_key_secret !== box.open(row.api_key_secret_sealed)
  const secretHash = draft.client_secret === undefined ? row.client_secret_hash : digest(draft.client_secret)
  const bearerHash = draft.bearer_token === undefined ? row.bearer_token_hash : digest(draft.bearer_token)
  const hasNewBearer = draft.bearer_token !== undefined && !row.bearer_token_hash?.equals(bearerHash!)
  if (hasNewKeySecret) names.push('api_key_secret')
  if (!secretHash.equals(row.client_secret_hash)) names.push('client_secret')
  if (hasNewBearer) names.push('bearer_token')
  const lists = draft.ads && [...(draft.ads.allowlists ?? [])].sort().join()
  const isEnrolled = draft.ads?.level === row.ads_level && lists === [...(row.allowlists ?? [])].sort().join()
  if (draft.ads && !isEnrolled) {
    names.push('ads')
    await enrol(run, row.id, draft.ads)
  }
  const now = { ...row, ...definedOf(draft) }
  remember(run, [now.name, row.id, key], { ...row, name: now.name, tier: now.tier })
  run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'app', `${draft.name}: ${names.join(', ')}`)
  const secrets = draft.client_secret === undefined ? undefined : { client_secret: draft.client_secret }
  run.items.keep({ kind: 'app', key, id: row.id, secrets })
  if (names.length === 0 || (names.length === 1 && names[0] === 'ads')) return
  if (hasNewBearer && row.bearer_token_hash) await keepEnded(run.tx, run.runtime, row.id, row.bearer_token_hash)
  await appUpdate.count(
    run.tx,
    row.id,
    now.name,
    now.tier,
    now.permission_level,
    now.client_type,
    now.callback_urls,
    now.description,
    now.website_url,
    now.sign_in_enabled,
    now.naming,
    now.suspended,
    now.api_key,
    hasNewKeySecret ? box.seal(draft.api_key_secret!) : row.api_key_secret_sealed,
    now.client_id,
    secretHash,
    bearerHash,
    hasNewBearer ? box.seal(draft.bearer_token!) : null,
  )
}

/** The members of a draft that are given and are columns. */
function definedOf(draft: WorldApp): Partial<AppRow> {
  const names = [...PLAIN, 'callback_urls'] as const
  return Object.fromEntries(names.flatMap((name) => (draft[name] === undefined ? [] : [[name, draft[name]]])))
}
