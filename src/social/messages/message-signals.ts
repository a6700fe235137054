import { change, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { isStorableId } from '../../process/ids.ts'
import { userRow } from '../users/user.parts.ts'
import { type NamedConversation, namedConversation } from './conversation-id.ts'
import { participantsOf, readMark } from './message.statements.ts'
import { checkMayWrite, messageRelation } from './message-rules.ts'
import { noConversation } from './send-message.ts'

// Reading and typing happen on the platform's own pages: the interface has no operation for them.

/** A conversation in which a user is, and who else is in it. */
async function findConversation(runtime: Runtime, userId: string, id: string) {
  const conversation: NamedConversation | undefined = namedConversation(id, userId)
  const members = conversation ? await participantsOf.all(runtime.database, conversation.id) : []
  const ids = members.map((row) => row.user_id)
  if (!conversation || !ids.includes(userId)) throw noConversation(id)
  return { ...conversation, recipientIds: ids.filter((other) => other !== userId) }
}

/** Marks the messages of a conversation as read, up to one or all of them. Returns the newest that is read; null when none is new. */
export async function readMessages(
  runtime: Runtime,
  userId: string,
  id: string,
  eventId: string | undefined,
): Promise<string | null> {
  if (eventId !== undefined && !isStorableId(eventId))
    throw invalidParameter('event', eventId, `There is no message [${eventId}].`)
  const { id: conversationId, otherId, recipientIds } = await findConversation(runtime, userId, id)
  // Nobody learns what a user reads who blocks them, or whom they block.
  const between = otherId === undefined ? undefined : await runtime.parts.one(messageRelation, `${userId}:${otherId}`)
  const isReported = !(
    between?.blocks ||
    between?.blocked_by ||
    between?.blocks_messages ||
    between?.messages_blocked_by
  )
  return change(runtime, async (tx) => {
    const moved = await readMark.first(tx, conversationId, userId, eventId ?? null)
    if (!moved?.last_read_event_id) return null
    if (isReported)
      await emit(tx, runtime, {
        type: 'message.read',
        actorId: userId,
        targetId: otherId,
        payload: {
          last_read_event_id: moved.last_read_event_id,
          conversation_id: conversationId,
          recipient_ids: recipientIds,
        },
      })
    return moved.last_read_event_id
  })
}

/** Reports that a user is typing in a conversation. */
export async function indicateTyping(runtime: Runtime, userId: string, id: string): Promise<void> {
  const { id: conversationId, otherId, recipientIds } = await findConversation(runtime, userId, id)
  if (otherId !== undefined) {
    const receiver = await runtime.parts.one(userRow, otherId)
    if (!receiver || receiver.suspended) throw invalidParameter('conversation', id, 'The other user is suspended.')
    await checkMayWrite(runtime, userId, [receiver])
  }
  await change(runtime, (tx) =>
    emit(tx, runtime, {
      type: 'message.typing',
      actorId: userId,
      targetId: otherId,
      payload: { conversation_id: conversationId, recipient_ids: recipientIds },
    }),
  )
}
