import { type Input, userOf } from '../../api-kit/declaring/operation.ts'
import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { blank, invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { jsonText } from '../../storage/json-text.ts'
import { shortLink, storeLinks } from '../links/short-link.ts'
import { withMentionIds } from '../posts/prepare-text.ts'
import { composeText } from '../text/compose-text.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { invalidateRelation } from '../user-pair.ts'
import { type UserRow, usernamePart, userRow } from '../users/user.parts.ts'
import { findMessageMedia, useMessageMedia } from './attach-media.ts'
import { conversationOf, namedConversation } from './conversation-id.ts'
import { findReferencedPosts } from './find-referenced-posts.ts'
import type { MessageDraft } from './message.body.ts'
import { conversationOpen, eventAdd, groupAdd, type MessageEventType } from './message.statements.ts'
import { checkMayWrite, checkNoBlock } from './message-rules.ts'

/** Who sends, and what is needed to check and store it. */
export type SendInput = Pick<Input<unknown, unknown, unknown>, 'caller' | 'runtime' | 'context'>

/** What sending answers with. */
export interface SentMessage {
  dm_conversation_id: string
  dm_event_id: string
}

/** A message that is checked and not stored yet. */
interface PreparedMessage {
  text: string | null
  entities: WireEntities | undefined
  mediaKey: string | null
  referencedPostIds: string[]
  links: string[]
}

/** The refusal of a conversation that does not exist, or in which the caller is not: nobody learns which. */
export const noConversation = (id: string) =>
  blank(404, `There is no conversation [${id}].`, 'the conversation does not exist, or the caller is not in it')

async function prepareMessage({ caller, runtime, context }: SendInput, draft: MessageDraft): Promise<PreparedMessage> {
  const mediaId = draft.attachments?.[0]?.media_id
  const typed = draft.text ?? ''
  if (typed.trim() === '' && mediaId === undefined)
    throw invalidRequest([
      {
        parameters: { text: draft.text === undefined ? [] : [draft.text] },
        message: 'A message needs a text or an attachment.',
      },
    ])
  const composed = composeText(typed, { shortLink })
  const names = [...new Set((composed.entities.mentions ?? []).map((mention) => mention.username.toLowerCase()))]
  const [mediaKey, ids, referencedPostIds] = await Promise.all([
    mediaId === undefined ? null : findMessageMedia(runtime, userOf(caller).id, mediaId),
    names.length === 0 ? new Map<string, string>() : runtime.parts.many(usernamePart, names),
    findReferencedPosts(
      context,
      typed,
      composed.links.map((link) => link.url),
    ),
  ])
  return {
    text: composed.text === '' ? null : composed.text,
    entities: withMentionIds(composed.entities, ids),
    mediaKey,
    referencedPostIds,
    links: composed.links.map((link) => link.url),
  }
}

/** Sends a message to one user. The conversation is created when needed. */
export async function sendToUser(input: SendInput, receiver: UserRow, draft: MessageDraft): Promise<SentMessage> {
  const { caller, runtime, context } = input
  const senderId = userOf(caller).id
  await checkMayWrite(context, senderId, [receiver])
  const message = await prepareMessage(input, draft)
  const conversationId = conversationOf(senderId, receiver.id)
  return change(runtime, async (tx, invalidate) => {
    await checkNoBlock(tx, senderId, receiver.id)
    const now = new Date(runtime.clock.now())
    const changed = await conversationOpen.all(tx, conversationId, senderId, receiver.id, now)
    // The receiver can be answered from now on, whatever the sender's setting.
    if (changed.length > 0) invalidateRelation(invalidate, { sourceId: senderId, targetId: receiver.id })
    return storeMessage(tx, invalidate, input, { conversationId, message, targetId: receiver.id })
  })
}

/** Sends a message to a conversation: to the other user, or to a group in which the caller is. */
export async function sendToConversation(input: SendInput, id: string, draft: MessageDraft): Promise<SentMessage> {
  const { caller, runtime, context } = input
  const conversation = namedConversation(id, userOf(caller).id)
  if (!conversation) throw noConversation(id)
  if (conversation.otherId !== undefined) {
    const receiver = await context.parts.one(userRow, conversation.otherId)
    if (!receiver || receiver.suspended) throw noConversation(id)
    return sendToUser(input, receiver, draft)
  }
  const message = await prepareMessage(input, draft)
  return change(runtime, (tx, invalidate) =>
    storeMessage(tx, invalidate, input, { conversationId: conversation.id, message }),
  )
}

/** Creates a group with a first message. The same users may have any number of groups. */
export async function createGroup(
  input: SendInput,
  participantIds: readonly string[],
  draft: MessageDraft,
): Promise<SentMessage> {
  const { caller, runtime, context } = input
  const senderId = userOf(caller).id
  const participants = await findParticipants(input, participantIds)
  await checkMayWrite(context, senderId, participants)
  const message = await prepareMessage(input, draft)
  const conversationId = runtime.ids.next()
  const members = [senderId, ...participants.map((row) => row.id)]
  return change(runtime, async (tx, invalidate) => {
    await groupAdd.count(tx, conversationId, members, new Date(runtime.clock.now()))
    await addEvent(tx, runtime, {
      type: 'ParticipantsJoin',
      conversationId,
      actorId: senderId,
      participantIds: members,
    })
    return storeMessage(tx, invalidate, input, { conversationId, message })
  })
}

/** The users that a request adds to a group: others than the caller, each once. */
export async function findParticipants({ caller, context }: SendInput, ids: readonly string[]): Promise<UserRow[]> {
  const refuse = (values: readonly string[], message: string) =>
    invalidRequest([{ parameters: { participant_ids: [...values] }, message }])
  if (ids.includes(userOf(caller).id))
    throw invalidParameter(
      'participant_ids',
      userOf(caller).id,
      'participant_ids cannot contain the caller, who is in the group anyway.',
    )
  if (new Set(ids).size < ids.length) throw refuse(ids, 'participant_ids contains a user more than once.')
  const found = await context.parts.many(userRow, ids.filter(isStorableId))
  const missing = ids.filter((id) => found.get(id)?.suspended !== false)
  if (missing.length > 0) throw refuse(missing, `There are no users [${missing.join(', ')}].`)
  return ids.map((id) => found.get(id)!)
}

/** An event of a conversation to store. */
interface NewMessageEvent {
  type: MessageEventType
  conversationId: string
  /** Who writes, invites or leaves. */
  actorId: string
  participantIds?: readonly string[]
  message?: PreparedMessage
  sourceAppId?: string
  /** Users who see it although they are not in the conversation any more. */
  alsoSeenBy?: readonly string[]
}

/** Stores an event of a conversation. Returns its id and who sees it; nobody when the actor is not in the conversation. */
export async function addEvent(
  tx: Tx,
  runtime: Runtime,
  event: NewMessageEvent,
): Promise<{ id: string; seenBy: string[] }> {
  const { message } = event
  const id = runtime.ids.next()
  const seers = await eventAdd.all(
    tx,
    id,
    event.conversationId,
    event.actorId,
    event.type,
    event.participantIds ?? [],
    message?.text ?? null,
    message?.entities ? jsonText(message.entities) : null,
    message?.mediaKey ?? null,
    message?.referencedPostIds ?? [],
    event.sourceAppId ?? null,
    new Date(runtime.clock.now()),
    event.alsoSeenBy ?? [],
  )
  return { id, seenBy: seers.map((row) => row.user_id) }
}

async function storeMessage(
  tx: Tx,
  invalidate: Invalidate,
  { caller, runtime }: SendInput,
  { conversationId, message, targetId }: { conversationId: string; message: PreparedMessage; targetId?: string },
): Promise<SentMessage> {
  const senderId = userOf(caller).id
  await storeLinks(tx, message.links)
  if (message.mediaKey !== null) await useMessageMedia(tx, invalidate, runtime, message.mediaKey)
  const { id, seenBy } = await addEvent(tx, runtime, {
    type: 'MessageCreate',
    conversationId,
    actorId: senderId,
    message,
    sourceAppId: caller.app.id,
  })
  if (seenBy.length === 0) throw noConversation(conversationId)
  if (message.mediaKey !== null) invalidate('message_media', ...seenBy.map((userId) => `${userId}:${message.mediaKey}`))
  await emit(tx, runtime, {
    type: 'message.create',
    actorId: senderId,
    targetId,
    payload: {
      event_id: id,
      conversation_id: conversationId,
      recipient_ids: seenBy.filter((userId) => userId !== senderId),
    },
  })
  return { dm_conversation_id: conversationId, dm_event_id: id }
}
