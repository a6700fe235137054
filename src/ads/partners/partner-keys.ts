import type { Runtime } from '../../api-kit/runtime.ts'
import { randomText } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const keyAdd = statement(
  'ads_partner_key_add',
  {},
  'insert into ads_partner_key (id, app_id, secret_sealed, created_at) values ($1, $2, $3, $4)',
)
const keysOf = statement(
  'ads_partner_keys',
  { id: 'int8', secret_sealed: 'bytea', created_at: 'timestamptz' },
  'select id, secret_sealed, created_at from ads_partner_key where app_id = $1 order by id',
)
const keyRemove = statement('ads_partner_key_remove', {}, 'delete from ads_partner_key where app_id = $1 and id = $2')
const appLock = statement('ads_partner_app_lock', {}, 'select from client_app where id = $1 for no key update')

/** A partner needs two while it rotates; the others are for mistakes. */
export const MOST_KEYS = 5

export interface PartnerKey {
  id: string
  secret: string
  createdAt: Date
}

/** The secrets that a partner's app shares with this server. All of them are valid. */
export async function readPartnerKeys(runtime: Runtime, appId: string): Promise<PartnerKey[]> {
  const rows = await keysOf.all(runtime.database, appId)
  return rows.map((row) => ({
    id: row.id,
    secret: runtime.secretBox.openCached(row.secret_sealed),
    createdAt: row.created_at,
  }))
}

/** Makes a secret; undefined when the app has as many as it can have. */
export async function addPartnerKey(tx: Tx, runtime: Runtime, appId: string): Promise<PartnerKey | undefined> {
  await appLock.count(tx, appId)
  if ((await keysOf.all(tx, appId)).length >= MOST_KEYS) return undefined
  const key = { id: runtime.ids.next(), secret: randomText(40), createdAt: new Date(runtime.clock.now()) }
  await keyAdd.count(tx, key.id, appId, runtime.secretBox.seal(key.secret), key.createdAt)
  return key
}

/** Ends a secret; false when the app does not have it. */
export const removePartnerKey = async (tx: Tx, appId: string, id: string): Promise<boolean> =>
  (await keyRemove.count(tx, appId, id)) > 0
