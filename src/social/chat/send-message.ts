import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { conflict, invalidParameter } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { sameText } from '../../process/secret-box.ts'
import { checkNoBlock } from '../messages/message-rules.ts'
import { checkMessageId, checkSignatureFacts, checkSignatures, readBytes, readEncoded } from './action-signatures.ts'
import { otherOf } from './add-keys.ts'
import { WRITES_CHAT } from './chat-auth.ts'
import { memberAccept, membersOf, type OwnConversation } from './conversation.statements.ts'
import { ChatConversationOrRecipientId, signedId } from './conversation-id.ts'
import { type EventRow, eventsByMessage } from './event.statements.ts'
import { findConversation, lockConversation } from './find-conversation.ts'
import { checkRecipient } from './reachable-users.ts'
import { conversationToken, encodeRow } from './show-event.ts'
import { appendEvents, findRepeated, type NewChatEvent } from './store-events.ts'
import { type MessageCreate, readMessageCreate, readSignature, type SignatureFacts } from './wire/details.ts'
import { messageDetail } from './wire/envelope.ts'
import { signedMessage } from './wire/signing.ts'

const optional = Type.Optional
const SIGNATURE = 'encoded_message_event_signature'

const SendRequest = component(
  'ChatSendMessageRequest',
  closed({
    conversation_token: optional(ownBound(Type.String(), 4_096)),
    encoded_message_create_event: ownBound(Type.String(), 262_144),
    encoded_message_event_signature: optional(ownBound(Type.String(), 4_096)),
    message_id: ownBound(Type.String(), 100),
  }),
)

export const sendChatMessage = defineOperation({
  id: 'sendChatMessage',
  route: 'POST /2/chat/conversations/{id}/messages',
  tag: 'Chat',
  summary: 'Send an encrypted message',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  body: SendRequest,
  status: 201,
  reply: component(
    'ChatSendMessageResponse',
    Type.Object({
      data: optional(Type.Object({ encoded_message_event: optional(Type.String()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, context, runtime }) => {
    const callerId = userOf(caller).id
    const sent = readSent(body)
    const conversation = await findConversation(runtime, path.id, callerId)
    checkToken(runtime, body.conversation_token, conversation, callerId)
    const signed = signedMessage(
      { messageId: body.message_id, senderId: callerId, conversationId: signedId(conversation) },
      sent.message,
    )
    await checkSignatures(runtime.database, callerId, [{ where: SIGNATURE, signature: sent.signature, signed }])
    await checkOther(runtime, context, conversation, callerId)
    const row = await storeMessage(runtime, path.id, conversation, callerId, sent)
    return { data: { encoded_message_event: encodeRow(row, conversation) } }
  },
})

/** A message as it was sent. */
interface SentMessage {
  message: MessageCreate
  signature: SignatureFacts
  event: NewChatEvent
}

function readSent(body: Static<typeof SendRequest>): SentMessage {
  checkMessageId(body.message_id, 'message_id')
  const create = readBytes(body.encoded_message_create_event, 'encoded_message_create_event')
  const message = readEncoded('encoded_message_create_event', () => readMessageCreate(create))
  const encoded = body.encoded_message_event_signature
  if (encoded === undefined)
    throw invalidParameter(
      SIGNATURE,
      undefined,
      `${SIGNATURE} is missing but it is required: members refuse unsigned messages.`,
    )
  const bytes = readBytes(encoded, SIGNATURE)
  const signature = readEncoded(SIGNATURE, () => readSignature(bytes))
  checkSignatureFacts(signature, SIGNATURE)
  return {
    message,
    signature,
    event: {
      messageId: body.message_id,
      kind: 'message',
      keyVersion: message.keyVersion,
      signerVersion: signature.publicKeyVersion,
      detail: messageDetail(create),
      signature: bytes,
    },
  }
}

function checkToken(
  runtime: Runtime,
  token: string | undefined,
  conversation: OwnConversation,
  callerId: string,
): void {
  if (token === undefined || sameText(token, conversationToken(runtime, conversation.id, callerId))) return
  throw invalidParameter(
    'conversation_token',
    token.slice(0, 60),
    'The conversation_token is not one of this conversation and caller. It can be left out.',
  )
}

async function storeMessage(
  runtime: Runtime,
  id: string,
  found: OwnConversation,
  senderId: string,
  { event, message }: SentMessage,
): Promise<EventRow> {
  const otherId = otherIn(found, senderId)
  return change(runtime, async (tx, invalidate) => {
    if (otherId !== undefined && otherId !== senderId) await checkNoBlock(tx, senderId, otherId)
    const conversation = await lockConversation(tx, found, id, senderId)
    const [repeated] = (await findRepeated(tx, conversation, senderId, [event])) ?? []
    if (repeated) return repeated
    checkKeyVersion(conversation, message)
    const members = await membersOf.all(tx, conversation.id)
    const ttlMs = message.ttlMs ?? (conversation.ttl_msec === null ? undefined : Number(conversation.ttl_msec))
    const [sequence] = await appendEvents(tx, invalidate, runtime, conversation, senderId, [event], {
      ...(ttlMs === undefined ? {} : { expiresAt: new Date(runtime.clock.now() + ttlMs) }),
    })
    await memberAccept.count(tx, conversation.id, senderId)
    await emit(tx, runtime, {
      type: 'chat.message',
      actorId: senderId,
      targetId: otherId,
      payload: {
        conversation_id: conversation.id,
        sequence: sequence!,
        member_ids: members.map((member) => member.user_id),
      },
    })
    return (await eventsByMessage.first(tx, conversation.id, [event.messageId]))!
  })
}

/** The other user of a direct conversation; undefined for a group. */
const otherIn = ({ low_user_id: low, high_user_id: high }: OwnConversation, userId: string): string | undefined =>
  low === null || high === null ? undefined : otherOf({ low, high }, userId)

/** Refuses a message to a user who does not want it. Before the transaction: a check inside would need a second connection. */
async function checkOther(
  runtime: Runtime,
  context: ReadContext,
  conversation: OwnConversation,
  senderId: string,
): Promise<void> {
  const otherId = otherIn(conversation, senderId)
  if (otherId === undefined) return
  const members = await membersOf.all(runtime.database, conversation.id)
  const hasAccepted = members.some((member) => member.user_id === otherId && member.accepted)
  await checkRecipient(context, senderId, otherId, { hasAccepted })
}

/** A message uses the newest key: an older one is known to fewer members, or to former ones. */
function checkKeyVersion(conversation: OwnConversation, { keyVersion }: MessageCreate): void {
  if (keyVersion !== conversation.key_version)
    throw conflict(
      `The message is encrypted with the key version [${keyVersion}], but the newest of the conversation is [${conversation.key_version}].`,
    )
  if (conversation.key_is_stale)
    throw conflict(
      `A former member knows the key version [${keyVersion}]. Add a new key to the conversation before sending messages.`,
    )
}
