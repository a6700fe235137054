import { type RowOf, statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'

const spaceColumns = {
  id: 'text',
  creator_id: 'int8',
  state: 'text',
  title: 'text',
  lang: 'text',
  is_ticketed: 'bool',
  host_ids: 'int8[]',
  speaker_ids: 'int8[]',
  speaking_ids: 'int8[]',
  invited_user_ids: 'int8[]',
  topic_ids: 'text[]',
  participant_count: 'int4',
  subscriber_count: 'int4',
  scheduled_start: 'timestamptz?',
  started_at: 'timestamptz?',
  ended_at: 'timestamptz?',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const names = Object.keys(spaceColumns).join(', ')

/** What is stored of a space. */
export type SpaceRow = RowOf<typeof spaceColumns>

/** Spaces by id. One that was cancelled is gone. */
export const spacesById = statement(
  'spaces_by_id',
  spaceColumns,
  `select ${names} from space where id = any($1::text[]) and state <> 'cancelled'`,
)
/** Locks a space: whatever changes it waits for the others, so its counters and lists are exact. */
export const spaceLock = statement(
  'space_lock',
  spaceColumns,
  `select ${names} from space where id = $1 and state <> 'cancelled' for no key update`,
)
/** Serializes what a user does as a creator of spaces. */
export const spaceCreatorLock = statement(
  'space_creator_lock',
  {},
  'select from user_metrics where user_id = $1 for no key update',
)
export const spaceAdd = statement(
  'space_add',
  {},
  `insert into space (id, creator_id, state, title, title_words, lang, is_ticketed, host_ids, invited_user_ids, topic_ids, scheduled_start, created_at, updated_at)
   values ($1, $2, 'scheduled', $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
)
/** How many spaces of a user are in each of the states that have a bound. */
export const spacesOpen = statement(
  'spaces_open',
  { scheduled: 'int4', live: 'text?' },
  `select count(*) filter (where state = 'scheduled')::int as scheduled, min(id) filter (where state = 'live') as live
     from space where creator_id = $1 and state in ('scheduled', 'live')`,
)
export const spaceStart = statement(
  'space_start',
  {},
  `update space set state = 'live', started_at = $2, updated_at = $2 where id = $1`,
)
export const spaceEnd = statement(
  'space_end',
  {},
  `update space set state = 'ended', ended_at = $2, updated_at = $2, speaking_ids = '{}' where id = $1`,
)
export const spaceCancel = statement(
  'space_cancel',
  {},
  `update space set state = 'cancelled', updated_at = $2 where id = $1`,
)
export const spaceUpdate = statement(
  'space_update',
  {},
  `update space set title = $2, title_words = $3, lang = $4, topic_ids = $5, scheduled_start = $6, updated_at = $7 where id = $1`,
)
export const spaceSpeakers = statement(
  'space_speakers',
  {},
  'update space set speaker_ids = $2, speaking_ids = $3, invited_user_ids = $4, updated_at = $5 where id = $1',
)

export const participantFind = statement(
  'space_participant_find',
  { present: 'bool' },
  'select exists (select from space_participant where space_id = $1 and user_id = $2) as present',
)
/** Counts what it adds or removes, in the same statement. */
export const participantAdd = statement(
  'space_participant_add',
  {},
  `with added as (insert into space_participant (space_id, user_id) values ($1, $2) on conflict do nothing returning space_id)
   update space s set participant_count = participant_count + 1 from added where s.id = added.space_id`,
)
export const participantRemove = statement(
  'space_participant_remove',
  {},
  `with removed as (delete from space_participant where space_id = $1 and user_id = $2 returning space_id)
   update space s set participant_count = participant_count - 1, speaking_ids = array_remove(speaking_ids, $2::bigint)
     from removed where s.id = removed.space_id`,
)

/** Sets a reminder, or with the number of a ticket buys it. Returns the user's ticket; a user who is new is counted. */
export const subscriberAdd = statement(
  'space_subscriber_add',
  { ticket_id: 'int8' },
  `with known as (
     update space_subscriber set has_reminder = has_reminder or $3::bigint = 0, ticket_id = case ticket_id when 0 then $3::bigint else ticket_id end
      where space_id = $1 and user_id = $2 returning ticket_id
   ), added as (
     insert into space_subscriber (space_id, user_id, has_reminder, ticket_id)
     select $1, $2, $3::bigint = 0, $3::bigint where not exists (select from known) returning ticket_id
   ), counted as (
     update space set subscriber_count = subscriber_count + 1 where id = $1 and exists (select from added)
   )
   select ticket_id from known union all select ticket_id from added`,
)
/** Removes a reminder. Whoever has a ticket still counts. */
export const reminderRemove = statement(
  'space_reminder_remove',
  {},
  `with kept as (
     update space_subscriber set has_reminder = false where space_id = $1 and user_id = $2 and ticket_id > 0
   ), removed as (
     delete from space_subscriber where space_id = $1 and user_id = $2 and ticket_id = 0 returning space_id
   )
   update space s set subscriber_count = subscriber_count - 1 from removed where s.id = removed.space_id`,
)
export const ticketFind = statement(
  'space_ticket_find',
  { id: 'int8' },
  'select ticket_id as id from space_subscriber where space_id = $1 and user_id = $2 and ticket_id > 0',
)
/** What a user `$1` has to do with spaces `$2`. */
export const partsInSpaces = statement(
  'space_parts_of_user',
  { id: 'text', is_in: 'bool', has_reminder: 'bool', has_ticket: 'bool' },
  `select k.id, exists (select from space_participant p where p.space_id = k.id and p.user_id = $1) as is_in,
          coalesce(b.has_reminder, false) as has_reminder, coalesce(b.ticket_id, 0) > 0 as has_ticket
     from unnest($2::text[]) as k (id) left join space_subscriber b on b.space_id = k.id and b.user_id = $1`,
)
/** Who bought tickets of space `$1`. */
export const buyers = keyedList('space_buyers', {
  key: 'b.ticket_id',
  id: 'b.user_id',
  from: 'space_subscriber b',
  where: 'b.space_id = $1 and b.ticket_id > 0',
})

/** Notes that a post was shared in spaces. The lock on the post delays its deletion. */
export const spacePostsAdd = statement(
  'space_posts_add',
  {},
  `insert into space_post (space_id, post_id)
   select s.id, p.id from space s, (select id from post where id = $2 for key share) p
    where s.id = any($1::text[]) and s.state <> 'cancelled' on conflict do nothing`,
)
export const spacePosts = statement(
  'space_posts',
  { id: 'int8' },
  `select p.id from space_post s join post p on p.id = s.post_id
    where s.space_id = $1 and not p.superseded and not p.nullcast order by s.post_id desc limit $2`,
)

export const spacesOfCreators = statement(
  'spaces_of_creators',
  { id: 'text' },
  `select id from space where creator_id = any($1::bigint[]) and state in ('scheduled', 'live') order by id desc`,
)
/** Spaces whose title has all words of `$1`, in one of the states `$2`. */
export const spacesFound = statement(
  'spaces_found',
  { id: 'text' },
  `select s.id from space s join user_account u on u.id = s.creator_id
    where s.title_words @> $1::text[] and s.state in ('scheduled', 'live') and s.state = any($2::text[]) and not u.protected and not u.suspended
    order by s.id desc limit $3`,
)
