import { type RowOf, statement } from '../../storage/statement.ts'

const columns = {
  media_id: 'int8',
  media_key: 'text',
  name: 'text?',
  file_name: 'text?',
  title: 'text?',
  description: 'text?',
  poster_media_key: 'text?',
  posted: 'bool',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  deleted: 'bool',
  type: 'text',
  category: 'text',
  url: 'text?',
  width: 'int4?',
  height: 'int4?',
  duration_ms: 'int4?',
  poster_url: 'text?',
} as const

/** An item of an account's media library. */
export type LibraryRow = RowOf<typeof columns>

// Without a chosen poster, the first frame is the poster.
const select = `select l.id as media_id, l.media_key, l.name, l.file_name, l.title, l.description, l.poster_media_key, l.posted or m.post_uses > 0 as posted,
    l.created_at, l.updated_at, l.deleted, m.type, m.category, m.url, m.width, m.height, m.duration_ms, coalesce(p.url, m.preview_image_url) as poster_url
  from ads_media_library l join media m on m.media_key = l.media_key left join media p on p.media_key = l.poster_media_key
  where l.account_id = $1`

/** A page after an item, with all of the words `$4` and optionally of one type `$3`. */
export const libraryPage = statement(
  'ads_media_library_list',
  columns,
  `${select} and not l.deleted and l.id > $2::bigint and ($3::text is null or m.type = $3) and l.terms @> $4::text[] order by l.id limit $5`,
)

/** One item, also after it was removed. */
export const libraryItem = statement('ads_media_library_item', columns, `${select} and l.media_key = $2`)

/** Adds an item, also again after it was removed, or updates it. */
export const libraryPut = statement(
  'ads_media_library_put',
  {},
  `insert into ads_media_library as l (id, account_id, media_key, name, file_name, title, description, poster_media_key, terms, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[], $10, $10)
   on conflict (account_id, media_key) do update set name = excluded.name, file_name = excluded.file_name, title = excluded.title,
     description = excluded.description, poster_media_key = excluded.poster_media_key, terms = excluded.terms, unsorted = false,
     created_at = case when l.deleted then excluded.created_at else l.created_at end, updated_at = excluded.updated_at, deleted = false`,
)

export const libraryRemove = statement(
  'ads_media_library_remove',
  {},
  'update ads_media_library set deleted = true, updated_at = $3 where account_id = $1 and media_key = $2 and not deleted',
)

/** The users whose uploads an account may use in addition to the caller's. */
export const promotableUserIds = statement(
  'ads_promotable_user_ids',
  { user_id: 'int8' },
  'select user_id from ads_promotable_user where account_id = $1 and not deleted',
)
