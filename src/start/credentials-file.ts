import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { toBase36 } from '../ads/kit/values.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { adminKey } from '../control/admin-key.ts'
import { digest } from '../process/secret-box.ts'
import { statement } from '../storage/statement.ts'
import { FIRST_ADS, FIRST_APPS, firstAppId, firstAppSecrets, firstPassword, firstUserId } from '../world/first-facts.ts'
import { readFirstOauth2Pairs } from '../world/first-oauth2.ts'
import { FIRST_USERS } from '../world/first-world.data.ts'

/** What programs need to call the server. */
export interface Credentials {
  base_url: string
  ads_url: string
  ads_sandbox_url: string
  /** The first account of the advertising interface, in production. */
  ads_account_id: string
  admin_key: string
  apps: {
    name: string
    tier: string
    api_key: string
    api_key_secret: string
    bearer_token: string | undefined
    client_id: string
    client_secret: string | undefined
    callback_urls: string[]
    owner: string
  }[]
  users: {
    id: string
    username: string
    password: string | undefined
    access_token: string | undefined
    access_token_secret: string | undefined
    /** For the first app, with every scope. It does not expire. */
    oauth2_access_token: string | undefined
    /** Absent after it was used, since a refresh token works once. */
    oauth2_refresh_token: string | undefined
  }[]
}

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
     from client_app a join user_account u on u.id = a.owner_user_id where a.id = any($1::bigint[]) order by a.id`,
)
const userFacts = statement(
  'credentials_users',
  { id: 'int8', username: 'text', token_sealed: 'bytea?', secret_sealed: 'bytea?', password_changed: 'bool?' },
  `select u.id, u.username, t.token_sealed, t.secret_sealed, s.password_changed
     from user_account u left join user_sign_in s on s.user_id = u.id left join oauth1_access_token t on t.user_id = u.id and t.app_id = $2 where u.id = any($1::bigint[]) order by u.id`,
)

/** Reads the first apps and users as they are now. Secrets that are stored hashed are included while they are still the first ones. */
export async function readCredentials(runtime: Runtime): Promise<Credentials> {
  const apps = await appFacts.all(
    runtime.database,
    FIRST_APPS.map((_, index) => firstAppId(index)),
  )
  const users = await userFacts.all(
    runtime.database,
    FIRST_USERS.map((_, index) => firstUserId(index)),
    firstAppId(0),
  )
  const pairs = await readFirstOauth2Pairs(runtime)
  const open = (sealed: Buffer | null) => (sealed === null ? undefined : runtime.secretBox.open(sealed))
  return {
    base_url: runtime.baseUrl,
    ads_url: `${runtime.baseUrl}/ads`,
    ads_sandbox_url: `${runtime.baseUrl}/ads-sandbox`,
    ads_account_id: toBase36(FIRST_ADS.account),
    admin_key: adminKey(runtime.secretBox),
    apps: apps.map((row) => {
      const secret = firstAppSecrets(
        runtime,
        FIRST_APPS.findIndex((_, index) => firstAppId(index) === row.id),
      ).client_secret
      return {
        name: row.name,
        tier: row.tier,
        api_key: row.api_key,
        api_key_secret: runtime.secretBox.open(row.api_key_secret_sealed),
        bearer_token: open(row.bearer_token_sealed),
        client_id: row.client_id,
        client_secret: digest(secret).equals(row.client_secret_hash) ? secret : undefined,
        callback_urls: row.callback_urls,
        owner: row.owner,
      }
    }),
    users: users.map((row) => {
      const position = FIRST_USERS.findIndex((_, index) => firstUserId(index) === row.id)
      return {
        id: row.id,
        username: row.username,
        password: row.password_changed ? undefined : firstPassword(runtime, position),
        access_token: open(row.token_sealed),
        access_token_secret: open(row.secret_sealed),
        oauth2_access_token: pairs[position]?.access,
        oauth2_refresh_token: pairs[position]?.refresh,
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

/** Keeps credentials.json up to date. */
interface CredentialsKeeper {
  /** Something may have changed; calls while the file is being written count as one. */
  renew(): void
  stop(): Promise<void>
}

export function keepCredentials(runtime: Runtime, dataDir: string): CredentialsKeeper {
  let isWanted = false
  let running: Promise<void> | undefined
  const run = async () => {
    while (isWanted) {
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
    writeCredentials(dataDir, { ...(await readCredentials(runtime)), base_url, ads_url, ads_sandbox_url })
  } catch (error) {
    // The command itself has succeeded.
    runtime.log.warn({ err: error }, 'credentials.json could not be renewed')
  }
}
