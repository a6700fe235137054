import type { Runtime } from '../../api-kit/runtime.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

// The interface lists messages, not conversations; pages show both.

const columns = {
  id: 'text',
  is_group: 'bool',
  /** The newest event that the user sees. */
  newest_id: 'int8',
  other_ids: 'int8[]',
  is_request: 'bool',
  is_unread: 'bool',
  /** What every other user has read. */
  read_id: 'int8?',
} as const

/** A conversation as one of its users sees it. */
export type ConversationRow = RowOf<typeof columns>

const newestOf = (type: string) =>
  `(select max(v.event_id) from dm_view v where v.user_id = p.user_id and v.conversation_id = p.conversation_id and v.type = '${type}')`

const UNREAD = `exists (
  select from dm_view v join dm_event e on e.id = v.event_id
   where v.user_id = p.user_id and v.conversation_id = p.conversation_id and v.type = 'MessageCreate'
     and v.event_id > coalesce(p.last_read_event_id, 0) and e.sender_id <> p.user_id)`

// Somebody whom the user neither follows nor answered.
const REQUEST = `(not c.is_group and not p.has_written and not exists (
  select from dm_participant o join follow f on f.source_id = p.user_id and f.target_id = o.user_id and not f.pending
   where o.conversation_id = p.conversation_id and o.user_id <> p.user_id))`

const SHOWN = `c.id, c.is_group, n.id as newest_id, ${REQUEST} as is_request, ${UNREAD} as is_unread,
  array(select o.user_id from dm_participant o where o.conversation_id = c.id and o.user_id <> p.user_id order by o.user_id limit 50) as other_ids,
  (select min(coalesce(o.last_read_event_id, 0)) from dm_participant o where o.conversation_id = c.id and o.user_id <> p.user_id) as read_id`
const FROM = `dm_participant p join dm_conversation c on c.id = p.conversation_id
  cross join lateral (select greatest(${newestOf('MessageCreate')}, ${newestOf('ParticipantsJoin')}) as id) n`

const conversationsOf = statement(
  'dm_conversations_of_user',
  columns,
  `select ${SHOWN} from ${FROM} where p.user_id = $1 and n.id < $2 and ${REQUEST} = $3 order by n.id desc limit $4`,
)
const conversationOfUser = statement(
  'dm_conversation_of_user',
  columns,
  `select ${SHOWN} from ${FROM} where p.user_id = $1 and c.id = $2 and n.id is not null`,
)
const unreadConversations = statement(
  'dm_unread_conversations',
  { count: 'int4' },
  `select count(*)::int as count from (
     select from dm_participant p join dm_conversation c on c.id = p.conversation_id
      where p.user_id = $1 and ${UNREAD} and not ${REQUEST} limit $2) u`,
)

const LARGEST_ID = '9223372036854775807'
const MOST_COUNTED = 100

/** A page of the conversations of a user, the one with the newest event first. Requests are a list of their own. */
export const readConversations = (
  { database }: Pick<Runtime, 'database'>,
  userId: string,
  { before = LARGEST_ID, areRequests, limit }: { before?: string; areRequests: boolean; limit: number },
): Promise<ConversationRow[]> => conversationsOf.all(database, userId, before, areRequests, limit)

/** A conversation in which a user is. */
export const findConversationOf = (
  { database }: Pick<Runtime, 'database'>,
  userId: string,
  id: string,
): Promise<ConversationRow | undefined> => conversationOfUser.first(database, userId, id)

/** How many conversations of a user have something unread, counted up to 100. Requests do not count. */
export const countUnreadConversations = async (
  { database }: Pick<Runtime, 'database'>,
  userId: string,
): Promise<number> => (await unreadConversations.first(database, userId, MOST_COUNTED))!.count
