import { statement } from '../../storage/statement.ts'
import { WORLD } from './trend-places.ts'

/** For how many hours counts are kept: a day and what it is compared with. */
export const KEPT_HOURS = 96
const KEPT_OF_WORLD = 2_000
const KEPT_OF_PLACE = 60

export const topicState = statement(
  'topic_state_read',
  { last_post_id: 'int8', pruned_hour: 'int4', trends_made_at: 'timestamptz?', news_made_at: 'timestamptz?' },
  'select last_post_id, pruned_hour, trends_made_at, news_made_at from topic_state',
)
/** Whether there is a post that was not counted yet. In most turns this statement is the only one. */
export const topicsPending = statement(
  'topic_pending',
  { pending: 'bool' },
  `select exists (select from post where id > greatest($1::bigint, coalesce((select last_post_id from topic_state), 0)) and id <= $2) as pending`,
)
/** Locks the state until the end of the transaction, so two runs never count a post twice. */
export const topicStateLock = statement(
  'topic_state_lock',
  { last_post_id: 'int8', pruned_hour: 'int4' },
  `insert into topic_state as s (last_post_id, pruned_hour) values ($1::bigint, $2::int)
   on conflict (only_row) do update set last_post_id = greatest(s.last_post_id, $1::bigint) returning last_post_id, pruned_hour`,
)
export const topicStateMove = statement(
  'topic_state_move',
  {},
  'update topic_state set last_post_id = $1::bigint, pruned_hour = $2::int',
)
export const trendsMade = statement('topic_trends_made', {}, 'update topic_state set trends_made_at = $1')

/** Public posts after an id, oldest first, without reposts, later versions, and posts of communities or for advertisements. */
export const newPublicPosts = statement(
  'topic_new_posts',
  {
    id: 'int8',
    author_id: 'int8',
    text: 'text',
    entities: 'jsonb?',
    note_text: 'text?',
    note_entities: 'jsonb?',
    context_entity_ids: 'int8[]?',
    location: 'text',
    place: 'text?',
  },
  `select p.id, p.author_id, p.text, p.entities, p.note_text, p.note_entities, p.context_entity_ids, u.location, pl.full_name as place
     from post p join user_account u on u.id = p.author_id and not u.protected and not u.suspended
     left join place pl on pl.id = p.place_id
    where p.id > $1 and p.id <= $2 and p.reposted_post_id is null and not p.nullcast and p.community_id is null and p.first_version_id = p.id
    order by p.id limit $3`,
)
export const topicsAdd = statement(
  'topic_counts_add',
  {},
  `insert into topic_count as t (hour, woeid, term, shown, entity_id, posts, authors, last_author_id)
   select * from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::int[], $8::bigint[]) order by 1, 2, 3
   on conflict (hour, woeid, term) do update set posts = t.posts + excluded.posts, last_author_id = excluded.last_author_id,
     authors = t.authors + excluded.authors - (t.authors > 0 and t.last_author_id = excluded.last_author_id)::int`,
)
/** Of hours that are over, only the most frequent terms stay. */
export const topicsPrune = statement(
  'topic_counts_prune',
  {},
  `delete from topic_count t using (
     select hour, woeid, term, row_number() over (partition by hour, woeid order by posts desc, term) as place
       from topic_count where hour > $1 and hour <= $2) r
    where t.hour = r.hour and t.woeid = r.woeid and t.term = r.term
      and r.place > case when t.woeid = ${WORLD} then ${KEPT_OF_WORLD} else ${KEPT_OF_PLACE} end`,
)
export const topicsExpire = statement('topic_counts_expire', {}, 'delete from topic_count where hour <= $1')

/**
 * What rises: in the last 3 hours against the 72 before, or in the last 24 against the 72 before. The score is how many standard
 * deviations there are more posts than expected. A topic of one author does not count, and a plain word counts less.
 */
export const risingTopics = statement(
  'topic_rising',
  { woeid: 'int4', term: 'text', shown: 'text', entity_id: 'int8?', posts: 'int4' },
  `with sums as (
     select woeid, term, max(shown) as shown, max(entity_id) as entity_id,
            coalesce(sum(posts) filter (where hour > $1::int - 3), 0) as short, coalesce(sum(authors) filter (where hour > $1 - 3), 0) as short_authors,
            coalesce(sum(posts) filter (where hour <= $1 - 3 and hour > $1 - 75), 0) * 3 / 72.0 as short_expected,
            sum(posts) filter (where hour > $1 - 24) as long, sum(authors) filter (where hour > $1 - 24) as long_authors,
            coalesce(sum(posts) filter (where hour <= $1 - 24), 0) * 24 / 72.0 as long_expected
       from topic_count where hour > $1 - ${KEPT_HOURS} and hour <= $1 group by 1, 2
      having sum(posts) filter (where hour > $1 - 24) >= 3
   ), scored as (
     select *, case when short >= 3 and short_authors >= 2 then (short - short_expected) / sqrt(short_expected + 1) end as short_score,
            case when long_authors >= 2 then (long - long_expected) / sqrt(long_expected + 1) end as long_score
       from sums
   ), ranked as (
     select *, row_number() over (partition by woeid order by
              (case when short_score >= 2 then 1000 + short_score else long_score end) * (case when term like '-%' then 0.5 else 1 end) desc, term) as place
       from scored where short_score >= 2 or long_score >= 2
   )
   select woeid, term, shown, entity_id, long::int as posts from ranked where place <= 100 order by woeid, place`,
)
export const trendsOfAll = statement(
  'trend_all',
  { woeid: 'int4', term: 'text', trending_since: 'timestamptz' },
  'select woeid, term, trending_since from trend',
)
export const trendsRemove = statement('trend_remove', {}, 'delete from trend')
export const trendsAdd = statement(
  'trend_add',
  {},
  `insert into trend (woeid, rank, term, name, category, post_count, trending_since)
   select * from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::text[], $6::int[], $7::timestamptz[])`,
)
export const trendsOfPlaces = statement(
  'trend_of_places',
  { woeid: 'int4', term: 'text', name: 'text', category: 'text', post_count: 'int4', trending_since: 'timestamptz' },
  'select woeid, term, name, category, post_count, trending_since from trend where woeid = any($1::int[]) and rank <= $2 order by woeid, rank',
)
/** How many recent posts of a user and of those whom the user follows match each query. */
export const talkAround = statement(
  'trend_talk_around',
  { position: 'int4', posts: 'int4' },
  `with circle as (
     select $1::bigint as id union all (select target_id from follow where source_id = $1 and not pending order by id desc limit 1000)
   ), found as materialized (
     select t.terms from circle c
      cross join lateral (select id from post where author_id = c.id and id > $2 order by id desc limit 5) p
       join post_terms t on t.id = p.id
   )
   select k.position::int as position, count(*)::int as posts
     from unnest($3::text[]) with ordinality as k (query, position) join found f on f.terms @@ k.query::tsquery group by 1`,
)
