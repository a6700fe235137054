/** What a world file can say about an app, and the keys that it is known by. */
export const APP_COLUMNS = {
  id: 'int8',
  project_id: 'int8',
  name: 'text',
  owner_user_id: 'int8',
  tier: 'text',
  permission_level: 'text',
  client_type: 'text',
  callback_urls: 'text[]',
  description: 'text',
  website_url: 'text',
  sign_in_enabled: 'bool',
  naming: 'text',
  suspended: 'bool',
  api_key: 'text',
  api_key_secret_sealed: 'bytea',
  client_id: 'text',
  client_secret_hash: 'bytea',
  bearer_token_hash: 'bytea?',
  bearer_token_sealed: 'bytea?',
  ads_level: 'text?',
  allowlists: 'text[]?',
} as const

export const SELECT_APPS = `select a.id, a.project_id, a.name, a.owner_user_id, a.tier, a.permission_level, a.client_type, a.callback_urls,
          a.description, a.website_url, a.sign_in_enabled, a.naming, a.suspended, a.api_key, a.api_key_secret_sealed, a.client_id,
          a.client_secret_hash, a.bearer_token_hash, a.bearer_token_sealed, e.level as ads_level, e.allowlists
     from client_app a left join ads_enrolment e on e.app_id = a.id`
