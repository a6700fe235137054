import { statement } from '../../storage/statement.ts'

/**
 * Stores a post with everything that hangs on it, in one statement and so all or nothing: its links and poll, and the
 * counters of its author and of the posts it answers and quotes.
 *
 * Nothing is stored when the author had the same text since `$3`: the row of the recent text decides, so that of two
 * equal posts at the same moment one is refused. A later version of a post is not counted again.
 */
export const postInsert = statement(
  'post_insert',
  { id: 'int8' },
  `with fresh as (
     insert into post_recent_text as r (author_id, digest, post_id) values ($2::bigint, $4::bytea, $1::bigint)
     on conflict (author_id, digest) do update set post_id = excluded.post_id where r.post_id < $3::bigint
     returning 1
   ), stored as (
     insert into post (id, author_id, text, entities, note_text, note_entities, display_start, display_end, lang, conversation_id,
       in_reply_to_post_id, in_reply_to_user_id, quoted_post_id, first_version_id, reply_settings, community_id, share_with_followers,
       place_id, poll_id, nullcast, made_with_ai, paid_partnership, mentioned_user_ids, source_app_id, source, search)
     select $1::bigint, $2::bigint, $5::text, $6::jsonb, $7::text, $8::jsonb, $9::int, $10::int, $11::text, $12::bigint, $13::bigint, $14::bigint,
       $15::bigint, $16::bigint, $17::text, $18::bigint, $19::bool, $20::text, $21::bigint, $22::bool, $23::bool, $24::bool, $25::bigint[],
       $26::bigint, $27::text, $34::text::tsvector from fresh
     returning id, first_version_id = id as counted
   ), author as (
     insert into user_metrics as m (user_id, post_count, most_recent_post_id)
     select $2::bigint, counted::int, id from stored
     on conflict (user_id) do update set
       post_count = m.post_count + excluded.post_count,
       most_recent_post_id = greatest(m.most_recent_post_id, excluded.most_recent_post_id)
   ), referred as (
     insert into post_metrics as m (post_id, reply_count, quote_count)
     select r.post_id, sum(r.reply), sum(r.quote)
       from stored, (values ($13::bigint, 1, 0), ($15::bigint, 0, 1)) as r (post_id, reply, quote)
      where r.post_id is not null and stored.counted group by r.post_id order by r.post_id
     on conflict (post_id) do update set reply_count = m.reply_count + excluded.reply_count, quote_count = m.quote_count + excluded.quote_count
   ), links as (
     insert into short_link (code, url) select l.code, l.url from stored, unnest($28::text[], $29::text[]) as l (code, url) on conflict do nothing
   ), polls as (
     insert into poll (id, post_id, duration_minutes, ends_at) select $21::bigint, id, $30::int, $31::timestamptz from stored where $21 is not null
   ), options as (
     insert into poll_option (poll_id, position, label)
     select $21::bigint, o.position, o.label from stored, unnest($32::text[]) with ordinality as o (label, position)
   ), mentions as (
     insert into post_mention (user_id, post_id) select m.id, stored.id from stored, unnest($25::bigint[]) as m (id) on conflict do nothing
   ), happened as (
     insert into event_outbox (type, actor_id, target_id, post_id, payload, happened_at)
     select case when counted then 'post.create' else 'post.edit' end, $2::bigint, $14::bigint, id,
            case when counted then '{}'::jsonb else jsonb_build_object('first_version_id', $16::bigint::text) end, $33::timestamptz
       from stored
   )
   select id from stored`,
)

/** Locks the versions of a post, so that two edits at once are counted one after the other. */
export const versionsLock = statement(
  'post_versions_lock',
  { id: 'int8', superseded: 'bool' },
  'select id, superseded from post where first_version_id = $1 order by id for update',
)
export const versionSupersede = statement(
  'post_version_supersede',
  {},
  'update post set superseded = true where id = $1',
)

/** Whom a post written now may be answered by: is `$2` followed by the author `$1`. */
export const isMember = statement(
  'community_is_member',
  { member: 'bool' },
  'select exists (select from community_member where community_id = c.id and user_id = $2) as member from community c where c.id = $1',
)

/** Removes the versions of a post, which are locked, their mentions, and the reposts of them; returns each removed post. */
export const postDelete = statement(
  'post_delete',
  { id: 'int8', author_id: 'int8', counted: 'bool', poll_id: 'int8?' },
  `with removed as (
     delete from post where id = any($1::bigint[]) or reposted_post_id = any($1::bigint[])
     returning id, author_id, first_version_id = id as counted, poll_id, mentioned_user_ids
   ), mentions as (
     delete from post_mention m using removed r, unnest(r.mentioned_user_ids) as u (id) where m.user_id = u.id and m.post_id = r.id
   )
   select id, author_id, counted, poll_id from removed`,
)
/** Removes likes and bookmarks of removed posts; returns how many likes each user loses. */
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
export const postDeletePolls = statement('post_delete_polls', {}, 'delete from poll where id = any($1::bigint[])')
export const postUnpin = statement(
  'post_unpin',
  { id: 'int8' },
  'update user_account set pinned_post_id = null where id = any($2::bigint[]) and pinned_post_id = any($1::bigint[]) returning id',
)

/** Locks counters in the order of their ids, so that two changes never wait for each other crosswise. */
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
/** Lowers the counters of the posts that a removed post answered, quoted and reposted. */
export const discountReferred = statement(
  'post_discount_referred',
  {},
  `update post_metrics set
     reply_count = greatest(0, reply_count - (post_id is not distinct from $1::bigint)::int),
     quote_count = greatest(0, quote_count - (post_id is not distinct from $2::bigint)::int),
     repost_count = greatest(0, repost_count - (post_id is not distinct from $3::bigint)::int)
   where post_id in ($1::bigint, $2::bigint, $3::bigint)`,
)
/** Lowers the counters of users by the posts and likes they lost. */
export const discountUsers = statement(
  'post_discount_users',
  {},
  `update user_metrics m set
     post_count = greatest(0, m.post_count - d.posts),
     like_count = greatest(0, m.like_count - d.likes),
     most_recent_post_id = case when d.posts = 0 then m.most_recent_post_id else (select max(p.id) from post p where p.author_id = m.user_id) end
   from unnest($1::bigint[], $2::int[], $3::int[]) as d (user_id, posts, likes) where m.user_id = d.user_id`,
)
