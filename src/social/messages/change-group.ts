import { userOf } from '../../api-kit/declaring/operation.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { groupHold, participantRemove, participantsAdd, participantsOf } from './message.statements.ts'
import { checkMayWrite } from './message-rules.ts'
import { addEvent, findParticipants, noConversation, type SendInput } from './send-message.ts'

// The interface has no operation that changes who is in a group: the platform offers it only on its own pages.

/** As many as a group can be created with. */
const MOST_IN_GROUP = 50

/** Adds users to a group in which the caller is. They see what happens from then on. Returns who was not in it. */
export async function joinGroup(
  input: SendInput,
  conversationId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const { caller, runtime, context } = input
  const inviterId = userOf(caller).id
  const invited = await findParticipants(input, userIds)
  await checkMayWrite(context, inviterId, invited)
  return change(runtime, async (tx) => {
    const held = await groupHold.first(tx, conversationId)
    const members = held ? (await participantsOf.all(tx, conversationId)).map((row) => row.user_id) : []
    if (!members.includes(inviterId)) throw noConversation(conversationId)
    const joined = (
      await participantsAdd.all(
        tx,
        conversationId,
        invited.map((row) => row.id),
      )
    ).map((row) => row.user_id)
    if (members.length + joined.length > MOST_IN_GROUP)
      throw forbidden(`A group can have at most ${MOST_IN_GROUP} participants.`)
    if (joined.length > 0)
      await addEvent(tx, runtime, {
        type: 'ParticipantsJoin',
        conversationId,
        actorId: inviterId,
        participantIds: joined,
      })
    return joined
  })
}

/** Takes a user out of a group. They keep what they have received. */
export async function leaveGroup(runtime: Runtime, userId: string, conversationId: string): Promise<void> {
  await change(runtime, async (tx) => {
    const held = await groupHold.first(tx, conversationId)
    if (!held || (await participantRemove.count(tx, conversationId, userId)) === 0) throw noConversation(conversationId)
    await addEvent(tx, runtime, {
      type: 'ParticipantsLeave',
      conversationId,
      actorId: userId,
      participantIds: [userId],
      alsoSeenBy: [userId],
    })
  })
}
