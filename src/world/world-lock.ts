import type { Tx } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'

// Emptying all tables and filling them would each wait for locks that the other one holds.
const worldShare = statement('world_share', {}, `select pg_advisory_xact_lock_shared(${LOCK.world})`)
const worldClaim = statement('world_claim', {}, `select pg_advisory_xact_lock(${LOCK.world})`)

/** Held to the end of the transaction: nobody empties the world meanwhile. */
export async function shareWorld(tx: Tx): Promise<void> {
  await worldShare.count(tx)
}

/** Waits for those who fill the world, and keeps others from beginning until the transaction ends. */
export async function claimWorld(tx: Tx): Promise<void> {
  await worldClaim.count(tx)
}
