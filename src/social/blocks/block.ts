import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { endListsBetween } from '../lists/use-list.ts'
import { invalidateRelation, messagePairLock, type UserPair, userPairLock } from '../user-pair.ts'
import { blockAdd, blockRemove } from './block.statements.ts'

/**
 * Blocks a user. The follows between the two end, and neither can follow the other until the block is removed. Neither stays in a
 * list of the other, nor follows one.
 */
export async function blockUser(tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair): Promise<void> {
  const { sourceId, targetId } = pair
  await messagePairLock.count(tx, sourceId, targetId)
  await userPairLock.count(tx, [sourceId, targetId])
  const { made, unfollowed_by } = (await blockAdd.first(tx, sourceId, targetId, runtime.ids.next()))!
  invalidateRelation(invalidate, pair)
  invalidate('user_metrics', sourceId, targetId)
  await endListsBetween(tx, invalidate, runtime, pair)
  const unfollows = unfollowed_by.map((id) => ({
    type: 'follow.unfollow' as const,
    actorId: id,
    targetId: id === sourceId ? targetId : sourceId,
    payload: {},
  }))
  const block = { type: 'block.block' as const, actorId: sourceId, targetId, payload: {} }
  await emit<'block.block' | 'follow.unfollow'>(tx, runtime, ...(made ? [block] : []), ...unfollows)
}

/** Removes a block. The follows that it ended are not restored. */
export async function unblockUser(tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair): Promise<void> {
  if ((await blockRemove.count(tx, pair.sourceId, pair.targetId)) === 0) return
  invalidateRelation(invalidate, pair)
  await emit(tx, runtime, { type: 'block.unblock', actorId: pair.sourceId, targetId: pair.targetId, payload: {} })
}
