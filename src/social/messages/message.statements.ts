import { statement } from '../../storage/statement.ts'

/** The types of what happens in a conversation. */
export const MESSAGE_EVENT_TYPES = ['MessageCreate', 'ParticipantsLeave', 'ParticipantsJoin'] as const
export type MessageEventType = (typeof MESSAGE_EVENT_TYPES)[number]

/** Opens a conversation of two users, and notes that the first writes. Returns a row when that was not known. */
export const conversationOpen = statement(
  'dm_conversation_open',
  { user_id: 'int8' },
  `with opened as (
     insert into dm_conversation (id, is_group, created_at) values ($1, false, $4) on conflict do nothing
   )
   insert into dm_participant as p (conversation_id, user_id, has_written)
   select $1, u.id, u.id = $2 from unnest(array[$2, $3]::bigint[]) as u (id) order by u.id
   on conflict (conversation_id, user_id) do update set has_written = true where excluded.has_written and not p.has_written
   returning p.user_id`,
)

/** Creates a group. */
export const groupAdd = statement(
  'dm_group_add',
  {},
  `with made as (insert into dm_conversation (id, is_group, created_at) values ($1, true, $3))
   insert into dm_participant (conversation_id, user_id) select $1, u.id from unnest($2::bigint[]) as u (id)`,
)

/**
 * Adds an event to a conversation and to the view of everybody who is in it, and in `$12` of further users. Returns these users;
 * nobody when the acting user `$3` is not in the conversation.
 */
export const eventAdd = statement(
  'dm_event_add',
  { user_id: 'int8' },
  `with members as (
     select user_id from dm_participant where conversation_id = $2
   ), seers as (
     select user_id from members union select u.id from unnest($12::bigint[]) as u (id)
   ), made as (
     insert into dm_event (id, conversation_id, type, sender_id, participant_ids, text, entities, media_key, referenced_post_ids, source_app_id, created_at)
     select $1::bigint, $2, $4, case when $4 = 'ParticipantsLeave' then null else $3::bigint end, $5::bigint[], $6, $7::jsonb, $8, $9::bigint[],
            $10::bigint, $11::timestamptz
      where $3 in (select user_id from seers)
     returning id
   )
   insert into dm_view (user_id, event_id, conversation_id, type, media_key)
   select s.user_id, m.id, $2, $4, $8 from seers s cross join made m returning user_id`,
)

/** Adds users to a group, as long as it stays within a size. Returns those who were not in it. The group is locked. */
export const participantsAdd = statement(
  'dm_participants_add',
  { user_id: 'int8' },
  `insert into dm_participant (conversation_id, user_id)
   select $1, u.id from unnest($2::bigint[]) as u (id) order by u.id on conflict do nothing returning user_id`,
)
export const participantRemove = statement(
  'dm_participant_remove',
  {},
  'delete from dm_participant where conversation_id = $1 and user_id = $2',
)
/** Locks a group, so its size stays within its bound. */
export const groupHold = statement(
  'dm_group_hold',
  { id: 'text' },
  'select id from dm_conversation where id = $1 and is_group for update',
)
export const participantsOf = statement(
  'dm_participants_of',
  { user_id: 'int8' },
  'select user_id from dm_participant where conversation_id = $1 order by user_id',
)

/** Whether a user is in a conversation, or was and saw something of it. */
export const conversationKnown = statement(
  'dm_conversation_known',
  { is_known: 'bool' },
  `select exists (select from dm_participant where conversation_id = $1 and user_id = $2)
       or exists (select from dm_view where conversation_id = $1 and user_id = $2) as is_known`,
)

const page = { id: 'int8' } as const
const pageSql = (where: string, beyond: '<' | '>', order: 'asc' | 'desc') =>
  `select e.id from unnest($4::text[]) as t (type) cross join lateral (
     select v.event_id as id from dm_view v where v.user_id = $1 and v.type = t.type and ${where} and v.event_id ${beyond} $2
      order by v.event_id ${order} limit $3) e
    order by e.id ${order} limit $3`

/** What a user sees: of the types `$4`, beyond the event `$2`, and after the event `$5`. */
export const eventsOfUser = {
  older: statement('dm_events_of_user_older', page, pageSql('v.event_id > $5', '<', 'desc')),
  newer: statement('dm_events_of_user_newer', page, pageSql('v.event_id > $5', '>', 'asc')),
}
/** What a user sees of the conversation `$5`. */
export const eventsOfConversation = {
  older: statement('dm_events_of_conversation_older', page, pageSql('v.conversation_id = $5', '<', 'desc')),
  newer: statement('dm_events_of_conversation_newer', page, pageSql('v.conversation_id = $5', '>', 'asc')),
}

/** Removes an event from the view of one user. */
export const viewRemove = statement(
  'dm_view_remove',
  { media_key: 'text?' },
  'delete from dm_view where user_id = $1 and event_id = $2 returning media_key',
)

/** Moves the mark of what a user has read forward, to the event `$3` or to the newest message. Returns it when it moved. */
export const readMark = statement(
  'dm_read_mark',
  { last_read_event_id: 'int8?' },
  `with newest as (
     select max(v.event_id) as id from dm_view v
      where v.user_id = $2 and v.conversation_id = $1 and v.type = 'MessageCreate' and ($3::bigint is null or v.event_id = $3)
   )
   update dm_participant p set last_read_event_id = n.id from newest n
    where p.conversation_id = $1 and p.user_id = $2 and n.id > coalesce(p.last_read_event_id, 0)
   returning p.last_read_event_id`,
)

export const messageBlockAdd = statement(
  'dm_block_add',
  {},
  `insert into dm_block (source_id, target_id, created_at) select $1::bigint, t.id, $3::timestamptz from user_account t where t.id = $2
   on conflict do nothing`,
)
export const messageBlockRemove = statement(
  'dm_block_remove',
  {},
  'delete from dm_block where source_id = $1 and target_id = $2',
)
