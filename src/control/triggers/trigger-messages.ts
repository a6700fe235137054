import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { setMessageBlock } from '../../social/messages/block-messages.ts'
import { conversationOf } from '../../social/messages/conversation-id.ts'
import { messageRelation, receivesMessages } from '../../social/messages/message-rules.ts'
import { indicateTyping, readMessages } from '../../social/messages/message-signals.ts'
import { type SentMessage, sendToUser } from '../../social/messages/send-message.ts'
import {
  actAs,
  relate,
  type StoredUser,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  unblockBoth,
  uniqueText,
} from './trigger-context.ts'

/** Removes what keeps one of the two users from writing to the other: blocks, and the setting of who receives. */
async function openMessages(context: TriggerContext, sender: StoredUser, receiver: StoredUser): Promise<void> {
  const { runtime, first } = context
  if (sender.id === receiver.id)
    throw invalidParameter('target', receiver.username, `The user and the target are both @${sender.username}.`)
  await unblockBoth(context)
  const between = (await runtime.parts.one(messageRelation, `${sender.id}:${receiver.id}`))!
  for (const [isBlocked, source, target] of [
    [between.blocks_messages, sender, receiver],
    [between.messages_blocked_by, receiver, sender],
  ] as const) {
    if (!isBlocked) continue
    await setMessageBlock(runtime, { sourceId: source.id, targetId: target.id }, false)
    first.push(`@${source.username} allowed the messages of @${target.username}`)
  }
  const now = (await runtime.parts.one(messageRelation, `${sender.id}:${receiver.id}`))!
  if (!receivesMessages(now, receiver)) first.push(await relate(runtime, 'follow', true, receiver, sender))
}

/** Sends a message from one user to the other. */
async function send(context: TriggerContext, sender: StoredUser, receiver: StoredUser): Promise<SentMessage> {
  await openMessages(context, sender, receiver)
  const text = context.text ?? uniqueText(context, 'Triggered')
  return sendToUser(actAs(context.runtime, sender), receiver, { text })
}

async function sendMessage(context: TriggerContext): Promise<TriggerResult> {
  const { user, target } = context
  const sent = await send(context, user, target)
  return {
    done: `@${user.username} sent message ${sent.dm_event_id} to @${target.username}`,
    ids: { ...sent },
    event: { type: 'message.create', target_id: target.id },
  }
}

/** The user reads a new message of the target. */
async function readMessage(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, target, first } = context
  const sent = await send(context, target, user)
  first.push(`@${target.username} sent message ${sent.dm_event_id} to @${user.username}`)
  await readMessages(runtime, user.id, sent.dm_conversation_id, sent.dm_event_id)
  return {
    done: `@${user.username} read message ${sent.dm_event_id}`,
    ids: { ...sent },
    event: { type: 'message.read', target_id: target.id },
  }
}

/** The user types in the conversation with the target, which is begun where there is none. */
async function type(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, target, first } = context
  await openMessages(context, user, target)
  const conversationId = conversationOf(user.id, target.id)
  const written = (await runtime.parts.one(messageRelation, `${target.id}:${user.id}`))!.written_by
  if (!written) {
    const sent = await send(context, user, target)
    first.push(`@${user.username} sent message ${sent.dm_event_id} to @${target.username}`)
  }
  await indicateTyping(runtime, user.id, conversationId)
  return {
    done: `@${user.username} is typing to @${target.username}`,
    ids: { dm_conversation_id: conversationId },
    event: { type: 'message.typing', target_id: target.id },
  }
}

export const messageTriggers: Readonly<Record<string, Trigger>> = {
  'dm.sent': { does: 'U sends T a message', takes: ['target', 'text'], run: sendMessage },
  'dm.received': { does: 'U sends T a message, which T receives', takes: ['target', 'text'], run: sendMessage },
  'dm.read': { does: 'U reads a message of T', takes: ['target', 'text'], run: readMessage },
  'dm.indicate_typing': { does: 'U types a message to T', takes: ['target'], run: type },
}
