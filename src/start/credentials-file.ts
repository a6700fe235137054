import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { toBase36 } from '../ads/kit/values.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { adminKey } from '../control/admin-key.ts'
import { consoleUrl } from '../control/console-access.ts'
import type { Credentials } from '../process/credentials.ts'
import { digest } from '../process/secret-box.ts'
import { statement } from '../storage/statement.ts'
import { itemsMade } from '../world/files/world-items.ts'
import { FIRST_ADS, FIRST_APPS, firstAppId, firstAppSecrets, firstPassword, firstUserId } from '../world/first-facts.ts'
import { readFirstOauth2Pairs, validTokens } from '../world/first-oauth2.ts'
import { FIRST_USERS } from '../world/first-world.data.ts'

const appFacts = statement(
  'credentials_apps',
  {
    id: 'int8',
    name: 'text',
    tier: 'text',
    api_key: 'text',
    api_key_secret_sealed: 'bytea',
    bearer_token_sealed: 'bytea?',
    client_id: 'text',
    client_secret_hash: 'bytea',
    callback_urls: 'text[]',
    owner: 'text',
  },
  `select a.id, a.name, a.tier, a.api_key, a.api_key_secret_sealed, a.bearer_token_sealed, a.client_id, a.client_secret_hash, a.callback_urls, u.username as owner
     from client_app a join user_account u on u.id = a.owner_user_id where a.id = any($1::bigint[])
    order by array_position($1::bigint[], a.id)`,
)
// Of several apps, the token for the one that is listed first.
const userFacts = statement(
  'credentials_users',
  { id: 'int8', username: 'text', token_sealed: 'bytea?', secret_sealed: 'bytea?', password_changed: 'bool?' },
  `select u.id, u.username, t.token_sealed, t.secret_sealed, s.password_changed
     from user_account u left join user_sign_in s on s.user_id = u.id
     left join lateral (
       select token_sealed, secret_sealed from oauth1_access_token o where o.user_id = u.id and o.app_id = any($2::bigint[])
        order by array_position($2::bigint[], o.app_id) limit 1) t on true
    where u.id = any($1::bigint[]) order by array_position($1::bigint[], u.id)`,
)
const adsAccounts = statement(
  'credentials_ads_accounts',
  { id: 'int8' },
  'select id from ads_account where id = any($1::bigint[]) and not deleted order by array_position($1::bigint[], id)',
)

// World files can make more; a file with credentials is for people and small programs.
const MOST_LISTED = 1_000

/**
 * Reads the first apps and users, and those of world files, as they are now. Secrets that are stored hashed are included while
 * they are still the first ones.
 */
export async function readCredentials(runtime: Runtime): Promise<Credentials> {
  const { database: db, secretBox: box } = runtime
  const [madeApps, madeUsers, madeAccounts] = await Promise.all(
    (['app', 'user', 'ads_account'] as const).map((kind) => itemsMade(db, box, kind, MOST_LISTED)),
  )
  const appIds = [...FIRST_APPS.map((_, index) => firstAppId(index)), ...madeApps!.map((item) => item.id)]
  const userIds = [...FIRST_USERS.map((_, index) => firstUserId(index)), ...madeUsers!.map((item) => item.id)]
  const [apps, users, accounts, pairs, link] = await Promise.all([
    appFacts.all(db, appIds),
    userFacts.all(db, userIds, appIds),
    adsAccounts.all(db, [FIRST_ADS.account, ...madeAccounts!.map((item) => item.id)]),
    readFirstOauth2Pairs(runtime),
    consoleUrl(runtime),
  ])
  const appSecrets = new Map(madeApps!.map((item) => [item.id, item.secrets]))
  const userSecrets = new Map(madeUsers!.map((item) => [item.id, item.secrets]))
  const given = new Map(
    madeUsers!.map(({ id, secrets }) => [id, appIds.map((appId) => secrets.oauth2?.[appId]).find((pair) => pair)]),
  )
  const valid = await validTokens(
    runtime,
    [...given.values()].flatMap((pair) => (pair ? [pair.access, pair.refresh ?? ''] : [])),
  )
  const ifValid = (token: string | null | undefined) => (token && valid.has(token) ? token : undefined)
  const open = (sealed: Buffer | null) => (sealed === null ? undefined : box.open(sealed))
  return {
    base_url: runtime.baseUrl,
    ads_url: `${runtime.baseUrl}/ads`,
    ads_sandbox_url: `${runtime.baseUrl}/ads-sandbox`,
    ads_account_id: accounts[0] ? toBase36(accounts[0].id) : '',
    admin_key: adminKey(box),
    console_url: link,
    apps: apps.map((row) => {
      const position = FIRST_APPS.findIndex((_, index) => firstAppId(index) === row.id)
      const first = position < 0 ? undefined : firstAppSecrets(runtime, position).client_secret
      const known = [first, appSecrets.get(row.id)?.client_secret]
      return {
        id: row.id,
        name: row.name,
        tier: row.tier,
        api_key: row.api_key,
        api_key_secret: box.open(row.api_key_secret_sealed),
        bearer_token: open(row.bearer_token_sealed),
        client_id: row.client_id,
        client_secret: known.find((secret) => secret !== undefined && digest(secret).equals(row.client_secret_hash)),
        callback_urls: row.callback_urls,
        owner: row.owner,
      }
    }),
    users: users.map((row) => {
      const position = FIRST_USERS.findIndex((_, index) => firstUserId(index) === row.id)
      const first = position < 0 ? undefined : firstPassword(runtime, position)
      return {
        id: row.id,
        username: row.username,
        password: row.password_changed ? undefined : (userSecrets.get(row.id)?.password ?? first),
        access_token: open(row.token_sealed),
        access_token_secret: open(row.secret_sealed),
        oauth2_access_token: pairs[position]?.access ?? ifValid(given.get(row.id)?.access),
        oauth2_refresh_token: pairs[position]?.refresh ?? ifValid(given.get(row.id)?.refresh),
      }
    }),
  }
}

/** Writes credentials.json, readable by this user only; readers never see half of it. */
export function writeCredentials(dataDir: string, credentials: Credentials): string {
  const file = path.join(dataDir, 'credentials.json')
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return file
}

/** Commands often come in a row, from a test for example. The file is not written between them: that would slow the next one down. */
const GATHERED_MS = 50

/** Keeps credentials.json up to date. */
interface CredentialsKeeper {
  /** Something may have changed. Calls that follow each other closely count as one, as do those while the file is being written. */
  renew(): void
  stop(): Promise<void>
}

export function keepCredentials(runtime: Runtime, dataDir: string): CredentialsKeeper {
  let isWanted = false
  let running: Promise<void> | undefined
  const run = async () => {
    while (isWanted) {
      await setTimeout(GATHERED_MS)
      isWanted = false
      try {
        writeCredentials(dataDir, await readCredentials(runtime))
      } catch (error) {
        runtime.log.warn({ err: error }, 'credentials.json could not be renewed')
      }
    }
    running = undefined
  }
  return {
    renew: () => {
      isWanted = true
      running ??= run()
    },
    stop: async () => running,
  }
}

/** Renews credentials.json after an offline command. The addresses stay as they are, and a missing file stays missing. */
export async function renewCredentials(runtime: Runtime, dataDir: string): Promise<void> {
  try {
    const file = path.join(dataDir, 'credentials.json')
    if (!existsSync(file)) return
    const { base_url, ads_url, ads_sandbox_url } = JSON.parse(readFileSync(file, 'utf8')) as Credentials
    const read = await readCredentials(runtime)
    const console_url = read.console_url?.replace(runtime.baseUrl, base_url)
    writeCredentials(dataDir, { ...read, base_url, ads_url, ads_sandbox_url, console_url })
  } catch (error) {
    // The command itself has succeeded.
    runtime.log.warn({ err: error }, 'credentials.json could not be renewed')
  }
}
