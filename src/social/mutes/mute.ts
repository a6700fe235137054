import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { invalidateRelation, type UserPair } from '../user-pair.ts'
import { muteAdd, muteRemove } from './mute.statements.ts'

/** Mutes a user. They are not notified. */
export async function mute(tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair): Promise<void> {
  if (!(await muteAdd.first(tx, pair.sourceId, pair.targetId, runtime.ids.next()))) return
  invalidateRelation(invalidate, pair)
  await emit(tx, runtime, { type: 'mute.mute', actorId: pair.sourceId, targetId: pair.targetId, payload: {} })
}

export async function unmute(tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair): Promise<void> {
  if ((await muteRemove.count(tx, pair.sourceId, pair.targetId)) === 0) return
  invalidateRelation(invalidate, pair)
  await emit(tx, runtime, { type: 'mute.unmute', actorId: pair.sourceId, targetId: pair.targetId, payload: {} })
}
