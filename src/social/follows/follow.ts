import type { House, Touch } from '../../api-kit/house.ts'
import { forbidden } from '../../api-kit/problems.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { touchRelation, type UserPair, userPairLock } from '../user-pair.ts'
import { followAdd, followApprove, followRefuse, followRemove } from './follow.statements.ts'

/** How a follow stands after it was asked for. */
export interface FollowState {
  following: boolean
  pending_follow: boolean
}

/** Follows a user. A protected account is asked first, unless the operator, who speaks for both, has approved. */
export async function follow(
  tx: Tx,
  touch: Touch,
  house: House,
  pair: UserPair,
  options: { approved: boolean },
): Promise<FollowState> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  const now = (await followAdd.first(tx, sourceId, targetId, house.ids.next(), options.approved))!
  if (now.blocked_by)
    throw forbidden('You have been blocked from following this account at the request of the user.', 'blocked')
  if (now.blocks) throw forbidden('You can not follow an account that you block.', 'the caller blocks the account')
  if (now.changed) {
    touchFollow(touch, pair)
    await emit(tx, house, {
      type: now.pending ? 'follow.request' : 'follow.follow',
      actorId: sourceId,
      targetId,
      payload: {},
    })
  }
  return { following: !now.pending, pending_follow: now.pending }
}

/** Ends a follow, or takes back a request, of which nobody is told. */
export async function unfollow(tx: Tx, touch: Touch, house: House, pair: UserPair): Promise<void> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  const gone = await followRemove.first(tx, sourceId, targetId)
  if (!gone) return
  touchFollow(touch, pair)
  if (!gone.pending) await emit(tx, house, { type: 'follow.unfollow', actorId: sourceId, targetId, payload: {} })
}

/** A protected account lets someone follow who asked to; false when nobody asked. */
export async function approveFollow(tx: Tx, touch: Touch, house: House, pair: UserPair): Promise<boolean> {
  const { sourceId, targetId } = pair
  await userPairLock.count(tx, [sourceId, targetId])
  if (!(await followApprove.first(tx, sourceId, targetId, house.ids.next()))) return false
  touchFollow(touch, pair)
  await emit(tx, house, { type: 'follow.follow', actorId: sourceId, targetId, payload: {} })
  return true
}

/** A protected account does not let someone follow who asked to; false when nobody asked. */
export async function refuseFollow(tx: Tx, touch: Touch, pair: UserPair): Promise<boolean> {
  touchRelation(touch, pair)
  return (await followRefuse.count(tx, pair.sourceId, pair.targetId)) > 0
}

function touchFollow(touch: Touch, pair: UserPair): void {
  touchRelation(touch, pair)
  touch('user_metrics', pair.sourceId, pair.targetId)
}
