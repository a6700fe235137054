import type { Caller } from '../api-kit/declaring/caller.ts'
import { userOf } from '../api-kit/declaring/operation.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import type { Invalidate } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { isStorableId } from '../process/ids.ts'
import { statement } from '../storage/statement.ts'
import { findUserOfPath } from './users/find-readable-user.ts'

/** Who does something, and to whom. */
export interface UserPair {
  sourceId: string
  targetId: string
}

/**
 * Lets one change at a time happen between two users: whoever follows sees the block, and whoever blocks the follow, that
 * came first. The counters are taken in one order, so that two users who follow each other never wait for each other.
 */
export const userPairLock = statement(
  'user_pair_lock',
  {},
  'select user_id from user_metrics where user_id = any($1::bigint[]) order by user_id for no key update',
)

/** Makes old what is remembered of how two users stand to each other. */
export const invalidateRelation = (invalidate: Invalidate, { sourceId, targetId }: UserPair): void =>
  invalidate('relation', `${sourceId}:${targetId}`, `${targetId}:${sourceId}`)

/** The caller and the other user whom a body names: 400 for themselves, 404 for nobody. */
export async function pairWithOther(
  context: ReadContext,
  caller: Caller,
  targetId: string,
  verb: 'follow' | 'mute',
): Promise<UserPair> {
  const sourceId = userOf(caller).id
  if (targetId === sourceId) throw invalidParameter('target_user_id', targetId, `You can not ${verb} yourself.`)
  await findUserOfPath(context, targetId, 'target_user_id')
  return { sourceId, targetId }
}

/** The caller and the other user whom a path names; undefined for an id that nobody can have. */
export function pairOfPath(caller: Caller, targetId: string): UserPair | undefined {
  if (!isStorableId(targetId)) return undefined
  // Without leading zeros, as ids are remembered.
  return { sourceId: userOf(caller).id, targetId: BigInt(targetId).toString() }
}
