import { statement } from '../../storage/statement.ts'
import { isOnlyVersion, newestOf, versionsOf } from '../posts/post.statements.ts'

/**
 * Reposts a post and counts it. A post that is reposted already answers with the repost there is; a post that is gone
 * answers with nothing. The lock on the source holds off its deletion, which would miss the new repost otherwise.
 */
export const repostAdd = statement(
  'repost_add',
  { id: 'int8', made: 'bool' },
  `with source as (select id, lang, media_keys, possibly_sensitive from post where id = $3 for key share),
   stored as (
     insert into post (id, author_id, text, entities, display_end, lang, conversation_id, reposted_post_id, first_version_id, media_keys,
       possibly_sensitive, mentioned_user_ids, source_app_id, source, search)
     select $1::bigint, $2::bigint, $4::text, $5::jsonb, $6::int, s.lang, $1::bigint, s.id, $1::bigint, s.media_keys, s.possibly_sensitive,
       $7::bigint[], $8::bigint, $9::text, $10::tsvector from source s
     on conflict (reposted_post_id, author_id) where reposted_post_id is not null and not nullcast do update set hidden = post.hidden
     returning id, id = $1::bigint as made
   ), post_side as (
     insert into post_metrics as m (post_id, repost_count) select $3::bigint, 1 from stored where made
     on conflict (post_id) do update set repost_count = m.repost_count + 1
     returning m.post_id
   ), user_side as (
     update user_metrics set post_count = post_count + 1, most_recent_post_id = greatest(most_recent_post_id, $1::bigint)
       from post_side where user_id = $2
   )
   select id, made from stored`,
)

/** The repost of a post by a user. What an advertiser promotes as one is none: here and in all lists it does not show. */
export const repostFind = statement(
  'repost_find',
  { id: 'int8' },
  'select id from post where reposted_post_id = $1 and author_id = $2 and not nullcast',
)

const keyed = { key: 'int8', id: 'int8' } as const

/** Who reposted a post, newest first, behind a key; and the other way, nearest first. */
export const repostersOlder = statement(
  'reposters_older',
  keyed,
  'select id as key, author_id as id from post where reposted_post_id = $1 and id < $2 and not nullcast order by key desc limit $3',
)
export const repostersNewer = statement(
  'reposters_newer',
  keyed,
  'select id as key, author_id as id from post where reposted_post_id = $1 and id > $2 and not nullcast order by key limit $3',
)
/** The reposts themselves. */
export const repostsOlder = statement(
  'reposts_older',
  keyed,
  'select id as key, id from post where reposted_post_id = $1 and id < $2 and not nullcast order by key desc limit $3',
)
export const repostsNewer = statement(
  'reposts_newer',
  keyed,
  'select id as key, id from post where reposted_post_id = $1 and id > $2 and not nullcast order by key limit $3',
)
// Of an edited post of which several versions were reposted, the newest of those has the key.
const reposted = `${newestOf('p')} as id from post p
    where p.author_id = $1 and exists (select from post r where r.reposted_post_id = p.id and not r.nullcast)
      and (${isOnlyVersion('p')} or not exists (
        select from post r where r.reposted_post_id > p.id and not r.nullcast
           and r.reposted_post_id in (select id from post where ${versionsOf('p.first_version_id')})))`
/** The posts of a user that somebody reposted, each once and in its newest version. */
export const repostedOlder = statement(
  'reposted_older',
  keyed,
  `select p.id as key, ${reposted} and p.id < $2 order by key desc limit $3`,
)
export const repostedNewer = statement(
  'reposted_newer',
  keyed,
  `select p.id as key, ${reposted} and p.id > $2 order by key limit $3`,
)
const quoteConditions =
  'not superseded and not nullcast and (in_reply_to_post_id is null or not $4::bool) and (reposted_post_id is null or not $5::bool)'
/** The posts that quote a post, each in its newest version; without replies (`$4`) and reposts (`$5`) where asked. */
export const quotesOlder = statement(
  'quotes_older',
  keyed,
  `select id as key, id from post where quoted_post_id = $1 and id < $2 and ${quoteConditions} order by key desc limit $3`,
)
export const quotesNewer = statement(
  'quotes_newer',
  keyed,
  `select id as key, id from post where quoted_post_id = $1 and id > $2 and ${quoteConditions} order by key limit $3`,
)
