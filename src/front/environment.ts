import { LIBRARY_VARIABLES } from '../legacy-words.ts'
import type { Credentials } from '../process/credentials.ts'

/** Names that examples use, and that other services may use too: they never replace what the user has set. */
const PLAIN_NAMES: Readonly<Record<string, string>> = {
  API_KEY: 'ROSTRA_API_KEY',
  API_KEY_SECRET: 'ROSTRA_API_KEY_SECRET',
  API_SECRET: 'ROSTRA_API_KEY_SECRET',
  CONSUMER_KEY: 'ROSTRA_API_KEY',
  CONSUMER_SECRET: 'ROSTRA_API_KEY_SECRET',
  BEARER_TOKEN: 'ROSTRA_BEARER_TOKEN',
  CLIENT_ID: 'ROSTRA_CLIENT_ID',
  CLIENT_SECRET: 'ROSTRA_CLIENT_SECRET',
  ACCESS_TOKEN: 'ROSTRA_ACCESS_TOKEN',
  ACCESS_TOKEN_SECRET: 'ROSTRA_ACCESS_TOKEN_SECRET',
  ACCESS_SECRET: 'ROSTRA_ACCESS_TOKEN_SECRET',
}

/** Variables with addresses and credentials. */
export interface CredentialVariables {
  /** Our own names, and those with the platform's. */
  named: Record<string, string>
  /** Names without any product in them. */
  plain: Record<string, string>
}

/** The variables of a server: the first app, and its tokens for the first user. */
export function credentialVariables(facts: Credentials, dataDir?: string): CredentialVariables {
  const [app] = facts.apps
  const [user] = facts.users
  const own = present({
    ROSTRA_URL: facts.base_url,
    ROSTRA_ADS_URL: facts.ads_url,
    ROSTRA_ADS_SANDBOX_URL: facts.ads_sandbox_url,
    ROSTRA_ADS_ACCOUNT_ID: facts.ads_account_id,
    ROSTRA_ADMIN_KEY: facts.admin_key,
    // Commands of ours that the program runs reach the same server.
    ROSTRA_DATA_DIR: dataDir,
    ROSTRA_API_KEY: app?.api_key,
    ROSTRA_API_KEY_SECRET: app?.api_key_secret,
    ROSTRA_BEARER_TOKEN: app?.bearer_token,
    ROSTRA_CLIENT_ID: app?.client_id,
    ROSTRA_CLIENT_SECRET: app?.client_secret,
    ROSTRA_USER_ID: user?.id,
    ROSTRA_USERNAME: user?.username,
    ROSTRA_ACCESS_TOKEN: user?.access_token,
    ROSTRA_ACCESS_TOKEN_SECRET: user?.access_token_secret,
    ROSTRA_OAUTH2_ACCESS_TOKEN: user?.oauth2_access_token,
    ROSTRA_OAUTH2_REFRESH_TOKEN: user?.oauth2_refresh_token,
  })
  const libraries = Object.entries(LIBRARY_VARIABLES).flatMap(([name, others]) =>
    own[name] === undefined ? [] : others.map((other) => [other, own[name]!] as const),
  )
  const plain = Object.entries(PLAIN_NAMES).map(([name, source]) => [name, own[source]] as const)
  return { named: { ...own, ...Object.fromEntries(libraries) }, plain: present(Object.fromEntries(plain)) }
}

const present = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined))
