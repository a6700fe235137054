import type { Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { hiddenUsersSql } from '../../events/emit.ts'
import { termsStored } from '../../search/slices/store-terms.ts'
import { batchQueue } from '../../storage/batch-queue.ts'
import { type Db, sqlState } from '../../storage/database.ts'
import { jsonText } from '../../storage/json-text.ts'
import { statement } from '../../storage/statement.ts'
import { openCommunitySql } from '../visibility.ts'

/** A post as it is stored, with its links and its poll. */
export interface NewPost {
  id: string
  author_id: string
  /** In hex; equal digests mean the same post. */
  digest: string
  text: string
  entities: unknown
  note_text: string | null
  note_entities: unknown
  display_start: number
  display_end: number
  lang: string
  conversation_id: string
  in_reply_to_post_id: string | null
  in_reply_to_user_id: string | null
  quoted_post_id: string | null
  first_version_id: string
  reply_settings: string
  community_id: string | null
  share_with_followers: boolean
  place_id: string | null
  poll_id: string | null
  nullcast: boolean
  /** What a post of a sandbox account is there; null in production. The rest of the world does not learn of it. */
  sandbox: 'promoted' | 'organic' | null
  made_with_ai: boolean
  paid_partnership: boolean
  mentioned_user_ids: string[]
  source_app_id: string | null
  source: string
  search: string
  media_keys: string[]
  possibly_sensitive: boolean
  hidden: boolean
  card_uri: string | null
  context_entity_ids: string[] | null
  link_codes: string[]
  link_urls: string[]
  poll_minutes: number | null
  poll_ends_at: Date | null
  poll_options: string[]
  happened_at: Date
  /** The post was there before anybody listened: it is not an event. */
  is_silent?: boolean
}

/** For how long an author cannot post the same again. */
export const DUPLICATE_WINDOW_MS = 24 * 3600_000
// The same in the time bits of an id.
const DUPLICATE_WINDOW = BigInt(DUPLICATE_WINDOW_MS) << 22n

const COLUMNS = `id, author_id, text, entities, note_text, note_entities, display_start, display_end, lang, conversation_id, in_reply_to_post_id,
  in_reply_to_user_id, quoted_post_id, first_version_id, reply_settings, community_id, share_with_followers, place_id, poll_id, nullcast, sandbox,
  made_with_ai, paid_partnership, mentioned_user_ids, source_app_id, source, media_keys, possibly_sensitive, hidden, card_uri, context_entity_ids`

/**
 * Stores posts in one statement, and so all or nothing: with links and polls, and with the counters of their authors and of the
 * posts that they reply to and quote. Returns those that were stored.
 *
 * A post with the same digest as one of its author in the last 24 hours is not stored: the row of the recent text decides, so of
 * two equal posts at the same moment one is rejected. A later version of a post is not counted again. Rows are written in the
 * order of their keys, so two batches never deadlock. A link that a second post has belongs to neither any more: a click on it says
 * nothing about the post.
 */
const insertSql = (more: string): string =>
  `with sent as materialized (
     select * from jsonb_to_recordset($1::jsonb) as s (id bigint, author_id bigint, digest text, text text, entities jsonb, note_text text,
       note_entities jsonb, display_start int, display_end int, lang text, conversation_id bigint, in_reply_to_post_id bigint,
       in_reply_to_user_id bigint, quoted_post_id bigint, first_version_id bigint, reply_settings text, community_id bigint,
       share_with_followers bool, place_id text, poll_id bigint, nullcast bool, sandbox text, made_with_ai bool, paid_partnership bool,
       mentioned_user_ids bigint[], source_app_id bigint, source text, search text, media_keys text[], possibly_sensitive bool, hidden bool, card_uri text, context_entity_ids bigint[],
       link_codes text[], link_urls text[], poll_minutes int, poll_ends_at timestamptz, poll_options text[], happened_at timestamptz, is_silent bool)
   ), fresh as (
     insert into post_recent_text as r (author_id, digest, post_id) select author_id, decode(digest, 'hex'), id from sent order by 1, 2
     on conflict (author_id, digest) do update set post_id = excluded.post_id where r.post_id < excluded.post_id - ${DUPLICATE_WINDOW}
     returning post_id
   ), stored as (
     insert into post (${COLUMNS})
     select ${COLUMNS} from sent where id in (select post_id from fresh)
     returning id, author_id, first_version_id = id as counted, nullcast, sandbox, in_reply_to_post_id, quoted_post_id, community_id
   ), known as (
     select * from stored where sandbox is null
   ), ${termsStored(`select sent.*, null::bigint as reposted_post_id from sent join known using (id) where ${openCommunitySql('sent')}`)}, authors as (
     insert into user_metrics as m (user_id, post_count, most_recent_post_id)
     select author_id, count(*) filter (where counted), max(id) filter (where not nullcast and ${openCommunitySql('known')}) from known group by 1 order by 1
     on conflict (user_id) do update set
       post_count = m.post_count + excluded.post_count,
       most_recent_post_id = greatest(m.most_recent_post_id, excluded.most_recent_post_id)
   )${more}, happened as (
     insert into event_outbox (type, actor_id, target_id, post_id, payload, happened_at, hidden_users)
     select case when known.counted then 'post.create' else 'post.edit' end, sent.author_id, sent.in_reply_to_user_id, id,
            case when known.counted then '{}'::jsonb else jsonb_build_object('first_version_id', sent.first_version_id::text) end, sent.happened_at,
            case when ${openCommunitySql('sent')} then ${hiddenUsersSql('sent.author_id', 'sent.in_reply_to_user_id', '(select q.author_id from post q where q.id = sent.quoted_post_id)')}
              else jsonb_build_object(sent.author_id::text, 'closed') end
       from sent join known using (id) where sent.is_silent is not true order by id
   )
   select id from stored`

// What only some posts have. A statement with these parts takes a sixth longer for twelve posts, also when they have nothing to do.
const REFERENCES_LINKS_AND_POLLS = `, referred as (
     insert into post_metrics as m (post_id, reply_count, quote_count)
     select r.post_id, sum(r.reply), sum(r.quote)
       from known s, lateral (values (s.in_reply_to_post_id, 1, 0), (s.quoted_post_id, 0, 1)) as r (post_id, reply, quote)
      where r.post_id is not null and s.counted group by 1 order by 1
     on conflict (post_id) do update set reply_count = m.reply_count + excluded.reply_count, quote_count = m.quote_count + excluded.quote_count
   ), linked as materialized (
     select l.code, min(l.url) as url, case when count(distinct sent.first_version_id) = 1 then min(sent.first_version_id) end as post_id
       from sent join stored using (id), unnest(link_codes, link_urls) as l (code, url) group by 1
   ), links as (
     insert into short_link (code, url, post_id) select code, url, post_id from linked order by 1 on conflict do nothing
   ), shared_links as (
     select s.code from short_link s join linked l using (code) where s.post_id is not null and s.post_id is distinct from l.post_id
      order by 1 for no key update of s
   ), unlinked as (
     update short_link set post_id = null where code in (select code from shared_links)
   ), polls as (
     insert into poll (id, post_id, duration_minutes, ends_at)
     select sent.poll_id, id, poll_minutes, poll_ends_at from sent join stored using (id) where sent.poll_id is not null
   ), options as (
     insert into poll_option (poll_id, position, label)
     select sent.poll_id, o.position, o.label from sent join stored using (id), unnest(poll_options) with ordinality as o (label, position)
   ), mentions as (
     insert into post_mention (user_id, post_id)
     select m.id, known.id from sent join known using (id), unnest(sent.mentioned_user_ids) as m (id) on conflict do nothing
   )`

const COLUMNS_RETURNED = { id: 'int8' } as const
const postsInsert = statement('posts_insert', COLUMNS_RETURNED, insertSql(REFERENCES_LINKS_AND_POLLS))
const plainPostsInsert = statement('posts_insert_plain', COLUMNS_RETURNED, insertSql(''))

/** A post that refers to nothing and to nobody, without links and poll. */
const isPlain = (post: NewPost): boolean =>
  post.in_reply_to_post_id === null &&
  post.quoted_post_id === null &&
  post.poll_id === null &&
  post.mentioned_user_ids.length === 0 &&
  post.link_codes.length === 0

/** Stores posts on the caller's connection. Returns the ids of those that were stored. */
export async function insertPosts(db: Db, posts: readonly NewPost[]): Promise<Set<string>> {
  const insert = posts.every(isPlain) ? plainPostsInsert : postsInsert
  const rows = await insert.all(db, jsonText(posts))
  return new Set(rows.map((row) => row.id))
}

const MOST_AT_ONCE = 100
const BATCHES_AT_ONCE = 2
const INTEGRITY_FAULT = /^(?:22|23)/

/** The posts of this process that wait to be stored together. */
export const postQueue = defineSingleton({
  name: 'post queue',
  create: ({ database }) =>
    batchQueue({
      most: MOST_AT_ONCE,
      atOnce: BATCHES_AT_ONCE,
      keyOf: (item: NewPost) => `${item.author_id} ${item.digest}`,
      handle: async (items: NewPost[]) => {
        const stored = await insertPosts(database, items)
        return items.map((item) => stored.has(item.id))
      },
      isOneItemsFault: (error) => INTEGRITY_FAULT.test(sqlState(error) ?? ''),
    }),
})

/** Stores a post together with those of other requests; false when its author posted the same a short time ago. */
export const insertWithOthers = (runtime: Runtime, post: NewPost): Promise<boolean> =>
  runtime.singleton(postQueue)(post)
