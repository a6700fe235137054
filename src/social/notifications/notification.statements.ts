import { statement } from '../../storage/statement.ts'
import { openCommunitySql } from '../visibility.ts'

/** What a notice can be about. */
export const NOTIFICATION_KINDS = [
  'like',
  'repost',
  'reply',
  'quote',
  'mention',
  'follow',
  'follow_request',
  'follow_approval',
  'list_add',
  'message_request',
  'note',
  'community_invite',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** How many notices a user keeps. */
export const MOST_NOTIFICATIONS = 1_000
/** They are removed when there are this many more. */
export const NOTIFICATIONS_OVER = 200

const follows = (source: string, target: string, state: string) =>
  `exists (select from follow f where f.source_id = ${source} and f.target_id = ${target} and ${state})`

/** The cause of a notice still exists. Not everything that ends a cause is an event. */
const holds = (n: string) => `case ${n}.kind
  when 'like' then exists (select from post_like c where c.user_id = ${n}.actor_id and c.post_id = ${n}.object_id)
  when 'follow' then ${follows(`${n}.actor_id`, `${n}.user_id`, 'not f.pending')}
  when 'follow_request' then ${follows(`${n}.actor_id`, `${n}.user_id`, 'f.pending')}
  when 'follow_approval' then ${follows(`${n}.user_id`, `${n}.actor_id`, 'not f.pending')}
  when 'list_add' then exists (select from list_member c where c.list_id = ${n}.object_id and c.user_id = ${n}.user_id and not c.private)
  when 'message_request' then not ${follows(`${n}.user_id`, `${n}.actor_id`, 'not f.pending')} and exists (
    select from dm_participant c where c.user_id = ${n}.user_id and not c.has_written
       and c.conversation_id = least(${n}.user_id, ${n}.actor_id) || '-' || greatest(${n}.user_id, ${n}.actor_id))
  when 'note' then exists (select from community_note c where c.id = ${n}.object_id and c.status = 'currently_rated_helpful')
  when 'community_invite' then exists (select from community_invitation c where c.community_id = ${n}.object_id and c.user_id = ${n}.user_id)
  else exists (select from post c where c.id = ${n}.object_id) end`

/** The receiver wants to hear of the actor, and may: what protected users do with posts, only their followers learn. */
const wanted = (n: string) => `exists (
    select from user_account a where a.id = ${n}.actor_id and not a.suspended
       and (not a.protected or ${n}.kind not in ('like', 'repost', 'reply', 'quote', 'mention') or ${follows(`${n}.user_id`, 'a.id', 'not f.pending')}))
  and not exists (select from block b where b.source_id = ${n}.user_id and b.target_id = ${n}.actor_id)
  and not exists (select from block b where b.source_id = ${n}.actor_id and b.target_id = ${n}.user_id)
  and not exists (select from mute m where m.source_id = ${n}.user_id and m.target_id = ${n}.actor_id)`

/** Waits for a world that is being restored, and lets none be restored until the transaction ends. */
export const notificationsHold = statement(
  'notifications_hold',
  {},
  'lock table notification, notification_mark in row exclusive mode',
)
/** Whether an event is in the log: those of a world that was replaced are not. */
export const eventKept = statement(
  'notifications_event_kept',
  { is_kept: 'bool' },
  'select exists (select from event_log where place = $1) as is_kept',
)

/**
 * Adds notices. One of the kind `post` stands for the notices that a new post causes: for the user whom it replies to, the one
 * whose post it quotes, and those whom it mentions, each once. A cause that came again, after an end without an event, makes its
 * notice a new one. Returns the receivers and how many notices they have at most.
 */
export const notificationsAdd = statement(
  'notifications_add',
  { user_id: 'int8', row_count: 'int4' },
  `with given as materialized (
     select * from jsonb_to_recordset($1::jsonb)
       as g (sequence bigint, kind text, user_id bigint, actor_id bigint, object_id bigint, post_id bigint, happened_at timestamptz)
   ), found as (
     select distinct on (w.user_id, g.sequence) w.user_id, g.sequence, w.kind, p.author_id as actor_id, p.id as object_id, p.id as post_id, g.happened_at
       from given g join post p on p.id = g.object_id and not p.nullcast and p.sandbox is null
      cross join lateral (
        select p.in_reply_to_user_id as user_id, 'reply' as kind, 1 as rank where p.in_reply_to_user_id is not null
        union all select q.author_id, 'quote', 2 from post q where q.id = p.quoted_post_id
        union all select m.id, 'mention', 3 from unnest(p.mentioned_user_ids) as m (id)) w
      where g.kind = 'post' and (${openCommunitySql('p')}
         or exists (select from community_member m where m.community_id = p.community_id and m.user_id = w.user_id))
      order by w.user_id, g.sequence, w.rank
   ), all_found as (
     select user_id, sequence, kind, actor_id, object_id, post_id, happened_at from given where kind <> 'post' union all select * from found
   ), added as (
     insert into notification as o (user_id, sequence, kind, actor_id, object_id, post_id, happened_at)
     select n.* from all_found n join user_account r on r.id = n.user_id
      where n.user_id <> n.actor_id and ${holds('n')} and ${wanted('n')}
      order by n.object_id, n.kind, n.actor_id, n.user_id
     on conflict (object_id, kind, actor_id, user_id) do update set sequence = excluded.sequence, happened_at = excluded.happened_at
       where o.kind not in ('reply', 'quote', 'mention', 'message_request')
     returning user_id
   )
   insert into notification_mark as k (user_id, row_count) select user_id, count(*) from added group by 1 order by 1
   on conflict (user_id) do update set row_count = k.row_count + excluded.row_count
   returning k.user_id, k.row_count`,
)

/** Removes notices whose cause was undone. What is not given matches everything. Returns the receivers. */
export const notificationsRemove = statement(
  'notifications_remove',
  { user_id: 'int8' },
  `delete from notification n
    using jsonb_to_recordset($1::jsonb) as u (object_id bigint, kinds text[], actor_id bigint, user_id bigint)
    where n.object_id = u.object_id and n.kind = any(u.kinds) and n.actor_id = coalesce(u.actor_id, n.actor_id)
      and n.user_id = coalesce(u.user_id, n.user_id)
   returning n.user_id`,
)

/** Removes all but the newest notices of users. */
export const notificationsPrune = statement(
  'notifications_prune',
  {},
  `with gone as (
     delete from notification n using unnest($1::bigint[]) as u (id)
      where n.user_id = u.id and n.sequence <= (
        select o.sequence from notification o where o.user_id = u.id order by o.sequence desc offset ${MOST_NOTIFICATIONS} limit 1)
   )
   update notification_mark set row_count = ${MOST_NOTIFICATIONS} where user_id = any($1::bigint[])`,
)

const SEEN = 'coalesce((select k.seen_sequence from notification_mark k where k.user_id = $1), 0)'

/** How many notices of a user are new, counted up to `$2`. */
export const notificationsUnseen = statement(
  'notifications_unseen',
  { count: 'int4' },
  `select count(*)::int as count from (
     select from notification n where n.user_id = $1 and n.sequence > ${SEEN} and ${holds('n')} and ${wanted('n')}
      order by n.sequence desc limit $2) new`,
)

/** Marks the notices of a user as seen, up to the sequence `$2`. Returns a row when that is new. */
export const notificationsSee = statement(
  'notifications_see',
  { user_id: 'int8' },
  `insert into notification_mark as k (user_id, seen_sequence) values ($1, $2)
   on conflict (user_id) do update set seen_sequence = excluded.seen_sequence where k.seen_sequence < excluded.seen_sequence
   returning k.user_id`,
)

/** How many of the users of a group are named. */
export const NAMED_ACTORS = 8

/**
 * A page of groups of notices, newest first: likes and reposts of one post, and the new followers of a day, are one group each.
 * `$2` is the sequence before which it begins, `$4` the kinds.
 */
export const notificationGroups = statement(
  'notification_groups',
  {
    kind: 'text',
    sequence: 'int8',
    actor_ids: 'int8[]',
    actor_count: 'int4',
    object_id: 'int8',
    post_id: 'int8?',
    happened_at: 'timestamptz',
    is_new: 'bool',
  },
  `select n.kind, max(n.sequence) as sequence, (array_agg(n.actor_id order by n.sequence desc))[1:${NAMED_ACTORS}] as actor_ids,
          count(*)::int as actor_count, (array_agg(n.object_id order by n.sequence desc))[1] as object_id, max(n.post_id) as post_id,
          max(n.happened_at) as happened_at, max(n.sequence) > ${SEEN} as is_new
     from notification n
    where n.user_id = $1 and n.kind = any($4::text[]) and ${holds('n')} and ${wanted('n')}
    group by n.kind, case when n.kind in ('like', 'repost') then n.post_id::text
                          when n.kind = 'follow' then (n.happened_at at time zone 'utc')::date::text
                          else 'one ' || n.sequence end
   having max(n.sequence) < $2
    order by 2 desc limit $3`,
)
