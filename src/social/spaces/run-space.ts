import type { Runtime } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { changeSpace, type LockedSpace } from './change-space.ts'
import { participantAdd, spaceCancel, spaceEnd, spaceStart, spacesOpen } from './space.statements.ts'

/** Starts a scheduled space. The interface has no operation for this. */
export const startSpace = (runtime: Runtime, id: string): Promise<void> =>
  changeSpace(runtime, id, { states: ['scheduled'], does: 'started', ofCreator: true }, (space) =>
    goLive(runtime, space),
  )

/** Makes a locked space live. Its creator, who is locked too, is the first to be in it. */
export async function goLive(runtime: Runtime, { tx, row, now }: LockedSpace): Promise<void> {
  const { live } = (await spacesOpen.first(tx, row.creator_id))!
  if (live !== null)
    throw forbidden(
      `The creator is live in the space [${live}]. A user can be live in one space of their own at a time.`,
      'the creator has a live space',
    )
  await spaceStart.count(tx, row.id, now)
  await participantAdd.count(tx, row.id, row.creator_id)
  await emit(tx, runtime, {
    type: 'space.start',
    actorId: row.creator_id,
    payload: { space_id: row.id, title: row.title },
  })
}

/** Ends a live space. Its counts stay as they are. */
export const endSpace = (runtime: Runtime, id: string): Promise<void> =>
  changeSpace(runtime, id, { states: ['live'], does: 'ended' }, async ({ tx, row, now }) => {
    await spaceEnd.count(tx, row.id, now)
    await emit(tx, runtime, {
      type: 'space.end',
      actorId: row.creator_id,
      payload: { space_id: row.id, title: row.title },
    })
  })

/** Cancels a scheduled space, which is then gone for everybody. */
export const cancelSpace = (runtime: Runtime, id: string): Promise<void> =>
  changeSpace(runtime, id, { states: ['scheduled'], does: 'cancelled' }, async ({ tx, row, now }) => {
    await spaceCancel.count(tx, row.id, now)
  })
