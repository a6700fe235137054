import { type RowOf, statement } from '../../../storage/statement.ts'

const columns = {
  user_id: 'int8',
  version: 'int8',
  public_key: 'text',
  signing_public_key: 'text',
  identity_public_key_signature: 'text',
  fingerprint: 'text',
} as const
const names = Object.keys(columns).join(', ')

/** A registered version of a user's keys. */
export type PublicKeyRow = RowOf<typeof columns>

/** The keys of users, the newest of each user first. */
export const publicKeysOf = statement(
  'chat_public_keys_of',
  columns,
  `select ${names} from chat_public_key where user_id = any($1::bigint[]) order by user_id, version desc`,
)

/** The newest version of each user. */
export const newestKeyVersions = statement(
  'chat_newest_key_versions',
  { user_id: 'int8', version: 'int8' },
  `select user_id, max(version) as version from chat_public_key where user_id = any($1::bigint[]) group by user_id`,
)

export const publicKeyFind = statement(
  'chat_public_key_find',
  columns,
  `select ${names} from chat_public_key where user_id = $1 and version = $2`,
)

/** Serialises the registrations of a user. */
export const publicKeysLock = statement(
  'chat_public_keys_lock',
  {},
  'select id from user_account where id = $1 for no key update',
)

export const publicKeyAdd = statement(
  'chat_public_key_add',
  columns,
  `insert into chat_public_key (user_id, version, public_key, signing_public_key, identity_public_key_signature, fingerprint,
     registration_method, created_at)
   values ($1::bigint, $2::bigint, $3, $4, $5, $6, $7, $8::timestamptz) returning ${names}`,
)
