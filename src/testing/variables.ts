import type { Credentials } from './types.ts'

/** The variables of a server for programs under test. */
export function variablesOf({ base_url, apps: [app], users: [user] }: Credentials): Record<string, string> {
  const all: Record<string, string | undefined> = {
    ROSTRA_URL: base_url,
    ROSTRA_API_KEY: app?.api_key,
    ROSTRA_API_KEY_SECRET: app?.api_key_secret,
    ROSTRA_BEARER_TOKEN: app?.bearer_token,
    ROSTRA_CLIENT_ID: app?.client_id,
    ROSTRA_CLIENT_SECRET: app?.client_secret,
    ROSTRA_ACCESS_TOKEN: user?.access_token,
    ROSTRA_ACCESS_TOKEN_SECRET: user?.access_token_secret,
    ROSTRA_OAUTH2_ACCESS_TOKEN: user?.oauth2_access_token,
  }
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
