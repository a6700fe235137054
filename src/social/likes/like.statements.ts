import { statement } from '../../storage/statement.ts'
import { markedPosts } from '../posts/marked-posts.ts'
import { chainOf } from '../posts/post.statements.ts'

/**
 * Likes a post and counts it. A post that is liked already answers without the id of a like; a post that is gone answers
 * with nothing. The post is held, so that a deletion at the same moment waits and takes the like along. The sides follow
 * each other: what nothing reads would run in reverse.
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
/** Takes back the likes of all versions of a post, since lists show it once; returns the versions that were liked. */
export const likeRemove = statement(
  'like_remove',
  { post_id: 'int8' },
  `with gone as (delete from post_like where user_id = $1 and post_id in (${chainOf('$2')}) returning post_id),
   post_side as (
     update post_metrics m set like_count = greatest(0, like_count - 1) from gone where m.post_id = gone.post_id returning m.post_id
   ), user_side as (
     update user_metrics set like_count = greatest(0, like_count - (select count(*)::int from post_side)) where user_id = $1 and exists (select from post_side)
   )
   select post_id from gone`,
)

const keyed = { key: 'int8', id: 'int8' } as const

/** Who liked a post, newest first, behind a key; and the other way, nearest first. */
export const likersOlder = statement(
  'likers_older',
  keyed,
  'select id as key, user_id as id from post_like where post_id = $1 and id < $2 order by key desc limit $3',
)
export const likersNewer = statement(
  'likers_newer',
  keyed,
  'select id as key, user_id as id from post_like where post_id = $1 and id > $2 order by key limit $3',
)
/** What a user liked. */
export const likedOlder = statement('liked_older', keyed, markedPosts('post_like', 'user_id', 'older'))
export const likedNewer = statement('liked_newer', keyed, markedPosts('post_like', 'user_id', 'newer'))
