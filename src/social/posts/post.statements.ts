import { termsRemoved } from '../../search/slices/store-terms.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { openCommunitySql } from '../visibility.ts'

/** The condition for all versions of a post, by its first version. The index has only later versions, since most posts have none. */
export const versionsOf = (firstVersion: string): string =>
  `(id = ${firstVersion} or (first_version_id = ${firstVersion} and first_version_id <> id))`

/** The ids of all versions of a post, by any of them; none when the post does not exist. */
export const allVersionsOf = (version: string): string =>
  `select id from post where ${versionsOf(`(select first_version_id from post where id = ${version})`)}`

/** The id of the newest version of a post. */
export const newestOf = (post: string): string =>
  `case when ${post}.superseded
     then (select max(v.id) from post v where v.first_version_id = ${post}.first_version_id and v.first_version_id <> v.id)
     else ${post}.id end`

/** True for a post that was never edited, whose versions need no look-up. */
export const isOnlyVersion = (post: string): string =>
  `(${post}.first_version_id = ${post}.id and not ${post}.superseded)`

/** Locks the versions of a post, so concurrent edits count each other. */
export const versionsLock = statement(
  'post_versions_lock',
  { id: 'int8', superseded: 'bool', hidden: 'bool' },
  `select id, superseded, hidden from post where ${versionsOf('$1')} order by id for update`,
)
/** The same for several posts, by their first versions. */
export const versionsLockAll = statement(
  'post_versions_lock_all',
  { id: 'int8', first_version_id: 'int8' },
  `select id, first_version_id from post
    where id = any($1::bigint[]) or (first_version_id = any($1::bigint[]) and first_version_id <> id) order by id for update`,
)
export const versionSupersede = statement(
  'post_version_supersede',
  {},
  `with done as (update post set superseded = true where id = $1 returning id), ${termsRemoved('select id from done')}
   select from done`,
)

/** Whether user `$2` is a member of community `$1`; no row when the community does not exist. */
export const isMember = statement(
  'community_is_member',
  { member: 'bool' },
  'select exists (select from community_member where community_id = c.id and user_id = $2) as member from community c where c.id = $1',
)

const removedColumns = {
  id: 'int8',
  author_id: 'int8',
  counted: 'bool',
  poll_id: 'int8?',
  media_keys: 'text[]',
  reposted_post_id: 'int8?',
} as const
export type RemovedPost = RowOf<typeof removedColumns>
/** Removes the locked versions of a post, their mentions and their reposts. Returns each removed post. */
export const postDelete = statement(
  'post_delete',
  removedColumns,
  `with removed as (
     delete from post where id = any($1::bigint[]) or reposted_post_id = any($1::bigint[])
     returning id, author_id, first_version_id = id as counted, poll_id, media_keys, reposted_post_id, mentioned_user_ids
   ), mentions as (
     delete from post_mention m using removed r, unnest(r.mentioned_user_ids) as u (id) where m.user_id = u.id and m.post_id = r.id
   ), ${termsRemoved('select id from removed')}, deleted as (
     insert into deleted_post (id, deleted_at) select id, $2 from removed on conflict do nothing
   )
   select id, author_id, counted, poll_id, media_keys, reposted_post_id from removed`,
)
/** Removes likes and bookmarks of removed posts. Returns how many likes each user loses. */
export const postDeleteMarks = statement(
  'post_delete_marks',
  { user_id: 'int8', likes: 'int4' },
  `with likes as (delete from post_like where post_id = any($1::bigint[]) returning user_id),
   marks as (delete from bookmark where post_id = any($1::bigint[]))
   select user_id, count(*)::int as likes from likes group by user_id`,
)
export const postDeleteTexts = statement(
  'post_delete_texts',
  {},
  'delete from post_recent_text where author_id = $1 and post_id = any($2::bigint[])',
)
/** Keeps an edited post pinned. */
export const postPinMove = statement(
  'post_pin_move',
  {},
  'update user_account set pinned_post_id = $3 where id = $1 and pinned_post_id = any($2::bigint[])',
)
export const postDeletePolls = statement('post_delete_polls', {}, 'delete from poll where id = any($1::bigint[])')
export const postUnpin = statement(
  'post_unpin',
  { id: 'int8' },
  'update user_account set pinned_post_id = null where id = any($2::bigint[]) and pinned_post_id = any($1::bigint[]) returning id',
)

/** Locks counters in the order of their ids, so two changes never deadlock. */
export const postMetricsLock = statement(
  'post_metrics_lock',
  {},
  'select from post_metrics where post_id = any($1::bigint[]) order by post_id for update',
)
export const userMetricsLock = statement(
  'user_metrics_lock',
  {},
  'select from user_metrics where user_id = any($1::bigint[]) order by user_id for update',
)
export const postDeleteMetrics = statement(
  'post_delete_metrics',
  {},
  'delete from post_metrics where post_id = any($1::bigint[])',
)
/** Lowers the counters of the posts that removed posts replied to, quoted and reposted. */
export const discountReferred = statement(
  'post_discount_referred',
  {},
  `update post_metrics m set reply_count = greatest(0, m.reply_count - d.replies), quote_count = greatest(0, m.quote_count - d.quotes),
     repost_count = greatest(0, m.repost_count - d.reposts)
   from (select id, sum(reply)::int as replies, sum(quote)::int as quotes, sum(repost)::int as reposts
           from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) as r (id, reply, quote, repost) group by 1) d where m.post_id = d.id`,
)
/** Lowers the counters of users by the posts and likes that were removed. */
export const discountUsers = statement(
  'post_discount_users',
  {},
  `update user_metrics m set
     post_count = greatest(0, m.post_count - d.posts),
     like_count = greatest(0, m.like_count - d.likes),
     most_recent_post_id = case when d.posts = 0 then m.most_recent_post_id else (select max(p.id) from post p where p.author_id = m.user_id and not p.nullcast and ${openCommunitySql('p')}) end
   from unnest($1::bigint[], $2::int[], $3::int[]) as d (user_id, posts, likes) where m.user_id = d.user_id`,
)
