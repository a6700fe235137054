import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { forbidden, invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { relation, type UserRow, userRow } from '../users/user.parts.ts'
import { spaceRow } from './space.object.ts'
import { type SpaceRow, spaceCreatorLock, spaceLock } from './space.statements.ts'

/** A space that a transaction has locked. */
export interface LockedSpace {
  tx: Tx
  row: SpaceRow
  now: Date
  invalidate: Invalidate
}

type State = 'scheduled' | 'live' | 'ended'

interface SpaceChange {
  /** The states in which a space can be changed so. */
  states: readonly State[]
  /** Completes the sentence of the refusal: a space "can be ...". */
  does: string
  /** Also locks the creator: first, wherever both are locked, so two changes never wait for each other. */
  ofCreator?: boolean
  /** Refuses a user who is suspended, or where there is a block between them and the creator. */
  guestId?: string
}

/** Changes a space in a transaction that has locked it. */
export async function changeSpace<T>(
  runtime: Runtime,
  id: string,
  { states, does, ofCreator = false, guestId }: SpaceChange,
  work: (space: LockedSpace) => Promise<T>,
): Promise<T> {
  const known = await runtime.parts.one(spaceRow, id)
  if (!known) throw objectNotFound(resourceNotFound('space', 'space', id))
  if (guestId !== undefined) await checkGuest(runtime, known, guestId)
  return change(runtime, async (tx, invalidate) => {
    if (ofCreator) await spaceCreatorLock.count(tx, known.creator_id)
    const row = await spaceLock.first(tx, id)
    if (!row) throw objectNotFound(resourceNotFound('space', 'space', id))
    if (!states.includes(row.state as State))
      throw invalidParameter(
        'space',
        id,
        `The space [${id}] is ${row.state}. Only a space that is ${states.join(' or ')} can be ${does}.`,
      )
    invalidate('space', id)
    return work({ tx, row, invalidate, now: new Date(runtime.clock.now()) })
  })
}

/** The user who does something; refused while the account is suspended. */
export async function findActor(runtime: Runtime, userId: string): Promise<UserRow> {
  const actor = (await runtime.parts.one(userRow, userId))!
  if (actor.suspended) throw forbidden(`@${actor.username} is suspended.`, 'the account of the user is suspended')
  return actor
}

async function checkGuest(runtime: Runtime, row: SpaceRow, userId: string): Promise<void> {
  const guest = await findActor(runtime, userId)
  const known = userId === row.creator_id ? undefined : await runtime.parts.one(relation, `${userId}:${row.creator_id}`)
  if (known?.blocks || known?.blocked_by)
    throw forbidden(
      `@${guest.username} cannot take part in this space: one of the two users blocks the other.`,
      'a block between the user and the creator of the space',
    )
}
