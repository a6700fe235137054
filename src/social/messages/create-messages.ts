import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { UserId } from '../ids.ts'
import { findUserToActOn } from '../users/find-readable-user.ts'
import { DmConversationId, DmEventId } from './conversation-id.ts'
import { CreateDmConversationRequest, CreateMessageRequest } from './message.body.ts'
import { createGroup, sendToConversation, sendToUser } from './send-message.ts'

const auth = {
  oauth1: true,
  oauth2: ['dm.write', 'post.read', 'users.read'],
  level: 'read-write-messages',
} as const
const limit = { app: '1440/24h', user: '15/15m + 1440/24h' }
const reply = component(
  'CreateDmEventResponse',
  Type.Object({
    data: Type.Optional(Type.Object({ dm_conversation_id: DmConversationId, dm_event_id: DmEventId })),
    errors: ErrorsSchema,
  }),
)

export const createDirectMessagesConversation = defineOperation({
  id: 'createDirectMessagesConversation',
  route: 'POST /2/dm_conversations',
  tag: 'Direct Messages',
  summary: 'Create a group conversation with a first message',
  auth,
  limit,
  body: CreateDmConversationRequest,
  status: 201,
  reply,
  handle: async (input) => ({ data: await createGroup(input, input.body.participant_ids, input.body.message) }),
})

export const createDirectMessagesByParticipantId = defineOperation({
  id: 'createDirectMessagesByParticipantId',
  route: 'POST /2/dm_conversations/with/{participant_id}/messages',
  tag: 'Direct Messages',
  summary: 'Send a message to a user',
  auth,
  limit,
  path: { participant_id: UserId },
  body: CreateMessageRequest,
  status: 201,
  reply,
  handle: async (input) => {
    const receiver = await findUserToActOn(input.context, input.path.participant_id, 'participant_id')
    return { data: await sendToUser(input, receiver, input.body) }
  },
})

export const createDirectMessagesByConversationId = defineOperation({
  id: 'createDirectMessagesByConversationId',
  route: 'POST /2/dm_conversations/{dm_conversation_id}/messages',
  tag: 'Direct Messages',
  summary: 'Send a message to a conversation',
  auth,
  limit,
  path: { dm_conversation_id: DmConversationId },
  body: CreateMessageRequest,
  status: 201,
  reply,
  handle: async (input) => ({
    data: await sendToConversation(input, input.path.dm_conversation_id, input.body),
  }),
})
