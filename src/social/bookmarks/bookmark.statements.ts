import { statement } from '../../storage/statement.ts'

/** Bookmarks a post and counts it; nothing happens when it is bookmarked already. The lock holds off the post's deletion. */
export const bookmarkAdd = statement(
  'bookmark_add',
  { id: 'int8' },
  `with source as (select id from post where id = $2 for key share),
   made as (
     insert into bookmark (user_id, post_id, id) select $1::bigint, s.id, $3::bigint from source s on conflict do nothing returning id
   ), post_side as (
     insert into post_metrics as m (post_id, bookmark_count) select $2::bigint, 1 from made
     on conflict (post_id) do update set bookmark_count = m.bookmark_count + 1
   )
   select id from made`,
)
export const bookmarkRemove = statement(
  'bookmark_remove',
  { id: 'int8' },
  `with gone as (delete from bookmark where user_id = $1 and post_id = $2 returning id),
   post_side as (update post_metrics set bookmark_count = greatest(0, bookmark_count - 1) where post_id = $2 and exists (select from gone))
   select id from gone`,
)

const keyed = { key: 'int8', id: 'int8' } as const

/** What a user bookmarked, newest first, behind a key; and the other way, nearest first. */
export const bookmarksOlder = statement(
  'bookmarks_older',
  keyed,
  'select id as key, post_id as id from bookmark where user_id = $1 and id < $2 order by key desc limit $3',
)
export const bookmarksNewer = statement(
  'bookmarks_newer',
  keyed,
  'select id as key, post_id as id from bookmark where user_id = $1 and id > $2 order by key limit $3',
)
/** What is in a folder. */
export const filedOlder = statement(
  'bookmarks_filed_older',
  keyed,
  'select id as key, post_id as id from bookmark where folder_id = $1 and id < $2 order by key desc limit $3',
)
export const filedNewer = statement(
  'bookmarks_filed_newer',
  keyed,
  'select id as key, post_id as id from bookmark where folder_id = $1 and id > $2 order by key limit $3',
)

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
  'insert into bookmark_folder (id, user_id, name) values ($1, $2, $3)',
)
/** Puts a bookmark into a folder of the same user, or takes it out of its folder. */
export const bookmarkFile = statement(
  'bookmark_file',
  { id: 'int8' },
  'update bookmark set folder_id = $3 where user_id = $1 and post_id = $2 returning id',
)
