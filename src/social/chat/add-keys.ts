import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { ActionSignatures, checkSignatures, claimsOf, readActions } from './action-signatures.ts'
import { WRITES_CHAT } from './chat-auth.ts'
import {
  conversationAdd,
  directOf,
  memberAccept,
  membersAdd,
  membersOf,
  type OwnConversation,
} from './conversation.statements.ts'
import { ChatConversationOrRecipientId, type Pair, shownId, signedIdOf } from './conversation-id.ts'
import { lockConversation, lookUp, nameOf, noConversation } from './find-conversation.ts'
import { checkCoverage, checkDescription, checkNewer, KeyVersion, ParticipantKeys } from './key-changes.ts'
import { checkRecipient } from './reachable-users.ts'
import { appendEvents, findRepeated } from './store-events.ts'

const optional = Type.Optional
const Request = component(
  'ChatInitializeConversationKeysRequest',
  closed({
    action_signatures: optional(ActionSignatures),
    base64_encoded_key_rotation: optional(ownBound(Type.String(), 131_072)),
    conversation_key_version: KeyVersion,
    conversation_participant_keys: ParticipantKeys,
  }),
)

export const addConversationKeys = defineOperation({
  id: 'addConversationKeys',
  route: 'POST /2/chat/conversations/{id}/keys',
  tag: 'Chat',
  summary: 'Create a direct conversation with its first key, or replace the key of a conversation',
  auth: WRITES_CHAT,
  path: { id: ChatConversationOrRecipientId },
  body: Request,
  reply: component(
    'ChatInitializeConversationKeysResponse',
    Type.Object({
      data: optional(Type.Object({ conversation_id: optional(Type.String()), sequence_id: optional(Type.String()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, context, runtime }) => {
    const callerId = userOf(caller).id
    const name = nameOf(path.id, callerId)
    const [action] = readActions(body.action_signatures, ['key_change'])
    checkDescription(runtime, action.detail, body)
    await checkSignatures(runtime.database, callerId, claimsOf([action], callerId, signedIdOf(name)))
    const known = await lookUp(runtime.database, name, callerId)
    if (!known && 'group' in name) throw noConversation(path.id)
    if ('pair' in name) {
      const otherId = otherOf(name.pair, callerId)
      const members = known ? await membersOf.all(runtime.database, known.id) : []
      const hasAccepted = members.some((member) => member.user_id === otherId && member.accepted)
      await checkRecipient(context, callerId, otherId, { hasAccepted })
    }
    return change(runtime, async (tx, invalidate) => {
      const found = known ?? (await createDirect(tx, invalidate, runtime, (name as { pair: Pair }).pair, callerId))
      const conversation = await lockConversation(tx, found, path.id, callerId)
      const [repeated] = (await findRepeated(tx, conversation, callerId, [action.event])) ?? []
      if (repeated) return answer(conversation, repeated.sequence)
      const members = await membersOf.all(tx, conversation.id)
      await checkCoverage(
        tx,
        action.detail,
        members.map((member) => member.user_id),
      )
      checkNewer(action.detail, conversation)
      const [sequence] = await appendEvents(tx, invalidate, runtime, conversation, callerId, [action.event])
      await memberAccept.count(tx, conversation.id, callerId)
      return answer(conversation, sequence!)
    })
  },
})

export type KeysRequest = Static<typeof Request>

const answer = (conversation: OwnConversation, sequence: string) => ({
  data: { conversation_id: shownId(conversation), sequence_id: sequence },
})

/** The other user of a pair; the user themselves where both are one. */
export const otherOf = ({ low, high }: Pair, userId: string): string => (low === userId ? high : low)

/** Creates the direct conversation of a pair, unless the other user has just done so. */
async function createDirect(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  pair: Pair,
  callerId: string,
): Promise<OwnConversation> {
  const id = runtime.ids.next()
  const now = new Date(runtime.clock.now())
  const made = await conversationAdd.first(tx, id, 'direct', pair.low, pair.high, null, null, null, null, '0', now)
  if (made) {
    invalidate('chat_conversation', id)
    await membersAdd.count(tx, id, [...new Set([pair.low, pair.high])], [], '0', callerId, '0')
  }
  return (await directOf.first(tx, pair.low, pair.high, callerId))!
}
