import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { WRITES_CHAT } from './chat-auth.ts'
import { memberSeen } from './conversation.statements.ts'
import { ChatConversationOrRecipientId } from './conversation-id.ts'
import { eventExists } from './event.statements.ts'
import { findConversation } from './find-conversation.ts'

const successReply = (name: string) =>
  component(
    name,
    Type.Object({
      data: Type.Optional(Type.Object({ success: Type.Optional(Type.Boolean()) })),
      errors: ErrorsSchema,
    }),
  )

export const markChatConversationRead = defineOperation({
  id: 'markChatConversationRead',
  route: 'POST /2/chat/conversations/{id}/read',
  tag: 'Chat',
  summary: 'Mark a conversation as read up to an event',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  body: component('ChatMarkConversationReadRequest', closed({ seen_until_sequence_id: ownBound(Type.String(), 100) })),
  reply: successReply('ChatMarkConversationReadResponse'),
  handle: async ({ path, body, caller, runtime }) => {
    const callerId = userOf(caller).id
    const conversation = await findConversation(runtime, path.id, callerId)
    const until = body.seen_until_sequence_id
    const event = isStorableId(until)
      ? await eventExists.first(runtime.database, conversation.id, until, conversation.first_sequence)
      : undefined
    if (!event)
      throw invalidParameter(
        'seen_until_sequence_id',
        until,
        `The conversation has no event with the sequence id [${until}].`,
      )
    // Nobody signs this mark, so it becomes no event: clients refuse unsigned ones.
    await memberSeen.count(runtime.database, conversation.id, callerId, event.sequence)
    return { data: { success: true } }
  },
})

export const sendChatTypingIndicator = defineOperation({
  id: 'sendChatTypingIndicator',
  route: 'POST /2/chat/conversations/{id}/typing',
  tag: 'Chat',
  summary: 'Say that the caller is typing',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  reply: successReply('ChatSendTypingIndicatorResponse'),
  handle: async ({ path, caller, runtime }) => {
    await findConversation(runtime, path.id, userOf(caller).id)
    return { data: { success: true } }
  },
})
