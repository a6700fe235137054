import { bool, id, ids, int, json, orEmpty, orFalse, orNone, orZero, required, text, texts } from './columns.ts'
import type { Kind } from './kind.ts'

const counter = (name: string) => int(name, { sql: `coalesce(m.${name}, 0)`, elsewhere: true })

// The later versions of an edited post name the poll of the first.
const POLL = `(select jsonb_build_object('duration_minutes', q.duration_minutes,
     'ends_at', to_char(q.ends_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
     'options', (select jsonb_agg(jsonb_build_object('label', o.label, 'votes', o.votes) order by o.position) from poll_option o where o.poll_id = q.id))
   from poll q where q.id = t.poll_id and q.post_id = t.id)`

/** Posts, reposts and all versions of edited posts; the moment of a post is part of its id, and written beside it. */
export const posts: Kind = {
  name: 'posts',
  table: 'post',
  summary: 'posts with all versions, reposts, replies, quotes, polls and counters, also of protected users',
  columns: [
    id('id', required),
    {
      name: 'created_at',
      type: 'time',
      // The same arithmetic as in process/ids.ts.
      sql: `to_timestamp(((t.id >> 22) + 1288834974657) / 1000.0)`,
      elsewhere: true,
    },
    id('author_id', required),
    text('text', required),
    json('entities'),
    text('note_text'),
    json('note_entities'),
    int('display_start', orZero),
    int('display_end', { fallback: 'length(s.text)' }),
    text('lang', { fallback: `'und'` }),
    id('conversation_id', { fallback: 's.id' }),
    id('in_reply_to_post_id'),
    id('in_reply_to_user_id'),
    id('quoted_post_id'),
    id('reposted_post_id'),
    id('first_version_id', { fallback: 's.id' }),
    bool('superseded', orFalse),
    text('reply_settings', { fallback: `'everyone'` }),
    id('community_id'),
    bool('share_with_followers', orFalse),
    text('place_id'),
    id('poll_id'),
    json('poll', { sql: POLL, elsewhere: true }),
    texts('media_keys', orNone),
    ids('media_tagged_user_ids', { sql: 'd.tagged_user_ids', elsewhere: true }),
    json('media_details', { sql: 'd.details', elsewhere: true }),
    text('card_uri'),
    bool('nullcast', orFalse),
    bool('made_with_ai', orFalse),
    bool('paid_partnership', orFalse),
    bool('possibly_sensitive', orFalse),
    bool('hidden', orFalse),
    ids('mentioned_user_ids', orNone),
    id('source_app_id'),
    text('source', orEmpty),
    text('sandbox'),
    ids('context_entity_ids'),
    counter('repost_count'),
    counter('reply_count'),
    counter('like_count'),
    counter('quote_count'),
    counter('bookmark_count'),
  ],
  key: ['id'],
  from: 'post t left join post_metrics m on m.post_id = t.id left join post_media d on d.post_id = t.id',
  references: [
    { column: 'author_id', kind: 'users' },
    { column: 'community_id', kind: 'communities' },
  ],
}
