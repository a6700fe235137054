import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { OTHER_ENGAGEMENTS } from '../insights/facts.ts'

const postColumns = {
  id: 'int8',
  author_id: 'int8',
  text: 'text',
  entities: 'jsonb?',
  note_text: 'text?',
  note_entities: 'jsonb?',
  display_start: 'int4',
  display_end: 'int4',
  lang: 'text',
  conversation_id: 'int8',
  in_reply_to_post_id: 'int8?',
  in_reply_to_user_id: 'int8?',
  quoted_post_id: 'int8?',
  reposted_post_id: 'int8?',
  first_version_id: 'int8',
  superseded: 'bool',
  reply_settings: 'text',
  community_id: 'int8?',
  share_with_followers: 'bool',
  place_id: 'text?',
  poll_id: 'int8?',
  media_keys: 'text[]',
  card_uri: 'text?',
  nullcast: 'bool',
  made_with_ai: 'bool',
  paid_partnership: 'bool',
  possibly_sensitive: 'bool',
  hidden: 'bool',
  mentioned_user_ids: 'int8[]',
  source: 'text',
  context_entity_ids: 'int8[]?',
} as const

/** What is stored of a post. */
export type PostRow = RowOf<typeof postColumns>

const postsById = statement(
  'posts_by_id',
  postColumns,
  `select ${Object.keys(postColumns).join(', ')} from post where id = any($1::bigint[]) and sandbox is null`,
)

/** Posts by id, without those of the sandbox. Every change to a post invalidates kind `post`. */
export const postRow = definePart('post', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await postsById.all(db, ids)),
)

const sandboxColumns = { ...postColumns, sandbox: 'text?' } as const

const sandboxPostsById = statement(
  'posts_by_id_with_sandbox',
  sandboxColumns,
  `select ${Object.keys(sandboxColumns).join(', ')} from post where id = any($1::bigint[])`,
)

/** Posts by id as the sandbox of advertising sees them: its own and those of production. */
export const sandboxPostRow = definePart('post', 'row with sandbox', async (db, ids) =>
  keyedBy((row) => row.id, (await sandboxPostsById.all(db, ids)).map(asInSandbox)),
)

const asInSandbox = ({ sandbox, ...row }: RowOf<typeof sandboxColumns>): PostRow => ({
  ...row,
  nullcast: row.nullcast && sandbox !== 'organic',
})

const metricsColumns = {
  id: 'int8',
  author_id: 'int8',
  repost_count: 'int4',
  reply_count: 'int4',
  like_count: 'int4',
  quote_count: 'int4',
  bookmark_count: 'int4',
  impression_count: 'int4',
} as const

/** The public counters of a post. */
export type PostMetricsRow = RowOf<typeof metricsColumns>

// The interface has numbers of 32 bits.
const counter = (sum: string): string => `least(coalesce(${sum}, 0), 2147483647)::int`
const promoted = (count: string): string => counter(`sum(t.${count}) filter (where t.promoted)`)

const COUNTERS = `p.id, p.author_id, coalesce(m.repost_count, 0) as repost_count, coalesce(m.reply_count, 0) as reply_count,
          coalesce(m.like_count, 0) as like_count, coalesce(m.quote_count, 0) as quote_count, coalesce(m.bookmark_count, 0) as bookmark_count`

const metricsById = statement(
  'post_metrics_by_id',
  metricsColumns,
  `select ${COUNTERS}, ${counter('(select sum(t.impressions) from post_total t where t.post_id = p.id)')} as impression_count
     from post p left join post_metrics m on m.post_id = p.id where p.id = any($1::bigint[])`,
)

/** The counters of a post, zeros where none are stored. They change often, so they have a kind of their own: `post_metrics`. */
export const postMetrics = definePart('post_metrics', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await metricsById.all(db, ids)),
)

const privateColumns = {
  ...metricsColumns,
  url_link_clicks: 'int4',
  user_profile_clicks: 'int4',
  other_engagements: 'int4',
  promoted_impression_count: 'int4?',
  promoted_like_count: 'int4',
  promoted_reply_count: 'int4',
  promoted_repost_count: 'int4',
  promoted_link_clicks: 'int4',
  promoted_profile_clicks: 'int4',
} as const

/** The counters of a post with those that only its author sees. */
export type PrivateMetricsRow = RowOf<typeof privateColumns>

const privateMetricsById = statement(
  'post_private_metrics_by_id',
  privateColumns,
  `select ${COUNTERS}, t.*
     from post p left join post_metrics m on m.post_id = p.id
     cross join lateral (
       select ${counter('sum(t.impressions)')} as impression_count, ${counter('sum(t.url_clicks)')} as url_link_clicks,
              ${counter('sum(t.user_profile_clicks)')} as user_profile_clicks,
              ${counter(OTHER_ENGAGEMENTS.map((name) => `coalesce(sum(t.${name}), 0)`).join(' + '))} as other_engagements,
              case when bool_or(t.promoted) then ${promoted('impressions')} end as promoted_impression_count,
              ${promoted('likes')} as promoted_like_count, ${promoted('replies')} as promoted_reply_count, ${promoted('reposts')} as promoted_repost_count,
              ${promoted('url_clicks')} as promoted_link_clicks, ${promoted('user_profile_clicks')} as promoted_profile_clicks
         from post_total t where t.post_id = p.id) t
    where p.id = any($1::bigint[])`,
)

/** Apart from the public counters, which are read far more often. */
export const postPrivateMetrics = definePart('post_metrics', 'private', async (db, ids) =>
  keyedBy((row) => row.id, await privateMetricsById.all(db, ids)),
)

const versionsColumns = {
  id: 'int8',
  version_ids: 'int8[]',
  first_version_id: 'int8',
  author_id: 'int8',
  in_reply_to_user_id: 'int8?',
  poll_id: 'int8?',
  reposted_post_id: 'int8?',
  community_id: 'int8?',
  nullcast: 'bool',
} as const

/** The versions of a post. */
export type PostVersionsRow = RowOf<typeof versionsColumns>

const versionsById = statement(
  'post_versions_by_id',
  versionsColumns,
  `select p.id, array(
            select v.id from post v where v.id = p.first_version_id
            union all
            select v.id from post v where v.first_version_id = p.first_version_id and v.first_version_id <> v.id
            order by 1) as version_ids,
          p.first_version_id, p.author_id, p.in_reply_to_user_id, p.poll_id, p.reposted_post_id, p.community_id, p.nullcast
     from post p where p.id = any($1::bigint[])`,
)

/** The ids of all versions of a post, oldest first, with what determines whether it can be edited. */
export const postVersions = definePart('post', 'versions', async (db, ids) =>
  keyedBy((row) => row.id, await versionsById.all(db, ids)),
)

const articleColumns = {
  id: 'int8',
  article_id: 'int8?',
  title: 'text?',
  plain_text: 'text?',
  preview_text: 'text?',
  cover_media_key: 'text?',
  media_keys: 'text[]',
} as const

const articlesById = statement(
  'post_articles_by_id',
  articleColumns,
  `select p.id, a.id as article_id, a.title, a.plain_text, a.preview_text, a.cover_media_key, coalesce(a.media_keys, '{}') as media_keys
     from post p left join article a on a.post_id = p.first_version_id where p.id = any($1::bigint[])`,
)

/** The article that a post publishes; nulls where there is none. */
export const postArticle = definePart('post', 'article', async (db, ids) =>
  keyedBy((row) => row.id, await articlesById.all(db, ids)),
)
