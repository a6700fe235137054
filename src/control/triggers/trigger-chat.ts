import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { addConversationKeys } from '../../social/chat/add-keys.ts'
import { pairOf, signedIdOf } from '../../social/chat/conversation-id.ts'
import { lookUp } from '../../social/chat/find-conversation.ts'
import { createChatConversation, initializeChatGroup } from '../../social/chat/groups.ts'
import { sendChatMessage } from '../../social/chat/send-message.ts'
import { groupBody, keyChangeBody, messageBody, playClient } from './played-chat-client.ts'
import { operate, type Trigger, type TriggerContext, type TriggerResult, unblockBoth } from './trigger-context.ts'

async function playBoth(context: TriggerContext) {
  const { runtime, user, target } = context
  if (user.id === target.id)
    throw invalidParameter('target', target.username, `The user and the target are both @${user.username}.`)
  const client = await playClient(runtime, user)
  await playClient(runtime, target)
  await unblockBoth(context)
  return client
}

/** Sends a message that nobody can read. A conversation that the two do not have yet is started first. */
async function sendMessage(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, target, first } = context
  const client = await playBoth(context)
  const name = { pair: pairOf(user.id, target.id) }
  const known = await lookUp(runtime.database, name, user.id)
  const version = known?.key_version ?? String(runtime.clock.now())
  if (!known) {
    const body = keyChangeBody(client, [user.id, target.id], version)
    await operate(runtime, user, addConversationKeys, { path: { id: target.id }, body })
    first.push(`@${user.username} started a conversation with @${target.username}`)
  }
  const body = messageBody(client, signedIdOf(name), version)
  await operate(runtime, user, sendChatMessage, { path: { id: target.id }, body })
  return {
    done: `@${user.username} sent @${target.username} an encrypted message that nobody can read`,
    ids: { message_id: body.message_id },
    event: { type: 'chat.message', target_id: target.id },
  }
}

async function joinGroup(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, target } = context
  const client = await playBoth(context)
  const reserved = (await operate(runtime, user, initializeChatGroup, { path: {} })) as {
    data: { conversation_id: string }
  }
  const id = reserved.data.conversation_id
  const body = groupBody(client, id, [user.id, target.id], String(runtime.clock.now()))
  await operate(runtime, user, createChatConversation, { path: {}, body })
  return {
    done: `@${user.username} created the group ${id} with @${target.username}`,
    ids: { conversation_id: id },
    event: { type: 'chat.join' },
  }
}

const sends: Trigger = {
  does: 'U sends T an encrypted message that nobody can read; both must have no chat client of their own',
  takes: ['target'],
  run: sendMessage,
}

/** Triggers of encrypted chat. */
export const chatTriggers: Readonly<Record<string, Trigger>> = {
  'chat.sent': sends,
  'chat.received': { ...sends, does: 'the same as chat.sent: T receives the message' },
  'chat.conversation_join': {
    does: 'U creates an encrypted group with T; both must have no chat client of their own',
    takes: ['target'],
    run: joinGroup,
  },
}
