import { closed, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { shownId } from '../../social/chat/conversation-id.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { statement } from '../../storage/statement.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'
import { beforeId, DEFAULT_LIMIT, PageArgs, paged } from './page.ts'

const optional = Type.Optional
const ConversationId = Type.String({ pattern: '^[0-9]{1,19}(-[0-9]{1,19})?$' })
const ChatId = Type.String({ pattern: '^([0-9]{1,19}-[0-9]{1,19}|g[0-9]{1,19})$' })

const conversationColumns = {
  id: 'text',
  is_group: 'bool',
  created_at: 'timestamptz',
  participants: 'text[]',
  last_text: 'text?',
  last_at: 'timestamptz?',
} as const
const CONVERSATIONS = `select c.id, c.is_group, c.created_at,
       array(select u.username from dm_participant p join user_account u on u.id = p.user_id where p.conversation_id = c.id order by u.id limit 50) as participants,
       l.text as last_text, l.created_at as last_at
  from dm_conversation c left join lateral (
    select e.text, e.created_at from dm_event e where e.conversation_id = c.id order by e.id desc limit 1) l on true`
const conversationsAll = statement(
  'inspect_conversations',
  conversationColumns,
  `${CONVERSATIONS} where c.id > $1 order by c.id limit $2`,
)
const conversationsOfUser = statement(
  'inspect_conversations_of_user',
  conversationColumns,
  `${CONVERSATIONS} where c.id > $1 and c.id in (select p.conversation_id from dm_participant p where p.user_id = $3) order by c.id limit $2`,
)
const conversationFind = statement('inspect_conversation', conversationColumns, `${CONVERSATIONS} where c.id = $1`)

/** What happened in a conversation, the newest first, with those who still see it. */
const messagesOf = statement(
  'inspect_messages',
  {
    id: 'int8',
    type: 'text',
    sender_id: 'int8?',
    sender: 'text?',
    text: 'text?',
    media_key: 'text?',
    participant_ids: 'int8[]',
    referenced_post_ids: 'int8[]',
    created_at: 'timestamptz',
    seen_by: 'text[]',
  },
  `select e.id, e.type, e.sender_id, u.username as sender, e.text, e.media_key, e.participant_ids, e.referenced_post_ids, e.created_at,
          array(select v.username from dm_view w join user_account v on v.id = w.user_id where w.event_id = e.id order by v.id limit 50) as seen_by
     from dm_event e left join user_account u on u.id = e.sender_id
    where e.conversation_id = $3 and e.id < $1 order by e.id desc limit $2`,
)

const chatColumns = {
  id: 'int8',
  type: 'text',
  low_user_id: 'int8?',
  high_user_id: 'int8?',
  group_name: 'text?',
  members: 'text[]',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const CHATS = `select c.id, c.type, c.low_user_id, c.high_user_id, c.group_name, c.created_at, c.updated_at,
       array(select u.username from chat_member m join user_account u on u.id = m.user_id
              where m.conversation_id = c.id and m.left_sequence is null order by m.position limit 50) as members
  from chat_conversation c`
const chatsFound = statement(
  'inspect_chats',
  chatColumns,
  `${CHATS} where c.id < $1 and ($3::bigint is null or c.id in (select m.conversation_id from chat_member m where m.user_id = $3))
    order by c.id desc limit $2`,
)
const chatOfPair = statement(
  'inspect_chat_of_pair',
  chatColumns,
  `${CHATS} where c.type = 'direct' and c.low_user_id = $1 and c.high_user_id = $2`,
)
const chatGroup = statement('inspect_chat_group', chatColumns, `${CHATS} where c.type = 'group' and c.id = $1`)

/** The envelopes of an encrypted conversation: who, when and how large. The server cannot read what is inside. */
const envelopesOf = statement(
  'inspect_envelopes',
  {
    sequence: 'int8',
    message_id: 'text',
    kind: 'text',
    sender_id: 'int8',
    sender: 'text',
    key_version: 'int8?',
    bytes: 'int4?',
    created_at: 'timestamptz',
    expires_at: 'timestamptz?',
  },
  `select e.sequence, e.message_id, e.kind, e.sender_id, u.username as sender, e.key_version, octet_length(e.detail) as bytes, e.created_at, e.expires_at
     from chat_event e join user_account u on u.id = e.sender_id
    where e.conversation_id = $3 and e.sequence < $1 order by e.sequence desc limit $2`,
)

/** Operators read what the sender typed. */
const typed = (text: string | null): string | null => (text === null ? null : unescapeMarkup(text))

const asTyped = <R extends { last_text: string | null }>(row: R): R => ({ ...row, last_text: typed(row.last_text) })

const withNext = (next: string | undefined) => (next === undefined ? {} : { next })
const OfUser = { user: optional(NameOrId), ...PageArgs }

async function findChat({ database }: Runtime, id: string): Promise<ChatRow | undefined> {
  const ids = id.replace('g', '').split('-')
  if (!ids.every(isStorableId)) return undefined
  const [low, high] = ids as [string, string?]
  return high === undefined ? chatGroup.first(database, low) : chatOfPair.first(database, low, high)
}

type ChatRow = Awaited<ReturnType<typeof chatsFound.all>>[number]

const shownChat = (row: ChatRow) => ({
  id: shownId(row),
  type: row.type,
  name: row.group_name ?? undefined,
  members: row.members,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const messageConversations = defineCommand(
  'messages.conversations',
  closed({ ...OfUser, after: optional(ConversationId) }),
  async (runtime, { user: who, after = '', limit = DEFAULT_LIMIT }) => {
    const user = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const rows = user
      ? await conversationsOfUser.all(runtime.database, after, limit + 1, user.id)
      : await conversationsAll.all(runtime.database, after, limit + 1)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { conversations: page.map(asTyped), ...withNext(next) }
  },
)

export const messageList = defineCommand(
  'messages.list',
  closed({ conversation: ConversationId, ...PageArgs }),
  async (runtime, { conversation: id, after, limit = DEFAULT_LIMIT }) => {
    const conversation = await conversationFind.first(runtime.database, id)
    if (!conversation) throw blank(404, `There is no conversation [${id}].`)
    const rows = await messagesOf.all(runtime.database, beforeId(after), limit + 1, id)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return {
      conversation: asTyped(conversation),
      messages: page.map((row) => ({ ...row, text: typed(row.text) })),
      ...withNext(next),
    }
  },
)

export const chatConversations = defineCommand(
  'chat.conversations',
  closed(OfUser),
  async (runtime, { user: who, after, limit = DEFAULT_LIMIT }) => {
    const user = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const rows = await chatsFound.all(runtime.database, beforeId(after), limit + 1, user?.id ?? null)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { conversations: page.map(shownChat), ...withNext(next) }
  },
)

export const chatList = defineCommand(
  'chat.list',
  closed({ conversation: ChatId, ...PageArgs }),
  async (runtime, { conversation: id, after, limit = DEFAULT_LIMIT }) => {
    const chat = await findChat(runtime, id)
    if (!chat) throw blank(404, `There is no encrypted conversation [${id}].`)
    const rows = await envelopesOf.all(runtime.database, beforeId(after), limit + 1, chat.id)
    const { page, next } = paged(rows, limit, (row) => row.sequence)
    return { conversation: shownChat(chat), envelopes: page, ...withNext(next) }
  },
)

/** The commands that show messages to an operator. Encrypted ones are only envelopes. */
export const messageInspection: readonly Command[] = [messageConversations, messageList, chatConversations, chatList]
