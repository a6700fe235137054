import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { type UserPair, userPairLock } from '../user-pair.ts'
import { noSuchList, notAllowed } from './find-list.ts'
import { followAdd, listShare, MOST_PINS, membershipsBetweenEnd, pinAdd, usesBetweenEnd } from './list.statements.ts'

/** Follows a list. */
export async function followListAs(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  userId: string,
  listId: string,
): Promise<void> {
  const ownerId = await shareList(tx, userId, listId, 'follow')
  const state = await followAdd.first(tx, userId, listId, runtime.ids.next(), ownerId)
  if (state?.blocked) throw notAllowed('follow', 'the owner or the caller blocks the other')
  invalidate('list_metrics', listId)
}

/** Pins a list. */
export async function pinListAs(tx: Tx, runtime: Runtime, userId: string, listId: string): Promise<void> {
  const ownerId = await shareList(tx, userId, listId, 'pin')
  const state = await pinAdd.first(tx, userId, listId, runtime.ids.next(), ownerId)
  if (state?.blocked) throw notAllowed('pin', 'the owner or the caller blocks the other')
  if (state?.is_full)
    throw forbidden(`You cannot pin more than ${MOST_PINS} Lists.`, 'the user has as many pins as possible')
}

/** Keeps the list from changes, and its owner and the user from a block, until the transaction ends. Returns the owner. */
async function shareList(tx: Tx, userId: string, listId: string, action: 'follow' | 'pin'): Promise<string> {
  const held = await listShare.first(tx, listId)
  if (!held || (held.private && held.owner_id !== userId)) throw noSuchList(action, 'list_id', listId)
  await userPairLock.count(tx, [held.owner_id, userId])
  return held.owner_id
}

/** A block takes each of two users out of the lists of the other, and ends their follows and pins of these lists. */
export async function endListsBetween(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  { sourceId, targetId }: UserPair,
): Promise<void> {
  const memberships = await membershipsBetweenEnd.all(tx, sourceId, targetId, runtime.ids.next())
  const follows = await usesBetweenEnd.all(tx, sourceId, targetId)
  invalidate('list_metrics', ...[...memberships, ...follows].map((row) => row.list_id))
  invalidate('user_metrics', ...memberships.map((row) => row.user_id))
}
