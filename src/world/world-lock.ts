import type { Tx } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'

// Without this lock, emptying and filling the tables at the same time would deadlock.
const worldShare = statement('world_share', {}, `select pg_advisory_xact_lock_shared(${LOCK.world})`)
const worldClaim = statement('world_claim', {}, `select pg_advisory_xact_lock(${LOCK.world})`)

/** Prevents a reset of the world until the transaction ends. */
export async function shareWorld(tx: Tx): Promise<void> {
  await worldShare.count(tx)
}

/** Waits until nobody fills the world, and prevents new writers until the transaction ends. */
export async function claimWorld(tx: Tx): Promise<void> {
  await worldClaim.count(tx)
}
