import { statement } from '../../storage/statement.ts'

/** The newest public posts after an id with what stories need, newest first. */
export const recentPublicPosts = statement(
  'news_recent_posts',
  {
    id: 'int8',
    author_id: 'int8',
    text: 'text',
    entities: 'jsonb?',
    note_text: 'text?',
    note_entities: 'jsonb?',
    context_entity_ids: 'int8[]?',
    engagement: 'int4',
  },
  `select p.id, p.author_id, p.text, p.entities, p.note_text, p.note_entities, p.context_entity_ids,
          coalesce(m.like_count + m.repost_count + m.reply_count + m.quote_count, 0)::int as engagement
     from post p join user_account u on u.id = p.author_id and not u.protected and not u.suspended
     left join post_metrics m on m.post_id = p.id
    where p.id > $1 and p.id <= $2 and p.reposted_post_id is null and not p.nullcast and p.community_id is null and not p.superseded
    order by p.id desc limit $3`,
)
/** Excludes a second run at the same time, until the end of the transaction. */
export const newsLock = statement(
  'news_lock',
  {},
  `insert into topic_state (last_post_id, pruned_hour, news_made_at) values (0, 0, $1) on conflict (only_row) do update set news_made_at = $1`,
)
export const storiesOfPosts = statement(
  'news_stories_of_posts',
  { story_id: 'int8', post_id: 'int8' },
  'select story_id, post_id from news_story_post where post_id = any($1::bigint[])',
)
export const storiesStore = statement(
  'news_stories_store',
  {},
  `insert into news_story (id, name, summary, hook, category, contexts, keywords, terms, created_at, updated_at)
   select s.id, s.name, s.summary, s.hook, s.category, s.contexts, s.keywords, s.terms::tsvector, $2, $2
     from jsonb_to_recordset($1::jsonb) as s (id bigint, name text, summary text, hook text, category text, contexts jsonb, keywords text[], terms text)
   on conflict (id) do update set name = excluded.name, summary = excluded.summary, hook = excluded.hook, category = excluded.category,
     contexts = excluded.contexts, keywords = excluded.keywords, terms = excluded.terms, updated_at = excluded.updated_at`,
)
export const storyPostsStore = statement(
  'news_story_posts_store',
  {},
  `insert into news_story_post (story_id, post_id, rank)
   select s.story_id, s.post_id, s.rank from unnest($1::bigint[], $2::bigint[], $3::int[]) as s (story_id, post_id, rank)
     join post p on p.id = s.post_id
   on conflict (story_id, post_id) do update set rank = excluded.rank`,
)
export const storiesExpire = statement('news_stories_expire', {}, 'delete from news_story where updated_at < $1')

const columns = {
  id: 'int8',
  name: 'text',
  summary: 'text',
  hook: 'text',
  category: 'text',
  contexts: 'jsonb',
  keywords: 'text[]',
  updated_at: 'timestamptz',
  post_ids: 'int8[]',
} as const

const SHOWN_POSTS = 100
// A story shows the posts that the public may see now. Without one, there is no story.
const shown = (stories: string): string =>
  `select s.id, s.name, s.summary, s.hook, s.category, s.contexts, s.keywords, s.updated_at, v.post_ids
     from (${stories}) s
    cross join lateral (
      select array_agg(f.post_id order by f.rank, f.post_id) as post_ids from (
        select n.post_id, n.rank from news_story_post n join post p on p.id = n.post_id
          join user_account u on u.id = p.author_id and not u.protected and not u.suspended
         where n.story_id = s.id order by n.rank, n.post_id limit ${SHOWN_POSTS}) f) v
    where v.post_ids is not null`

export const newsById = statement('news_by_id', columns, shown('select * from news_story where id = $1'))
/** Stories with certain words that were updated since a time, the newest first. */
export const newsFound = statement(
  'news_found',
  columns,
  `${shown(`select * from news_story where terms @@ $1::tsquery and updated_at >= $2 and updated_at <= $3 order by updated_at desc, id desc limit $4 * 2`)}
    order by s.updated_at desc, s.id desc limit $4`,
)
