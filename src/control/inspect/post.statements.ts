import { walkSlices } from '../../social/search/walk-slices.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

const columns = {
  id: 'int8',
  author_id: 'int8',
  author: 'text',
  author_name: 'text',
  author_suspended: 'bool',
  author_protected: 'bool',
  text: 'text',
  lang: 'text',
  source: 'text',
  conversation_id: 'int8',
  in_reply_to_post_id: 'int8?',
  quoted_post_id: 'int8?',
  reposted_post_id: 'int8?',
  first_version_id: 'int8',
  community_id: 'int8?',
  community_closed: 'bool',
  reply_settings: 'text',
  media_keys: 'text[]',
  superseded: 'bool',
  nullcast: 'bool',
  sandbox: 'text?',
  hidden: 'bool',
  possibly_sensitive: 'bool',
  withheld_countries: 'text[]',
  like_count: 'int4',
  repost_count: 'int4',
  reply_count: 'int4',
  quote_count: 'int4',
  open_reports: 'int4',
} as const

/** A post as operators see it. */
export type InspectedPost = RowOf<typeof columns>

/** Posts by id, whoever may see them. */
export const postsInspected = statement(
  'inspect_posts',
  columns,
  `select p.id, p.author_id, u.username as author, u.name as author_name, u.suspended as author_suspended, u.protected as author_protected,
          coalesce(p.note_text, p.text) as text, p.lang, p.source, p.conversation_id, p.in_reply_to_post_id, p.quoted_post_id, p.reposted_post_id,
          p.first_version_id, p.community_id, coalesce(c.access = 'Closed', false) as community_closed, p.reply_settings, p.media_keys, p.superseded,
          p.nullcast, p.sandbox, p.hidden, p.possibly_sensitive, u.withheld_countries,
          coalesce(m.like_count, 0) as like_count, coalesce(m.repost_count, 0) as repost_count, coalesce(m.reply_count, 0) as reply_count,
          coalesce(m.quote_count, 0) as quote_count,
          (select count(*)::int from (select from report r where r.kind = 'post' and r.subject_id = p.id::text and r.state = 'open' limit 1000) r)
            as open_reports
     from post p join user_account u on u.id = p.author_id left join community c on c.id = p.community_id
     left join post_metrics m on m.post_id = p.id
    where p.id = any($1::bigint[])`,
)

const id = { id: 'int8' } as const
/** The newest posts before `$1`. */
export const newestPosts = statement(
  'inspect_newest_posts',
  id,
  'select id from post where id < $1 order by id desc limit $2',
)
export const postsOfAuthor = statement(
  'inspect_posts_of_author',
  id,
  'select id from post where author_id = $3 and id < $1 order by id desc limit $2',
)
/** The newest posts with the terms `$3`, of the author `$4` or of anybody. */
export const postsWithTerms = statement(
  'inspect_posts_with_terms',
  id,
  `select id from (${walkSlices({
    terms: '(select $3::tsquery)',
    after: '(select 0::bigint)',
    before: '(select $1::bigint)',
    where: '($4::bigint is null or author_id = $4)',
    limit: '(select $2::int)',
  })}) found order by id desc`,
)
/** The posts of a conversation after `$2`, the oldest first. */
export const postsOfThread = statement(
  'inspect_posts_of_thread',
  id,
  'select id from post where conversation_id = $1 and id > $2 order by id limit $3',
)
/** All versions of a post, the oldest first. */
export const versionsInspected = statement(
  'inspect_post_versions',
  { id: 'int8', text: 'text' },
  `select id, coalesce(note_text, text) as text from post where id = $1 or (first_version_id = $1 and first_version_id <> id) order by id limit 50`,
)
