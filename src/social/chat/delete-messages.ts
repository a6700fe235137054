import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { forbidden, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { ActionSignatures, checkSignatures, claimsOf, readActions } from './action-signatures.ts'
import { WRITES_CHAT } from './chat-auth.ts'
import type { OwnConversation } from './conversation.statements.ts'
import { ChatConversationOrRecipientId, signedId } from './conversation-id.ts'
import { messagesErase, messagesHide, messagesToDelete } from './event.statements.ts'
import { findConversation, lockConversation } from './find-conversation.ts'
import { chatMediaRemove } from './media/chat-media.statements.ts'
import { appendEvents, findRepeated } from './store-events.ts'
import type { MessageDelete } from './wire/details.ts'

const optional = Type.Optional
const MOST_AT_ONCE = 100

const DeleteRequest = component(
  'DeleteChatMessagesRequest',
  closed({
    action_signatures: ActionSignatures,
    delete_message_action: words(['delete_for_all', 'delete_for_self']),
    media_hash_keys: optional(ownBound(Type.Array(ownBound(Type.String(), 50)), MOST_AT_ONCE)),
    sequence_ids: ownBound(Type.Array(ownBound(Type.String(), 19), { minItems: 1 }), MOST_AT_ONCE),
  }),
)

export const deleteChatMessages = defineOperation({
  id: 'deleteChatMessages',
  route: 'POST /2/chat/conversations/{id}/messages/delete',
  tag: 'Chat',
  summary: 'Delete messages for all members, or from the caller’s view',
  since: '2.167',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  body: DeleteRequest,
  reply: component(
    'DeleteChatMessagesResponse',
    Type.Object({
      data: optional(component('DeleteChatMessagesResponseData', Type.Object({ deleted: Type.Boolean() }))),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, runtime }) => {
    const callerId = userOf(caller).id
    const [action] = readActions(body.action_signatures, ['message_delete'])
    checkSame(action.detail, body)
    const found = await findConversation(runtime, path.id, callerId)
    await checkSignatures(runtime.database, callerId, claimsOf([action], callerId, signedId(found)))
    await change(runtime, async (tx, invalidate) => {
      const conversation = await lockConversation(tx, found, path.id, callerId)
      if (await findRepeated(tx, conversation, callerId, [action.event])) return
      const { sequences } = action.detail
      const messages = await messagesToDelete.all(tx, conversation.id, sequences, conversation.first_sequence)
      checkMessages(messages, action.detail, conversation, callerId)
      if (!action.detail.forAll) {
        // Others still see the messages and their files, so they get no event.
        await messagesHide.count(tx, conversation.id, callerId, sequences)
        return
      }
      await messagesErase.count(tx, conversation.id, sequences)
      await chatMediaRemove.count(
        tx,
        conversation.id,
        body.media_hash_keys ?? [],
        messages.map((message) => message.message_id),
        mayDeleteAll(conversation) ? null : callerId,
      )
      await appendEvents(tx, invalidate, runtime, conversation, callerId, [action.event])
    })
    return { data: { deleted: true } }
  },
})

/** The body must say what was signed. */
function checkSame(detail: MessageDelete, body: Static<typeof DeleteRequest>): void {
  if (detail.forAll !== (body.delete_message_action === 'delete_for_all'))
    throw invalidParameter(
      'delete_message_action',
      body.delete_message_action,
      `The signed deletion is ${detail.forAll ? 'for all members' : 'for the caller only'}.`,
    )
  const signed = new Set(detail.sequences)
  const isSame =
    new Set(body.sequence_ids).size === signed.size &&
    body.sequence_ids.every((id) => isStorableId(id) && signed.has(id))
  if (!isSame)
    throw invalidParameter(
      'sequence_ids',
      undefined,
      `sequence_ids must be those of the signed deletion, [${[...signed].slice(0, 20).join(', ')}].`,
    )
}

const mayDeleteAll = (conversation: OwnConversation): boolean => conversation.type === 'group' && conversation.is_admin

function checkMessages(
  messages: readonly { sequence: string; sender_id: string }[],
  detail: MessageDelete,
  conversation: OwnConversation,
  callerId: string,
): void {
  const known = new Set(messages.map((message) => message.sequence))
  const unknown = detail.sequences.filter((sequence) => !known.has(sequence))
  if (unknown.length > 0)
    throw invalidParameter(
      'sequence_ids',
      unknown[0],
      `The conversation has no messages with the sequence ids [${unknown.slice(0, 20).join(', ')}].`,
    )
  if (!detail.forAll || mayDeleteAll(conversation)) return
  if (messages.some((message) => message.sender_id !== callerId))
    throw forbidden('You can delete only your own messages for all members; admins of a group can delete any message.')
}
