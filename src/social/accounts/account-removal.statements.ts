import { statement } from '../../storage/statement.ts'
import { octavesMoved } from '../users/user-terms.ts'

/** The oldest account of which something is left. */
export const accountToRemove = statement(
  'deleted_account_next',
  { user_id: 'int8' },
  'select user_id from deleted_account where removed_at is null order by user_id limit 1',
)
export const removalEnd = statement(
  'deleted_account_end',
  {},
  'update deleted_account set removed_at = $2 where user_id = $1',
)

export const postsOfAccount = statement(
  'account_removal_posts',
  { id: 'int8' },
  'select id from post where author_id = $1 and id > $2 order by id limit $3',
)

/** Removes follows in both directions. Those who followed or were followed have one fewer. */
export const followsRemove = statement(
  'account_removal_follows',
  { other_id: 'int8' },
  `with page as (
     (select source_id, target_id from follow where source_id = $1 limit $2)
     union all (select source_id, target_id from follow where target_id = $1 limit $2)
   ), gone as (
     delete from follow f using page s where f.source_id = s.source_id and f.target_id = s.target_id
     returning f.source_id, f.target_id, f.pending
   ), losses as (
     select case when source_id = $1 then target_id else source_id end as other_id,
            count(*) filter (where not pending and source_id = $1)::int as followers,
            count(*) filter (where not pending and target_id = $1)::int as following
       from gone group by 1
   ), held as (
     select m.user_id from user_metrics m where m.user_id in (select other_id from losses) order by m.user_id for no key update
   ), counted as (
     update user_metrics m set followers_count = m.followers_count - l.followers, following_count = m.following_count - l.following,
            verified_followers_count = m.verified_followers_count - case when u.verified_type = 'none' then 0 else l.followers end
       from losses l, held h, user_account u where m.user_id = l.other_id and h.user_id = m.user_id and u.id = $1
     returning m.user_id, m.followers_count, -l.followers as added
   ), octaves as (${octavesMoved('select user_id, followers_count as followers, added from counted')})
   select other_id from losses`,
)

const marksRemoved = (table: string, counter: string): string =>
  `with gone as (
     delete from ${table} where user_id = $1 and post_id in (select post_id from ${table} where user_id = $1 order by post_id limit $2)
     returning post_id
   ), held as (
     select m.post_id from post_metrics m where m.post_id in (select post_id from gone) order by m.post_id for no key update
   ), counted as (
     update post_metrics m set ${counter} = greatest(0, m.${counter} - 1) from held h where m.post_id = h.post_id
   )
   select post_id from gone`
export const likesRemove = statement(
  'account_removal_likes',
  { post_id: 'int8' },
  marksRemoved('post_like', 'like_count'),
)
export const bookmarksRemove = statement(
  'account_removal_bookmarks',
  { post_id: 'int8' },
  marksRemoved('bookmark', 'bookmark_count'),
)

/** Removes votes in polls. Their options have one fewer. */
export const votesRemove = statement(
  'account_removal_votes',
  { poll_id: 'int8' },
  `with gone as (
     delete from poll_vote where user_id = $1 and poll_id in (select poll_id from poll_vote where user_id = $1 order by poll_id limit $2)
     returning poll_id, position
   ), held as (
     select o.poll_id, o.position from poll_option o join gone using (poll_id, position) order by 1, 2 for no key update of o
   ), counted as (
     update poll_option o set votes = greatest(0, o.votes - 1) from held h where o.poll_id = h.poll_id and o.position = h.position
   )
   select poll_id from gone`,
)

/** In a community without another admin, the member with the highest role becomes one: of several, the oldest user. */
export const adminsReplace = statement(
  'account_removal_admins',
  { community_id: 'int8', user_id: 'int8' },
  `update community_member m set role = 'admin' from (
     select distinct on (o.community_id) o.community_id, o.user_id
       from community_member mine join community_member o on o.community_id = mine.community_id and o.user_id <> mine.user_id
      where mine.user_id = $1 and mine.role = 'admin'
        and not exists (select from community_member a where a.community_id = mine.community_id and a.role = 'admin' and a.user_id <> $1)
      order by o.community_id, o.role = 'moderator' desc, o.user_id
   ) next where m.community_id = next.community_id and m.user_id = next.user_id
   returning m.community_id, m.user_id`,
)
export const membershipsRemove = statement(
  'account_removal_memberships',
  { community_id: 'int8' },
  `with gone as (delete from community_member where user_id = $1 returning community_id)
   update community c set member_count = c.member_count - 1 from gone where c.id = gone.community_id returning c.id as community_id`,
)

/** Takes the user out of the spaces of others. Spaces of the user are removed with the account. */
export const spacesLeave = statement(
  'account_removal_spaces',
  { id: 'text' },
  `with parts as (delete from space_participant where user_id = $1 returning space_id),
   reminders as (delete from space_subscriber where user_id = $1 returning space_id),
   concerned as (
     select space_id from parts union select space_id from reminders
     union select id from space where creator_id = $1
   )
   update space s set participant_count = s.participant_count - (s.id in (select space_id from parts))::int,
          subscriber_count = s.subscriber_count - (s.id in (select space_id from reminders))::int,
          speaking_ids = array_remove(s.speaking_ids, $1::bigint)
     from concerned c where s.id = c.space_id returning s.id`,
)

/** Triggers count the members and followers of the lists. */
export const listsLeave = statement(
  'account_removal_lists',
  { list_id: 'int8' },
  `with members as (delete from list_member where user_id = $1 returning list_id),
   follows as (delete from list_follow where user_id = $1 returning list_id)
   select list_id from members union select list_id from follows union select id from list where owner_id = $1`,
)

/** What the user saw of conversations. Messages that nobody sees any more are removed. */
export const viewsRemove = statement(
  'account_removal_views',
  { event_id: 'int8' },
  `delete from dm_view where user_id = $1 and event_id in (select event_id from dm_view where user_id = $1 order by event_id limit $2)
   returning event_id`,
)
export const unseenEventsRemove = statement(
  'account_removal_unseen_events',
  {},
  'delete from dm_event e where e.id = any($1::bigint[]) and not exists (select from dm_view v where v.event_id = e.id)',
)

export const mediaRemove = statement(
  'account_removal_media',
  { media_key: 'text' },
  'delete from media where id in (select id from media where owner_user_id = $1 order by id limit $2) returning media_key',
)

export const appsOfAccount = statement(
  'account_removal_apps',
  { id: 'int8', api_key: 'text', client_id: 'text', bearer: 'text?' },
  `select id, api_key, client_id, encode(bearer_token_hash, 'hex') as bearer from client_app where owner_user_id = $1`,
)
/** The account itself, with everything that refers to it. */
export const accountRemove = statement(
  'account_removal_account',
  { username: 'text' },
  `with terms as (delete from user_terms where id = $1),
   texts as (delete from post_recent_text where author_id = $1),
   subscriptions as (delete from activity_subscription where user_id = $1),
   made as (delete from world_item where kind = 'user' and id = $1)
   delete from user_account where id = $1 and deactivated_at is not null returning username`,
)
