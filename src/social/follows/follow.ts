import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { invalidateRelation, type UserPair, userPairLock } from '../user-pair.ts'
import { followAdd, followApprove, followRefuse, followRemove } from './follow.statements.ts'

/** The state of a follow after it was requested. */
interface FollowState {
  following: boolean
  pending_follow: boolean
}

/** Follows a user. A protected account has to approve, unless the operator has approved on its behalf. */
export async function follow(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  pair: UserPair,
  options: { approved: boolean },
): Promise<FollowState> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  const now = (await followAdd.first(tx, sourceId, targetId, runtime.ids.next(), options.approved))!
  if (now.blocked_by)
    throw forbidden('You have been blocked from following this account at the request of the user.', 'blocked')
  if (now.blocks) throw forbidden('You cannot follow an account that you block.', 'the caller blocks the account')
  if (now.changed) {
    invalidateFollow(invalidate, pair)
    await emit(tx, runtime, {
      type: now.pending ? 'follow.request' : 'follow.follow',
      actorId: sourceId,
      targetId,
      payload: {},
    })
  }
  return { following: !now.pending, pending_follow: now.pending }
}

/** Ends a follow, or withdraws a request without an event. */
export async function unfollow(tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair): Promise<void> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  const gone = await followRemove.first(tx, sourceId, targetId)
  if (!gone) return
  invalidateFollow(invalidate, pair)
  if (!gone.pending) await emit(tx, runtime, { type: 'follow.unfollow', actorId: sourceId, targetId, payload: {} })
}

/** Approves a request to follow; false when there is none. */
export async function approveFollow(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  pair: UserPair,
): Promise<boolean> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  if (!(await followApprove.first(tx, sourceId, targetId, runtime.ids.next()))) return false
  invalidateFollow(invalidate, pair)
  await emit(tx, runtime, { type: 'follow.follow', actorId: sourceId, targetId, payload: { approved: true } })
  return true
}

/** Rejects a request to follow; false when there is none. */
export async function refuseFollow(tx: Tx, invalidate: Invalidate, pair: UserPair): Promise<boolean> {
  invalidateRelation(invalidate, pair)
  return (await followRefuse.count(tx, pair.sourceId, pair.targetId)) > 0
}

function invalidateFollow(invalidate: Invalidate, pair: UserPair): void {
  invalidateRelation(invalidate, pair)
  invalidate('user_metrics', pair.sourceId, pair.targetId)
}
