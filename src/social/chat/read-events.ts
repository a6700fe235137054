import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { pages, writeToken } from '../../api-kit/reading/paging.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { SigningKeyInfo } from './action-signatures.ts'
import { READS_CHAT } from './chat-auth.ts'
import type { OwnConversation } from './conversation.statements.ts'
import { ChatConversationOrRecipientId, signedId } from './conversation-id.ts'
import { type EventRow, eventsPage, keyChanges } from './event.statements.ts'
import { findConversation } from './find-conversation.ts'
import { onlyOlder } from './older-pages.ts'
import { conversationToken, encodeRow, showSignature } from './show-event.ts'

const optional = Type.Optional
const Text = Type.String()
const EVENT_FIELDS = [
  'conversation_id',
  'conversation_token',
  'created_at_msec',
  'encoded_event',
  'id',
  'is_trusted',
  'message_event_signature',
  'previous_id',
  'sender_id',
] as const
type EventField = (typeof EVENT_FIELDS)[number]

const ChatMessageEvent = component(
  'ChatMessageEvent',
  Type.Object({
    conversation_id: optional(Text),
    conversation_token: optional(Text),
    created_at_msec: optional(Text),
    encoded_event: Text,
    id: optional(Text),
    is_trusted: optional(Type.Boolean()),
    message_event_signature: optional(
      component(
        'ChatMessageEventSignature',
        Type.Object({
          message_signing_key_info_list: optional(Type.Array(SigningKeyInfo)),
          public_key_version: optional(Text),
          signature: optional(Text),
          signature_version: optional(Text),
          signing_public_key: optional(Text),
        }),
      ),
    ),
    previous_id: optional(Text),
    previous_sequence_id: optional(Text),
    sender_id: optional(Text),
    sequence_id: optional(Text),
  }),
)

export const getChatConversationEvents = defineOperation({
  id: 'getChatConversationEvents',
  route: 'GET /2/chat/conversations/{id}/events',
  tag: 'Chat',
  summary: 'List the messages and changes of a conversation, the newest first',
  auth: READS_CHAT,
  path: { id: ChatConversationOrRecipientId },
  query: {
    ...pages({ min: 1, max: 100, initial: 10, token: 'base36' }),
    'chat_message_event.fields': csv(words(EVENT_FIELDS), { unique: true, required: false }),
  },
  reply: component(
    'ChatGetConversationResponse',
    Type.Object({
      data: optional(Type.Array(ChatMessageEvent)),
      errors: ErrorsSchema,
      meta: optional(
        Type.Object({
          conversation_key_events: optional(Type.Array(Text)),
          has_more: optional(Type.Boolean()),
          next_token: optional(Text),
          result_count: optional(Type.Integer()),
        }),
      ),
    }),
  ),
  handle: async ({ path, query, caller, runtime }) => {
    const callerId = userOf(caller).id
    const conversation = await findConversation(runtime, path.id, callerId)
    const { rows, hasMore } = await readPage(runtime, conversation, callerId, {
      size: query.page.size,
      before: onlyOlder(query.page) ?? LARGEST_ID,
    })
    const changes = await keysFor(runtime, conversation, rows)
    const token = conversationToken(runtime, conversation.id, callerId)
    const asked = query['chat_message_event.fields']
    return {
      data: rows.map((row) => showEvent(row, conversation, callerId, token, asked)),
      meta: {
        conversation_key_events: changes.map((row) => encodeRow(row, conversation)),
        has_more: hasMore,
        next_token: hasMore ? writeToken({ direction: 'older', key: rows.at(-1)!.sequence }, 'base36') : undefined,
        result_count: rows.length,
      },
    }
  },
})

async function readPage(
  runtime: Runtime,
  conversation: OwnConversation,
  callerId: string,
  page: { size: number; before: string },
) {
  const found = await eventsPage.all(
    runtime.database,
    conversation.id,
    page.before,
    page.size + 1,
    conversation.first_sequence,
    new Date(runtime.clock.now()),
    callerId,
  )
  const rows = found.slice(0, page.size)
  return { rows, hasMore: (found[0]?.found ?? 0) > rows.length }
}

/** The key changes that a client needs to read a page, and the newest one, with which it encrypts. */
function keysFor(runtime: Runtime, conversation: OwnConversation, rows: readonly EventRow[]): Promise<EventRow[]> {
  const versions = new Set([conversation.key_version, ...rows.flatMap((row) => row.key_version ?? [])])
  return keyChanges.all(runtime.database, conversation.id, [...versions], conversation.first_sequence)
}

/** An event with all members, or with those that are asked for and the event itself. */
function showEvent(
  row: EventRow,
  conversation: OwnConversation,
  viewerId: string,
  token: string,
  asked: readonly EventField[],
) {
  const shows = (field: EventField): boolean => asked.length === 0 || asked.includes(field)
  return {
    encoded_event: encodeRow(row, conversation),
    ...(shows('id') ? { id: row.sequence, sequence_id: row.sequence } : {}),
    ...(shows('previous_id') && row.previous_sequence !== null
      ? { previous_id: row.previous_sequence, previous_sequence_id: row.previous_sequence }
      : {}),
    ...(shows('conversation_id') ? { conversation_id: signedId(conversation) } : {}),
    ...(shows('conversation_token') ? { conversation_token: token } : {}),
    ...(shows('created_at_msec') ? { created_at_msec: String(row.created_at.getTime()) } : {}),
    ...(shows('is_trusted') ? { is_trusted: conversation.accepted || row.sender_id === viewerId } : {}),
    ...(shows('message_event_signature') ? { message_event_signature: showSignature(row) } : {}),
    ...(shows('sender_id') ? { sender_id: row.sender_id } : {}),
  }
}
