import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { addIncludes, ErrorsSchema, singleReply } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { pages, readKeyedPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerOne, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { LISTS_CHAT, READS_CHAT } from './chat-auth.ts'
import { chatConversation } from './conversation.object.ts'
import { conversationList, hasRequests } from './conversation.statements.ts'
import { ChatConversationOrRecipientId } from './conversation-id.ts'
import { findConversation } from './find-conversation.ts'
import { onlyOlder } from './older-pages.ts'

const optional = Type.Optional
// Clients ask for no fields and read all of them.
const selection = selects(() => chatConversation, { allByDefault: true })

const ConversationsReply = addIncludes(
  component(
    'ChatGetConversationsResponse',
    Type.Object({
      data: optional(Type.Array(chatConversation.schema)),
      errors: ErrorsSchema,
      meta: optional(
        Type.Object({
          has_message_requests: optional(Type.Boolean()),
          has_more: optional(Type.Boolean()),
          next_token: optional(Type.String()),
          result_count: optional(Type.Integer()),
        }),
      ),
    }),
  ),
)

export const getChatConversations = defineOperation({
  id: 'getChatConversations',
  route: 'GET /2/chat/conversations',
  tag: 'Chat',
  summary: 'List the caller’s encrypted conversations, the one with the newest event first',
  auth: LISTS_CHAT,
  query: { ...pages({ min: 1, max: 100, initial: 10, token: 'base36' }), ...selection },
  reply: ConversationsReply,
  handle: async ({ query, caller, context, runtime }) => {
    onlyOlder(query.page)
    const callerId = userOf(caller).id
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, conversationList, callerId)
    const requests = await hasRequests.first(runtime.database, callerId)
    return answerPage(context, ids, query.selection, {
      has_message_requests: requests?.found === true,
      has_more: meta.next_token !== undefined,
      ...(meta.next_token === undefined ? {} : { next_token: meta.next_token }),
    })
  },
})

export const getChatConversation = defineOperation({
  id: 'getChatConversation',
  route: 'GET /2/chat/conversations/{id}',
  tag: 'Chat',
  summary: 'Get an encrypted conversation',
  auth: READS_CHAT,
  path: { id: ChatConversationOrRecipientId },
  query: selection,
  reply: singleReply('Get2ChatConversationsIdResponse', chatConversation),
  handle: async ({ path, query, caller, context, runtime }) => {
    const { id } = await findConversation(runtime, path.id, userOf(caller).id)
    return answerOne(context, { id, value: path.id }, query.selection, 'id')
  },
})
