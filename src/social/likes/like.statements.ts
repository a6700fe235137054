import { statement } from '../../storage/statement.ts'

/**
 * Likes a post and counts it; nothing happens when it is liked already. The post is held, so that a deletion at the same
 * moment waits and takes the like along. The sides follow each other: what nothing reads would run in reverse.
 */
export const likeAdd = statement(
  'like_add',
  { id: 'int8' },
  `with source as (select id from post where id = $2 for key share),
   made as (
     insert into post_like (user_id, post_id, id) select $1::bigint, source.id, $3::bigint from source on conflict do nothing returning id
   ), post_side as (
     insert into post_metrics as m (post_id, like_count) select $2::bigint, 1 from made
     on conflict (post_id) do update set like_count = m.like_count + 1 returning post_id
   ), user_side as (update user_metrics set like_count = like_count + 1 from post_side where user_id = $1)
   select id from made`,
)
export const likeRemove = statement(
  'like_remove',
  { id: 'int8' },
  `with gone as (delete from post_like where user_id = $1 and post_id = $2 returning id),
   post_side as (update post_metrics set like_count = greatest(0, like_count - 1) from gone where post_id = $2 returning post_id),
   user_side as (update user_metrics set like_count = greatest(0, like_count - 1) from post_side where user_id = $1)
   select gone.id from gone`,
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
export const likedOlder = statement(
  'liked_older',
  keyed,
  'select id as key, post_id as id from post_like where user_id = $1 and id < $2 order by key desc limit $3',
)
export const likedNewer = statement(
  'liked_newer',
  keyed,
  'select id as key, post_id as id from post_like where user_id = $1 and id > $2 order by key limit $3',
)
