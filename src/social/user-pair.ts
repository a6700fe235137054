import type { Caller } from '../api-kit/declaring/caller.ts'
import { userOf } from '../api-kit/declaring/operation.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import type { Invalidate } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { isStorableId } from '../process/ids.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'
import { findUserToActOn } from './users/find-readable-user.ts'

/** The user who acts, and the user whom it concerns. */
export interface UserPair {
  sourceId: string
  targetId: string
}

/**
 * Serialises changes between two users: a follow sees an earlier block, and a block an earlier follow. Counters are locked
 * in one order, so two users who follow each other at the same time never deadlock.
 */
export const userPairLock = statement(
  'user_pair_lock',
  {},
  'select user_id from user_metrics where user_id = any($1::bigint[]) order by user_id for no key update',
)

// Not the rows of the users: whoever gets many messages could then hardly write posts.
const messagePair = `${LOCK.messagePair}, hashtext(least($1::bigint, $2::bigint) || '-' || greatest($1::bigint, $2::bigint))`

/** Delays a block between two users until the transaction ends. Several messages can do so at the same time. */
export const messagePairShare = statement(
  'message_pair_share',
  {},
  `select pg_advisory_xact_lock_shared(${messagePair})`,
)
/** Waits for the messages that are being stored between two users, and delays others. */
export const messagePairLock = statement('message_pair_lock', {}, `select pg_advisory_xact_lock(${messagePair})`)

/** Invalidates the cached relation between two users. */
export const invalidateRelation = (invalidate: Invalidate, { sourceId, targetId }: UserPair): void =>
  invalidate('relation', `${sourceId}:${targetId}`, `${targetId}:${sourceId}`)

/** The caller and the user whom a body names: 400 for the caller, 404 for an unknown user. */
export async function pairWithOther(
  context: ReadContext,
  caller: Caller,
  targetId: string,
  verb: 'follow' | 'mute' | 'block',
): Promise<UserPair> {
  const sourceId = userOf(caller).id
  if (targetId === sourceId) throw invalidParameter('target_user_id', targetId, `You cannot ${verb} yourself.`)
  await findUserToActOn(context, targetId, 'target_user_id')
  return { sourceId, targetId }
}

/** The caller and the user whom a path names; undefined for an id that no user can have. */
export function pairOfPath(caller: Caller, targetId: string): UserPair | undefined {
  if (!isStorableId(targetId)) return undefined
  // Without leading zeros, like the keys of the cache.
  return { sourceId: userOf(caller).id, targetId: BigInt(targetId).toString() }
}
