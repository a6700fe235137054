import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const lockTimeout = statement(
  'ads_lock_timeout',
  { set_config: 'text?' },
  `select set_config('lock_timeout', '5000', true)`,
)
const accountLock = statement('ads_account_lock', {}, 'select from ads_account where id = $1 for no key update')

/** Limits the wait for locks to what a client would wait; after that the request fails with LOCK_ACQUISITION_TIMEOUT. */
export async function setLockTimeout(tx: Tx): Promise<void> {
  await lockTimeout.first(tx)
}

/** Makes changes to the same account wait for each other. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await setLockTimeout(tx)
  await accountLock.count(tx, accountId)
}
