import { statement } from '../../storage/statement.ts'
import { oneCounted } from '../insights/insight.statements.ts'
import { keyedList } from '../keyed-list.ts'
import { markedPosts } from '../posts/marked-posts.ts'
import { allVersionsOf } from '../posts/post.statements.ts'

/**
 * Bookmarks a post and counts it. Returns no id for a post that is bookmarked already, and no row for a post that does not
 * exist. The lock delays a concurrent deletion of the post. $4 is the hour in which insights count it.
 */
export const bookmarkAdd = statement(
  'bookmark_add',
  { id: 'int8?' },
  `with source as (select id from post where id = $2 for key share),
   made as (
     insert into bookmark (user_id, post_id, id) select $1::bigint, s.id, $3::bigint from source s on conflict do nothing returning id
   ), post_side as (
     insert into post_metrics as m (post_id, bookmark_count) select $2::bigint, 1 from made
     on conflict (post_id) do update set bookmark_count = m.bookmark_count + 1 returning post_id
   ), ${oneCounted('post_side', 'post_side.post_id', '$4::timestamptz', 'bookmarks')}
   select made.id from source left join made on true`,
)
/** Removes the bookmarks of all versions of a post, since lists show it once. Returns the versions that had one. */
export const bookmarkRemove = statement(
  'bookmark_remove',
  { post_id: 'int8' },
  `with gone as (delete from bookmark where user_id = $1 and post_id in (${allVersionsOf('$2')}) returning post_id),
   post_side as (
     update post_metrics m set bookmark_count = greatest(0, bookmark_count - 1) from gone where m.post_id = gone.post_id
   )
   select post_id from gone`,
)

/** What a user bookmarked. */
export const bookmarkedPosts = keyedList('bookmarks', markedPosts('bookmark', 'user_id'))
/** What is in a folder. */
export const filedPosts = keyedList('bookmarks_filed', markedPosts('bookmark', 'folder_id'))

const folder = { id: 'int8', name: 'text' } as const

/** The folders of a user. */
export const foldersOlder = statement(
  'bookmark_folders_older',
  folder,
  'select id, name from bookmark_folder where user_id = $1 and id < $2 order by id desc limit $3',
)
export const foldersNewer = statement(
  'bookmark_folders_newer',
  folder,
  'select id, name from bookmark_folder where user_id = $1 and id > $2 order by id limit $3',
)
export const folderFind = statement(
  'bookmark_folder_find',
  folder,
  'select id, name from bookmark_folder where id = $1 and user_id = $2',
)
export const folderAdd = statement(
  'bookmark_folder_add',
  {},
  `insert into bookmark_folder (id, user_id, name)
   select $1, $2, $3 where (select count(*) from bookmark_folder where user_id = $2) < $4::int`,
)
/** Moves a bookmark into a folder of the same user, or out of its folder. */
export const bookmarkMove = statement(
  'bookmark_file',
  { id: 'int8' },
  `update bookmark set folder_id = $3 where user_id = $1 and post_id in (${allVersionsOf('$2')}) returning id`,
)
