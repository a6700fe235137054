import { statement } from '../../storage/statement.ts'
import { MEDIA_COUNTS, type MediaCount, POST_COUNTS, type PostCount } from './facts.ts'

const list = (names: readonly string[]): string => names.join(', ')
const typed = (names: readonly string[]): string => names.map((name) => `${name} bigint`).join(', ')
const summed = (names: readonly string[]): string => names.map((name) => `sum(${name})::bigint`).join(', ')
// Null where both are: nothing was counted.
const added = (names: readonly string[]): string =>
  names.map((name) => `${name} = coalesce(t.${name} + excluded.${name}, t.${name}, excluded.${name})`).join(', ')

const post = { counts: POST_COUNTS, columns: list(POST_COUNTS) }
const media = { counts: MEDIA_COUNTS, columns: list(MEDIA_COUNTS) }

/**
 * Adds counts of posts to their hours and totals. What happened to a repost counts for its original. The posts are locked, so a
 * concurrent deletion waits and removes these rows too; those that are gone are left out. Rows are written in the order of their
 * keys, totals first, so two writers never deadlock. Returns the posts that were counted.
 */
export const postFactsAdd = statement(
  'post_facts_add',
  { post_id: 'int8' },
  `with sent as materialized (
     select coalesce(p.reposted_post_id, p.id) as post_id, s.promoted, s.period,
            ${list(post.counts.map((name) => `sum(s.${name})::bigint as ${name}`))}
       from jsonb_to_recordset($1::jsonb) as s (post_id bigint, promoted bool, period timestamptz, ${typed(post.counts)})
       join post p on p.id = s.post_id group by 1, 2, 3
   ), held as materialized (
     select id from post where id in (select post_id from sent) order by id for key share
   ), totals as (
     insert into post_total as t (post_id, promoted, ${post.columns})
     select n.post_id, n.promoted, ${summed(post.counts)} from sent n join held h on h.id = n.post_id group by 1, 2 order by 1, 2
     on conflict (post_id, promoted) do update set ${added(post.counts)}
     returning post_id
   ), hours as (
     insert into post_hour as t (post_id, promoted, period, ${post.columns})
     select n.post_id, n.promoted, n.period, ${list(post.counts.map((name) => `n.${name}`))}
       from sent n where n.post_id in (select post_id from totals) order by 1, 3, 2
     on conflict (post_id, period, promoted) do update set ${added(post.counts)}
   )
   select distinct post_id from totals`,
)

/** The same for media items, by their keys. Only media items that a post shows are counted. */
export const mediaFactsAdd = statement(
  'media_facts_add',
  { media_key: 'text' },
  `with sent as materialized (
     select m.id as media_id, m.media_key, s.promoted, s.period, ${list(media.counts.map((name) => `s.${name}`))}
       from jsonb_to_recordset($1::jsonb) as s (media_key text, promoted bool, period timestamptz, ${typed(media.counts)})
       join media m on m.media_key = s.media_key
   ), totals as (
     insert into media_total as t (media_id, promoted, ${media.columns})
     select media_id, promoted, ${summed(media.counts)} from sent group by 1, 2 order by 1, 2
     on conflict (media_id, promoted) do update set ${added(media.counts)}
     returning media_id
   ), hours as (
     insert into media_hour as t (media_id, promoted, period, ${media.columns})
     select media_id, promoted, period, ${summed(media.counts)}
       from sent where media_id in (select media_id from totals) group by 1, 2, 3 order by 1, 3, 2
     on conflict (media_id, period, promoted) do update set ${added(media.counts)}
   )
   select distinct media_key from sent where media_id in (select media_id from totals)`,
)

/** Adds one to a count of a post, as parts of a statement that has made something: `$n` names its hour. */
export const oneCounted = (source: string, postId: string, period: string, count: PostCount): string =>
  `counted_total as (
     insert into post_total as t (post_id, promoted, ${count}) select ${postId}, false, 1 from ${source}
     on conflict (post_id, promoted) do update set ${count} = coalesce(t.${count}, 0) + 1 returning post_id
   ), counted_hour as (
     insert into post_hour as t (post_id, promoted, period, ${count}) select post_id, false, ${period}, 1 from counted_total
     on conflict (post_id, period, promoted) do update set ${count} = coalesce(t.${count}, 0) + 1
   )`

/** Removes everything that was counted for posts. */
export const postFactsDelete = statement(
  'post_facts_delete',
  {},
  `with totals as (delete from post_total where post_id = any($1::bigint[])),
   hours as (delete from post_hour where post_id = any($1::bigint[])),
   days as (delete from post_day where post_id = any($1::bigint[])),
   viewers as (delete from post_viewer where post_id = any($1::bigint[]))
   delete from post_profile_visit where post_id = any($1::bigint[])`,
)

type CountColumns<N extends string> = { [K in N]: 'float8?' }
const floats = <const N extends string>(names: readonly N[]): CountColumns<N> =>
  Object.fromEntries(names.map((name) => [name, 'float8?'])) as CountColumns<N>
const asFloats = (names: readonly string[]): string => names.map((name) => `sum(${name})::float8 as ${name}`).join(', ')

/**
 * The counts of posts from hour $2 until $3, in periods of $5 that begin at $6. Days that were made of hours count as a whole, from
 * day $4.
 */
export const postFactsRead = statement(
  'post_facts_read',
  { id: 'int8', period: 'timestamptz', ...floats(POST_COUNTS) },
  `select post_id as id, date_bin($5::interval, period, $6::timestamptz) as period, ${asFloats(POST_COUNTS)}
     from (select * from post_hour where post_id = any($1::bigint[]) and period >= $2 and period < $3
           union all
           select * from post_day where post_id = any($1::bigint[]) and period >= $4 and period < $3) f
    group by 1, 2`,
)
export const mediaFactsRead = statement(
  'media_facts_read',
  { id: 'text', period: 'timestamptz', ...floats(MEDIA_COUNTS) },
  `select m.media_key as id, date_bin($5::interval, f.period, $6::timestamptz) as period, ${asFloats(MEDIA_COUNTS)}
     from media m cross join lateral (
           select * from media_hour h where h.media_id = m.id and h.period >= $2 and h.period < $3
           union all
           select * from media_day d where d.media_id = m.id and d.period >= $4 and d.period < $3) f
    where m.media_key = any($1::text[]) group by 1, 2`,
)

// A row that another process is changing is left for the next turn.
const daysFromHours = (table: 'post' | 'media', columns: string, counts: readonly string[]): string =>
  `with due as (
     select ctid from ${table}_hour where period < $1 limit $2 for update skip locked
   ), gone as (
     delete from ${table}_hour where ctid in (select ctid from due) returning *
   ), days as (
     insert into ${table}_day as t (${table}_id, promoted, period, ${columns})
     select ${table}_id, promoted, date_bin('1 day', period, '1970-01-01T00:00:00Z'), ${summed(counts)} from gone group by 1, 2, 3 order by 1, 3, 2
     on conflict (${table}_id, period, promoted) do update set ${added(counts)}
   )
   select count(*)::int as moved from gone`

/** Turns hours before $1 into days, at most $2 rows. */
export const postHoursRoll = statement(
  'post_hours_roll',
  { moved: 'int4' },
  daysFromHours('post', post.columns, post.counts),
)
export const mediaHoursRoll = statement(
  'media_hours_roll',
  { moved: 'int4' },
  daysFromHours('media', media.columns, media.counts),
)

/** Remembers who saw the videos or the promotion of posts. Returns those who had not been seen before. */
export const viewersAdd = statement(
  'post_viewers_add',
  { post_id: 'int8', viewer_id: 'int8' },
  `insert into post_viewer as v (post_id, kind, viewer_id, seen_at)
   select p.id, s.kind, s.viewer_id, max(s.seen_at)
     from unnest($1::bigint[], $2::text[], $3::bigint[], $4::timestamptz[]) as s (post_id, kind, viewer_id, seen_at)
     join post p on p.id = s.post_id group by 1, 2, 3 order by 1, 2, 3
   on conflict (post_id, kind, viewer_id) do update set seen_at = greatest(v.seen_at, excluded.seen_at) where v.kind = 'promotion'
   returning post_id, viewer_id`,
)
/** Remembers from which post somebody came to a profile. A visit that a follow came of is kept until that follow ends. */
export const profileVisitsAdd = statement(
  'post_profile_visits_add',
  {},
  `insert into post_profile_visit as v (viewer_id, author_id, post_id, promoted, visited_at)
   select distinct on (s.viewer_id, p.author_id) s.viewer_id, p.author_id, p.id, s.promoted, s.visited_at
     from unnest($1::bigint[], $2::bigint[], $3::bool[], $4::timestamptz[]) as s (viewer_id, post_id, promoted, visited_at)
     join post p on p.id = s.post_id order by 1, 2, s.visited_at desc
   on conflict (viewer_id, author_id) do update set post_id = excluded.post_id, promoted = excluded.promoted, visited_at = excluded.visited_at
   where not v.followed and v.visited_at <= excluded.visited_at`,
)
/** Which of these pairs of post and user saw the promotion of the post in the day before. */
export const promotionSeen = statement(
  'post_promotion_seen',
  { index: 'int4' },
  `select s.index from unnest($1::int[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::bigint[]) as s (index, post_id, viewer_id, at, since_id)
    where exists (select from post_viewer v where v.post_id = s.post_id and v.kind = 'promotion' and v.viewer_id = s.viewer_id
                     and v.seen_at > s.at - interval '1 day' and v.seen_at <= s.at + interval '1 minute')
       or exists (select from ads_viewer v
                    join ads_event e on e.viewer = v.number and e.id >= s.since_id
                    join ads_promoted_post a on a.id = e.promoted_id
                    join post p on p.id = a.post_id
                   where v.user_id = s.viewer_id and coalesce(p.reposted_post_id, p.id) = s.post_id)`,
)
/** The posts that follows came from: visits in the day before. */
export const visitsFollowed = statement(
  'post_visits_followed',
  { index: 'int4', post_id: 'int8', promoted: 'bool' },
  `update post_profile_visit v set followed = true
     from unnest($1::int[], $2::bigint[], $3::bigint[], $4::timestamptz[]) as s (index, viewer_id, author_id, at)
    where v.viewer_id = s.viewer_id and v.author_id = s.author_id and not v.followed and v.visited_at > s.at - interval '1 day'
   returning s.index, v.post_id, v.promoted`,
)
/** The posts that ended follows had come from. */
export const visitsUnfollowed = statement(
  'post_visits_unfollowed',
  { index: 'int4', post_id: 'int8', promoted: 'bool' },
  `delete from post_profile_visit v using unnest($1::int[], $2::bigint[], $3::bigint[]) as s (index, viewer_id, author_id)
    where v.viewer_id = s.viewer_id and v.author_id = s.author_id and v.followed
   returning s.index, v.post_id, v.promoted`,
)

/** Forgets viewers and visits that can decide nothing any more. */
export const viewersPrune = statement(
  'post_viewers_prune',
  {},
  `with visits as (delete from post_profile_visit where not followed and visited_at < $1)
   delete from post_viewer where seen_at < $2 or (kind = 'promotion' and seen_at < $1)`,
)

/** A row of counts as a reader gets it: null where nothing was counted. */
export type PostCountsRow = Record<PostCount, number | null>
export type MediaCountsRow = Record<MediaCount, number | null>
