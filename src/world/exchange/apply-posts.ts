import { linkBases } from '../../social/links/short-link.ts'
import { openCommunitySql } from '../../social/visibility.ts'
import type { Tx } from '../../storage/database.ts'
import type { Has } from './apply-users.ts'
import { insertSql } from './insert-rows.ts'
import type { Kind } from './kind.ts'

/** Stores posts with their polls, details of media and mentions. */
export async function applyPosts(tx: Tx, kind: Kind, has: Has): Promise<void> {
  await tx.query({ text: insertSql(kind) })
  await tx.query({
    text: `insert into poll (id, post_id, duration_minutes, ends_at)
      select poll_id, id, (poll->>'duration_minutes')::int, (poll->>'ends_at')::timestamptz from staged_posts where poll_id is not null and poll is not null`,
  })
  await tx.query({
    text: `insert into poll_option (poll_id, position, label, votes)
      select s.poll_id, o.position, o.option->>'label', coalesce((o.option->>'votes')::int, 0)
        from staged_posts s, jsonb_path_query_array(s.poll, '$.options[*]') as list, jsonb_array_elements(list) with ordinality as o (option, position)
       where s.poll_id is not null and s.poll is not null`,
  })
  await tx.query({
    text: `insert into post_media (post_id, tagged_user_ids, details) select id, coalesce(media_tagged_user_ids, '{}'), coalesce(media_details, '{}')
        from staged_posts where media_tagged_user_ids is not null or media_details is not null`,
  })
  // The mention that a repost begins with does not list it among the mentions of a user.
  await tx.query({
    text: `insert into post_mention (user_id, post_id) select m.id, s.id from staged_posts s, unnest(s.mentioned_user_ids) as m (id)
        where s.sandbox is null and s.reposted_post_id is null on conflict do nothing`,
  })
  // Media items of the import have their number already.
  await tx.query({
    text: `update media m set post_uses = m.post_uses + u.uses
        from (select k.key, count(*)::int as uses from staged_posts s, unnest(s.media_keys) as k (key)
               where s.reposted_post_id is null and s.sandbox is null group by 1) u
       where m.media_key = u.key ${has('media') ? 'and not exists (select from staged_media i where i.media_key = m.media_key)' : ''}`,
  })
}

/** Stores where the short links of posts, profiles and messages lead. A link that two posts have belongs to neither. */
export async function storeShortLinks(tx: Tx, has: Has): Promise<void> {
  const sources = [
    has('posts') &&
      `select l, coalesce(s.first_version_id, s.id) as post_id from staged_posts s,
         lateral (select jsonb_path_query(s.entities, '$.urls[*]') union all select jsonb_path_query(s.note_entities, '$.urls[*]')) as u (l)
        where s.reposted_post_id is null`,
    has('users') &&
      `select l, null from staged_users s,
         lateral (select jsonb_path_query(s.url_entities, '$.**.urls[*]') union all select jsonb_path_query(s.description_entities, '$.**.urls[*]')) as u (l)`,
    has('messages') && `select jsonb_path_query(s.entities, '$.urls[*]'), null from staged_messages s`,
  ].filter((source) => source !== false)
  if (sources.length === 0) return
  await tx.query({
    text: `insert into short_link (code, url, post_id)
      select code, min(url), case when count(distinct post_id) = 1 then min(post_id) end
        from (select substring(l->>'url' from '/(\\w{1,20})$') as code, l->>'expanded_url' as url, post_id
                from (${sources.join(' union all ')}) as found (l, post_id) where starts_with(l->>'url', $1) or starts_with(l->>'url', $2)) links
       where code is not null and url is not null group by 1 order by 1
      on conflict (code) do update set post_id = null where short_link.post_id is not null and short_link.post_id is distinct from excluded.post_id`,
    values: linkBases(),
  })
}

/** Counts votes in polls that were here before. Polls of the import have their numbers. */
export async function countVotes(tx: Tx, has: Has): Promise<void> {
  await tx.query({
    text: `update poll_option o set votes = o.votes + c.votes
        from (select poll_id, position, count(*)::int as votes from staged_poll_votes group by 1, 2) c
       where o.poll_id = c.poll_id and o.position = c.position
             ${has('posts') ? 'and not exists (select from staged_posts s where s.poll_id = c.poll_id and s.poll is not null)' : ''}`,
  })
}

const isFirst = (post: string): string => `coalesce(${post}.first_version_id, ${post}.id) = ${post}.id`

/** Counts posts, likes and bookmarks for their posts and users. */
export async function countPosts(tx: Tx, has: Has): Promise<void> {
  const none = '0, 0, 0, 0, 0'
  const sources = [
    has('posts') &&
      `select id, 0, 0, ${has('likes') ? '0' : 'coalesce(like_count, 0)'}, 0, ${has('bookmarks') ? '0' : 'coalesce(bookmark_count, 0)'} from staged_posts`,
    has('posts') &&
      `select r.post_id, r.repost, r.reply, 0, r.quote, 0 from staged_posts s,
         lateral (values (s.reposted_post_id, (not coalesce(s.nullcast, false))::int, 0, 0), (s.in_reply_to_post_id, 0, 1, 0), (s.quoted_post_id, 0, 0, 1))
           as r (post_id, repost, reply, quote)
        where r.post_id is not null and s.sandbox is null and ${isFirst('s')}`,
    has('likes') && 'select post_id, 0, 0, 1, 0, 0 from staged_likes',
    has('bookmarks') && 'select post_id, 0, 0, 0, 0, 1 from staged_bookmarks',
  ].filter((source) => source !== false)
  if (sources.length > 0)
    await tx.query({
      text: `insert into post_metrics as m (post_id, repost_count, reply_count, like_count, quote_count, bookmark_count)
        select c.post_id, sum(repost), sum(reply), sum(liked), sum(quote), sum(bookmarked)
          from (${sources.join(' union all ')}) as c (post_id, repost, reply, liked, quote, bookmarked)
         where (repost, reply, liked, quote, bookmarked) <> (${none}) and exists (select from post p where p.id = c.post_id)
         group by 1 order by 1
        on conflict (post_id) do update set repost_count = m.repost_count + excluded.repost_count, reply_count = m.reply_count + excluded.reply_count,
          like_count = m.like_count + excluded.like_count, quote_count = m.quote_count + excluded.quote_count,
          bookmark_count = m.bookmark_count + excluded.bookmark_count`,
    })
  if (has('posts'))
    await tx.query({
      text: `update user_metrics m set post_count = m.post_count + c.posts, media_count = m.media_count + c.media,
          most_recent_post_id = greatest(m.most_recent_post_id, c.latest)
        from (select s.author_id, count(*) filter (where ${isFirst('s')})::int as posts,
                max(s.id) filter (where not coalesce(s.nullcast, false) and ${openCommunitySql('s')}) as latest,
                count(*) filter (where ${isFirst('s')} and s.reposted_post_id is null and cardinality(s.media_keys) > 0)::int as media
                from staged_posts s where s.sandbox is null group by 1) c
       where m.user_id = c.author_id`,
    })
  if (has('likes'))
    await tx.query({
      text: `update user_metrics m set like_count = m.like_count + c.likes
        from (select user_id, count(*)::int as likes from staged_likes group by 1) c where m.user_id = c.user_id`,
    })
}
