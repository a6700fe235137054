import type { Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { isInClosedCommunity } from '../communities/closed-communities.ts'
import { postRow } from '../posts/post.parts.ts'
import { userRow } from '../users/user.parts.ts'
import { isPublicAccount } from '../visibility.ts'
import { changeSpace, type LockedSpace } from './change-space.ts'
import { MOST_SPEAKERS } from './create-space.ts'
import {
  participantAdd,
  participantFind,
  participantRemove,
  reminderRemove,
  type SpaceRow,
  spacePostsAdd,
  spaceSpeakers,
  subscriberAdd,
  ticketFind,
} from './space.statements.ts'

// What users do in spaces. The interface has no operations for this.

const MOST_INVITED = 100
const NO_TICKET = '0'

const speaks = (row: SpaceRow, userId: string): boolean =>
  row.host_ids.includes(userId) || row.speaking_ids.includes(userId)

/** A user comes into a live space. Doing it again changes nothing. */
export const joinSpace = (runtime: Runtime, id: string, userId: string): Promise<void> =>
  changeSpace(runtime, id, { states: ['live'], does: 'joined', guestId: userId }, async ({ tx, row }) => {
    const isAwaited = row.host_ids.includes(userId) || row.invited_user_ids.includes(userId)
    if (row.is_ticketed && !isAwaited && !(await ticketFind.first(tx, id, userId)))
      throw forbidden('This space is ticketed, and the user has no ticket.', 'the user has no ticket')
    await participantAdd.count(tx, id, userId)
  })

/** A user goes out of a live space. */
export const leaveSpace = (runtime: Runtime, id: string, userId: string): Promise<void> =>
  changeSpace(runtime, id, { states: ['live'], does: 'left' }, async ({ tx, row }) => {
    if (row.creator_id === userId)
      throw forbidden('The creator cannot leave a live space. End it instead.', 'the user is the creator')
    await participantRemove.count(tx, id, userId)
  })

/** Invites a user to speak. */
export const inviteSpeaker = (runtime: Runtime, id: string, userId: string): Promise<void> =>
  changeSpace(
    runtime,
    id,
    { states: ['scheduled', 'live'], does: 'joined by invited users', guestId: userId },
    async (space) => {
      const invited = [...new Set([...space.row.invited_user_ids, userId])]
      if (invited.length > MOST_INVITED)
        throw invalidParameter('user', userId, `At most ${MOST_INVITED} users can be invited to a space.`)
      await storeSpeakers(space, { invited })
    },
  )

/** Lets a user who is in the space speak, or with false only listen again. Hosts always can speak. */
export const setSpeaking = (runtime: Runtime, id: string, userId: string, speaking: boolean): Promise<void> =>
  changeSpace(runtime, id, { states: ['live'], does: 'spoken in', guestId: userId }, async (space) => {
    const { tx, row } = space
    if (row.host_ids.includes(userId)) return
    if (!speaking) return storeSpeakers(space, { speaking: row.speaking_ids.filter((other) => other !== userId) })
    if (!(await participantFind.first(tx, id, userId))!.present)
      throw forbidden('Only users who are in a space can speak in it.', 'the user is not in the space')
    if (!speaks(row, userId) && row.host_ids.length + row.speaking_ids.length >= MOST_SPEAKERS)
      throw forbidden(`A space has at most ${MOST_SPEAKERS} hosts and speakers.`, 'the space has no room for a speaker')
    await storeSpeakers(space, {
      speaking: [...new Set([...row.speaking_ids, userId])],
      spoke: [...new Set([...row.speaker_ids, userId])],
    })
  })

async function storeSpeakers(
  { tx, row, now }: LockedSpace,
  lists: { speaking?: string[]; spoke?: string[]; invited?: string[] },
): Promise<void> {
  const { speaking = row.speaking_ids, spoke = row.speaker_ids, invited = row.invited_user_ids } = lists
  await spaceSpeakers.count(tx, row.id, spoke, speaking, invited, now)
}

/** A user wants to be reminded of a space, or with false no longer. */
export const setReminder = (runtime: Runtime, id: string, userId: string, reminded: boolean): Promise<void> =>
  changeSpace(
    runtime,
    id,
    { states: ['scheduled', 'live'], does: 'subscribed to', guestId: userId },
    async ({ tx }) => {
      if (reminded) await subscriberAdd.all(tx, id, userId, NO_TICKET)
      else await reminderRemove.count(tx, id, userId)
    },
  )

/** A user buys a ticket. Returns its number; a user who has one gets the same. */
export const buyTicket = (runtime: Runtime, id: string, userId: string): Promise<string> =>
  changeSpace(
    runtime,
    id,
    { states: ['scheduled', 'live'], does: 'paid for', guestId: userId },
    async ({ tx, row }) => {
      if (!row.is_ticketed) throw invalidParameter('space', id, `The space [${id}] has no tickets.`)
      if (row.host_ids.includes(userId)) throw forbidden('Hosts need no ticket.', 'the user is a host of the space')
      return (await subscriberAdd.first(tx, id, userId, runtime.ids.next()))!.ticket_id
    },
  )

/** A host or speaker shares a post with everybody in the space. */
export async function shareInSpace(runtime: Runtime, id: string, userId: string, postId: string): Promise<void> {
  const shared = isStorableId(postId) ? await runtime.parts.one(postRow, postId) : undefined
  if (!shared) throw objectNotFound(resourceNotFound('post', 'post', postId))
  const author = (await runtime.parts.one(userRow, shared.author_id))!
  if (!isPublicAccount(author) || (await isInClosedCommunity(runtime, shared)))
    throw forbidden(say`Only a public ${named('Post')} can be shared in a space.`, 'not everybody may see the post')
  await changeSpace(runtime, id, { states: ['live'], does: 'shared in', guestId: userId }, async ({ tx, row }) => {
    if (!speaks(row, userId))
      throw forbidden('Only hosts and speakers can share in a space.', 'the user is neither a host nor a speaker')
    await spacePostsAdd.count(tx, [id], shared.id)
  })
}
