import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'
import { markedPosts } from '../posts/marked-posts.ts'
import { allVersionsOf } from '../posts/post.statements.ts'

/**
 * Likes a post and counts it. Returns no id for a post that is liked already, and no row for a post that does not exist. The
 * post is locked, so a concurrent deletion waits and removes the like too. The two updates read each other to fix their
 * order: without that, PostgreSQL runs them in reverse.
 */
export const likeAdd = statement(
  'like_add',
  { id: 'int8?' },
  `with source as (select id from post where id = $2 for key share),
   made as (
     insert into post_like (user_id, post_id, id) select $1::bigint, source.id, $3::bigint from source on conflict do nothing returning id
   ), post_side as (
     insert into post_metrics as m (post_id, like_count) select $2::bigint, 1 from made
     on conflict (post_id) do update set like_count = m.like_count + 1 returning post_id
   ), user_side as (update user_metrics set like_count = like_count + 1 from post_side where user_id = $1)
   select made.id from source left join made on true`,
)
/** Removes the likes of all versions of a post, since lists show it once. Returns the versions that were liked. */
export const likeRemove = statement(
  'like_remove',
  { post_id: 'int8' },
  `with gone as (delete from post_like where user_id = $1 and post_id in (${allVersionsOf('$2')}) returning post_id),
   post_side as (
     update post_metrics m set like_count = greatest(0, like_count - 1) from gone where m.post_id = gone.post_id returning m.post_id
   ), user_side as (
     update user_metrics set like_count = greatest(0, like_count - (select count(*)::int from post_side)) where user_id = $1 and exists (select from post_side)
   )
   select post_id from gone`,
)

/** Who liked a post. */
export const likers = keyedList('likers', { key: 'id', id: 'user_id', from: 'post_like', where: 'post_id = $1' })
/** What a user liked. */
export const likedPosts = keyedList('liked', markedPosts('post_like', 'user_id'))
