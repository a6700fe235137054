import { termsStored } from '../../search/slices/store-terms.ts'
import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'
import { isOnlyVersion, newestOf, versionsOf } from '../posts/post.statements.ts'

/**
 * Reposts a post and counts it. Returns the existing repost for a post that is reposted already, and no row for a post that
 * does not exist. The lock on the source delays its deletion, which would otherwise miss the new repost.
 */
export const repostAdd = statement(
  'repost_add',
  { id: 'int8', made: 'bool' },
  `with source as (select id, lang, media_keys, possibly_sensitive, context_entity_ids from post where id = $3 for key share),
   stored as (
     insert into post (id, author_id, text, entities, display_end, lang, conversation_id, reposted_post_id, first_version_id, media_keys,
       possibly_sensitive, mentioned_user_ids, source_app_id, source, context_entity_ids)
     select $1::bigint, $2::bigint, $4::text, $5::jsonb, $6::int, s.lang, $1::bigint, s.id, $1::bigint, s.media_keys, s.possibly_sensitive,
       $7::bigint[], $8::bigint, $9::text, s.context_entity_ids from source s
     on conflict (reposted_post_id, author_id) where reposted_post_id is not null and not nullcast do update set hidden = post.hidden
     returning id, id = $1::bigint as made
   ), ${termsStored(`select m.id, $2::bigint as author_id, s.id as reposted_post_id, s.lang, null::bigint as in_reply_to_post_id,
       null::bigint as quoted_post_id, false as nullcast, $10::text as search from stored m, source s where m.made`)}, post_side as (
     insert into post_metrics as m (post_id, repost_count) select $3::bigint, 1 from stored where made
     on conflict (post_id) do update set repost_count = m.repost_count + 1
     returning m.post_id
   ), user_side as (
     update user_metrics set post_count = post_count + 1, most_recent_post_id = greatest(most_recent_post_id, $1::bigint)
       from post_side where user_id = $2
   )
   select id, made from stored`,
)

/** The repost of a post by a user. A promoted-only repost does not count, here and in all lists. */
export const repostFind = statement(
  'repost_find',
  { id: 'int8' },
  'select id from post where reposted_post_id = $1 and author_id = $2 and not nullcast',
)

/** Who reposted a post. */
export const reposters = keyedList('reposters', {
  key: 'id',
  id: 'author_id',
  from: 'post',
  where: 'reposted_post_id = $1 and not nullcast',
})
/** The reposts of a post. */
export const reposts = keyedList('reposts', {
  key: 'id',
  id: 'id',
  from: 'post',
  where: 'reposted_post_id = $1 and not nullcast',
})
/** The posts of a user that were reposted, each once and in its newest version: at its newest version that was reposted. */
export const repostedPosts = keyedList('reposted', {
  key: 'p.id',
  id: newestOf('p'),
  from: 'post p',
  where: `p.author_id = $1 and exists (select from post r where r.reposted_post_id = p.id and not r.nullcast)
      and (${isOnlyVersion('p')} or not exists (
        select from post r where r.reposted_post_id > p.id and not r.nullcast
           and r.reposted_post_id in (select id from post where ${versionsOf('p.first_version_id')})))`,
})
/** The posts that quote a post, each in its newest version, on request without replies (`$4`) and reposts (`$5`). */
export const quotes = keyedList('quotes', {
  key: 'id',
  id: 'id',
  from: 'post',
  where: `quoted_post_id = $1 and not superseded and not nullcast
      and (in_reply_to_post_id is null or not $4::bool) and (reposted_post_id is null or not $5::bool)`,
})
