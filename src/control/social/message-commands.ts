import { closed, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { joinGroup, leaveGroup } from '../../social/messages/change-group.ts'
import { conversationOf } from '../../social/messages/conversation-id.ts'
import { indicateTyping, readMessages } from '../../social/messages/message-signals.ts'
import { defineCommand, findUser, NameOrId } from '../command.ts'
import { actAs } from '../triggers/trigger-context.ts'

// Actions that the platform offers only on its own pages: the interface has no operation for them.

const optional = Type.Optional
const Conversation = Type.String({ pattern: '^[0-9]{1,19}(-[0-9]{1,19})?$' })
const EventId = Type.String({ pattern: '^[0-9]{1,19}$' })

/** Who acts, and the conversation: by its id, or with another user. */
const Where = { user: NameOrId, conversation: optional(Conversation), with: optional(NameOrId) }

async function findConversation(runtime: Runtime, args: { user: string; conversation?: string; with?: string }) {
  const user = await findUser(runtime, args.user, 'user')
  if ((args.conversation === undefined) === (args.with === undefined))
    throw invalidParameter(
      'conversation',
      args.conversation,
      'Name either a conversation or, with `with`, another user.',
    )
  if (args.conversation !== undefined) return { user, conversationId: args.conversation }
  const other = await findUser(runtime, args.with!, 'with')
  return { user, conversationId: conversationOf(user.id, other.id) }
}

/** Marks messages as read: up to `event`, or all. */
export const messagesRead = defineCommand(
  'messages.read',
  closed({ ...Where, event: optional(EventId) }),
  async (runtime, args) => {
    const { user, conversationId } = await findConversation(runtime, args)
    const last = await readMessages(runtime, user.id, conversationId, args.event)
    return { user: user.username, conversation_id: conversationId, last_read_event_id: last }
  },
)

export const messagesTyping = defineCommand('messages.typing', closed(Where), async (runtime, args) => {
  const { user, conversationId } = await findConversation(runtime, args)
  await indicateTyping(runtime, user.id, conversationId)
  return { user: user.username, conversation_id: conversationId, typing: true }
})

/** Adds users to a group; `user` invites them. */
export const messagesJoin = defineCommand(
  'messages.join',
  closed({
    user: NameOrId,
    conversation: Conversation,
    participants: Type.Array(NameOrId, { minItems: 1, maxItems: 49 }),
  }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const invited = await Promise.all(args.participants.map((name) => findUser(runtime, name, 'participants')))
    const joined = await joinGroup(
      actAs(runtime, user),
      args.conversation,
      invited.map((item) => item.id),
    )
    return { user: user.username, conversation_id: args.conversation, joined_ids: joined }
  },
)

export const messagesLeave = defineCommand(
  'messages.leave',
  closed({ user: NameOrId, conversation: Conversation }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await leaveGroup(runtime, user.id, args.conversation)
    return { user: user.username, conversation_id: args.conversation, left: true }
  },
)

export const messageControlCommands = [messagesRead, messagesTyping, messagesJoin, messagesLeave]
