/** What credentials.json holds: the addresses of a server, and every key and token that it has made known. */
export interface Credentials {
  base_url: string
  ads_url: string
  ads_sandbox_url: string
  /** The first account of the advertising interface, in production. */
  ads_account_id: string
  admin_key: string
  /** Opens the console. It works once; then there is a new one. Absent where there is no console. */
  console_url?: string | undefined
  apps: {
    id: string
    name: string
    tier: string
    api_key: string
    api_key_secret: string
    bearer_token?: string | undefined
    client_id: string
    client_secret?: string | undefined
    callback_urls: string[]
    owner: string
  }[]
  users: {
    id: string
    username: string
    password?: string | undefined
    access_token?: string | undefined
    access_token_secret?: string | undefined
    /** For the first app, with every scope. It does not expire. */
    oauth2_access_token?: string | undefined
    /** Absent after it was used, since a refresh token works once. */
    oauth2_refresh_token?: string | undefined
  }[]
}
