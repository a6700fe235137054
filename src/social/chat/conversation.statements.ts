import { type RowOf, statement } from '../../storage/statement.ts'

const conversationColumns = {
  id: 'int8',
  type: 'text',
  low_user_id: 'int8?',
  high_user_id: 'int8?',
  group_name: 'text?',
  group_avatar_url: 'text?',
  ttl_msec: 'int8?',
  key_version: 'int8',
  key_is_stale: 'bool',
  last_sequence: 'int8',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const conversationNames = Object.keys(conversationColumns)
  .map((name) => `c.${name}`)
  .join(', ')

const memberColumns = { first_sequence: 'int8', accepted: 'bool', is_admin: 'bool' } as const
const memberNames = Object.keys(memberColumns)
  .map((name) => `m.${name}`)
  .join(', ')

/** A conversation, and what one of its members is in it. */
const columns = { ...conversationColumns, ...memberColumns } as const
export type OwnConversation = RowOf<typeof columns>

const ofMember = `select ${conversationNames}, ${memberNames}
  from chat_conversation c join chat_member m on m.conversation_id = c.id and m.left_sequence is null`

/** The direct conversation of a pair, for one of the two. */
export const directOf = statement(
  'chat_direct_of',
  columns,
  `${ofMember} where c.type = 'direct' and c.low_user_id = $1 and c.high_user_id = $2 and m.user_id = $3`,
)

/** A group, for a member. */
export const groupOf = statement(
  'chat_group_of',
  columns,
  `${ofMember} where c.type = 'group' and c.id = $1 and m.user_id = $2`,
)

/** Locks a conversation: its events and its members change one after the other. */
export const conversationLock = statement(
  'chat_conversation_lock',
  { id: 'int8' },
  'select id from chat_conversation where id = $1 for no key update',
)

/** A conversation, for a member. */
export const conversationOf = statement(
  'chat_conversation_of',
  columns,
  `${ofMember} where c.id = $1 and m.user_id = $2`,
)

/** The current members of a conversation in their order. */
export const membersOf = statement(
  'chat_members_of',
  { user_id: 'int8', is_admin: 'bool', accepted: 'bool' },
  'select user_id, is_admin, accepted from chat_member where conversation_id = $1 and left_sequence is null order by position, user_id',
)

/** Creates a conversation; no row when the direct conversation of this pair exists. */
export const conversationAdd = statement(
  'chat_conversation_add',
  { id: 'int8' },
  `insert into chat_conversation (id, type, low_user_id, high_user_id, group_name, group_avatar_url, group_description, ttl_msec, key_version,
     last_sequence, created_at, updated_at)
   values ($1::bigint, $2, $3::bigint, $4::bigint, $5, $6, $7, $8::bigint, $9::bigint, 0, $10::timestamptz, $10::timestamptz)
   on conflict (low_user_id, high_user_id) where type = 'direct' do nothing returning id`,
)

/** Adds members, also such as have left. Those who do not follow `$5`, who adds them, have a message request. */
export const membersAdd = statement(
  'chat_members_add',
  {},
  `insert into chat_member (conversation_id, user_id, position, is_admin, first_sequence, accepted, last_sequence)
   select $1::bigint, n.user_id, coalesce((select max(position) from chat_member where conversation_id = $1), 0) + n.at::int,
          n.user_id = any($3::bigint[]), $4::bigint,
          n.user_id = $5::bigint or exists (
            select from follow f where f.source_id = n.user_id and f.target_id = $5::bigint and not f.pending),
          $6::bigint
     from unnest($2::bigint[]) with ordinality as n (user_id, at)
   on conflict (conversation_id, user_id) do update
     set position = excluded.position, is_admin = excluded.is_admin, first_sequence = excluded.first_sequence, left_sequence = null,
         accepted = excluded.accepted, seen_until = null, last_sequence = excluded.last_sequence`,
)

/** Ends a membership: the former member sees nothing any more, and the key that they know is not used again. */
export const memberRemove = statement(
  'chat_member_remove',
  { user_id: 'int8' },
  `with gone as (
     update chat_member m set left_sequence = c.last_sequence, is_admin = false
       from chat_conversation c
      where c.id = $1 and m.conversation_id = c.id and m.user_id = $2 and m.left_sequence is null returning m.user_id
   ), stale as (
     update chat_conversation set key_is_stale = true where id = $1 and exists (select from gone)
   )
   select user_id from gone`,
)

/** A member who answers accepts the conversation. */
export const memberAccept = statement(
  'chat_member_accept',
  {},
  'update chat_member set accepted = true where conversation_id = $1 and user_id = $2 and not accepted',
)

/** Moves the mark of what a member has read; it never goes back. */
export const memberSeen = statement(
  'chat_member_seen',
  {},
  `update chat_member set seen_until = greatest(seen_until, $3::bigint) where conversation_id = $1 and user_id = $2`,
)

/** Names and pictures are encrypted with the conversation key, so a new key comes with new ones. */
export const groupRename = statement(
  'chat_group_rename',
  {},
  `update chat_conversation set group_name = coalesce($2, group_name), group_avatar_url = coalesce($3, group_avatar_url) where id = $1`,
)

export const hasRequests = statement(
  'chat_has_requests',
  { found: 'bool' },
  'select exists (select from chat_member where user_id = $1 and not accepted and left_sequence is null) as found',
)

const listColumns = { key: 'int8', id: 'int8' } as const
const listed = (sign: '<' | '>', order: string) =>
  `select last_sequence as key, conversation_id as id from chat_member
    where user_id = $1 and left_sequence is null and last_sequence ${sign} $2 order by last_sequence ${order} limit $3`

/** The conversations of a user, the one with the newest event first. */
export const conversationList = {
  older: statement('chat_conversations_older', listColumns, listed('<', 'desc')),
  newer: statement('chat_conversations_newer', listColumns, listed('>', 'asc')),
}

export const reservationAdd = statement(
  'chat_reservation_add',
  {},
  'insert into chat_group_reservation (id, user_id, created_at) values ($1, $2, $3)',
)

/** Uses up the reserved id of a group. */
export const reservationTake = statement(
  'chat_reservation_take',
  { id: 'int8' },
  'delete from chat_group_reservation where id = $1 and user_id = $2 returning id',
)

/** How many ids a user has reserved and not used. */
export const reservationCount = statement(
  'chat_reservation_count',
  { count: 'int4' },
  'select count(*)::int as count from chat_group_reservation where user_id = $1',
)

export const reservationsDrop = statement(
  'chat_reservations_drop',
  {},
  'delete from chat_group_reservation where created_at < $1',
)
