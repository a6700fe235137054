import type { House, Touch } from '../../api-kit/house.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { touchRelation, type UserPair } from '../user-pair.ts'
import { muteAdd, muteRemove } from './mute.statements.ts'

/** Mutes a user, who is not told of it. */
export async function mute(tx: Tx, touch: Touch, house: House, pair: UserPair): Promise<void> {
  if (!(await muteAdd.first(tx, pair.sourceId, pair.targetId, house.ids.next()))) return
  touchRelation(touch, pair)
  await emit(tx, house, { type: 'mute.mute', actorId: pair.sourceId, targetId: pair.targetId, payload: {} })
}

export async function unmute(tx: Tx, touch: Touch, house: House, pair: UserPair): Promise<void> {
  if ((await muteRemove.count(tx, pair.sourceId, pair.targetId)) === 0) return
  touchRelation(touch, pair)
  await emit(tx, house, { type: 'mute.unmute', actorId: pair.sourceId, targetId: pair.targetId, payload: {} })
}
