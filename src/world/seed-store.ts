import { postTerms } from '../search/post-terms.ts'
import { storeLinks } from '../social/links/short-link.ts'
import type { Tx } from '../storage/database.ts'
import { type Parameter, statement } from '../storage/statement.ts'
import type { SeedPlan } from './seed-plan.ts'
import type { Row, SeededPosts, seedFollows, seedUsers, UserCounts } from './seed-rows.ts'

// Arrays of columns: measured as fast as COPY here, where indexes and foreign keys take most of the time.
const usersAdd = statement(
  'seed_users_add',
  {},
  `with made as (
     insert into user_account (id, username, name, description, description_entities, location, url, url_entities, protected, verified_type,
       subscription_type, created_at)
     select id, username, name, description, description_entities::jsonb, location, url, url_entities::jsonb, protected, verified_type,
       subscription_type, created_at
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bool[], $10::text[],
       $11::text[], $12::timestamptz[]) as u (id, username, name, description, description_entities, location, url, url_entities, protected,
       verified_type, subscription_type, created_at)
     returning id
   ), metrics as (insert into user_metrics (user_id) select id from made)
   insert into user_sign_in (user_id) select id from made`,
)
const followsAdd = statement(
  'seed_follows_add',
  {},
  `insert into follow (source_id, target_id, id, pending) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bool[])`,
)
const postsAdd = statement(
  'seed_posts_add',
  {},
  `insert into post (id, author_id, text, entities, display_start, display_end, lang, conversation_id, in_reply_to_post_id,
     in_reply_to_user_id, quoted_post_id, first_version_id, place_id, mentioned_user_ids, source, search)
   select id, author_id, text, entities::jsonb, display_start, display_end, lang, conversation_id, in_reply_to_post_id,
     in_reply_to_user_id, quoted_post_id, id, place_id, mentioned_user_ids::bigint[], source, search::tsvector
   from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[],
     $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[]) as p (id, author_id, text, entities, display_start, display_end, lang,
     conversation_id, in_reply_to_post_id, in_reply_to_user_id, quoted_post_id, place_id, mentioned_user_ids, source, search)`,
)
const mentionsAdd = statement(
  'seed_mentions_add',
  {},
  `insert into post_mention (user_id, post_id)
   select m.id, p.id from unnest($1::bigint[], $2::text[]) as p (id, mentioned), unnest(p.mentioned::bigint[]) as m (id) on conflict do nothing`,
)
const postMetricsAdd = statement(
  'seed_post_metrics_add',
  {},
  `insert into post_metrics (post_id, reply_count, quote_count) select * from unnest($1::bigint[], $2::int[], $3::int[])`,
)
const userMetricsRaise = statement(
  'seed_user_metrics_raise',
  {},
  `update user_metrics m set followers_count = m.followers_count + d.followers, following_count = m.following_count + d.following,
     verified_followers_count = m.verified_followers_count + d.verified, post_count = m.post_count + d.posts,
     most_recent_post_id = greatest(m.most_recent_post_id, d.latest)
   from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::bigint[]) as d (user_id, followers, following, verified, posts, latest)
   where m.user_id = d.user_id`,
)

// Places of the columns that hold words.
const USER_TEXTS = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]
const POST_TEXTS = [2, 3, 6, 11, 12, 13, 14]

/** Stores users, with counters at zero and without a password. */
export async function storeUsers(tx: Tx, made: ReturnType<typeof seedUsers>): Promise<void> {
  await usersAdd.count(tx, ...columns(made.users, USER_TEXTS))
  await storeLinks(tx, made.links)
}

export async function storeFollows(tx: Tx, plan: SeedPlan, made: ReturnType<typeof seedFollows>): Promise<void> {
  if (made.follows.length > 0) await followsAdd.count(tx, ...columns(made.follows, []))
  await raise(tx, plan, made.counts)
}

export async function storePosts(tx: Tx, plan: SeedPlan, made: SeededPosts): Promise<void> {
  const posts = made.posts.map((row): Row => [...row, termsOf(row)])
  await postsAdd.count(tx, ...columns(posts, POST_TEXTS))
  await mentionsAdd.count(
    tx,
    posts.map((row) => String(row[0])),
    posts.map((row) => String(row[12])),
  )
  if (made.metrics.length > 0) await postMetricsAdd.count(tx, ...columns(made.metrics, []))
  await raise(tx, plan, made.counts)
  await storeLinks(tx, made.links)
}

async function raise(tx: Tx, plan: SeedPlan, counts: Map<number, UserCounts>): Promise<void> {
  const rows = [...counts].map(
    ([user, add]): Row => [
      plan.userId(user),
      add.followers,
      add.following,
      add.verifiedFollowers,
      add.posts,
      add.latest,
    ],
  )
  if (rows.length > 0) await userMetricsRaise.count(tx, ...columns(rows, []))
}

// Numbers and truth values are written as an array literal here: the driver would quote and escape each of them.
function columns(rows: readonly Row[], texts: readonly number[]): Parameter[] {
  return rows[0]!.map((_, index) => {
    const column = rows.map((row) => row[index]!)
    return texts.includes(index) ? column : `{${column.map((value) => value ?? 'NULL').join()}}`
  })
}

interface Entities {
  hashtags?: { tag: string }[]
  cashtags?: { tag: string }[]
  mentions?: { username: string }[]
  urls?: { expanded_url: string }[]
}

const ESCAPES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** What queries can find in a seeded post. Its columns are in the order of the statement above. */
function termsOf(row: Row): string {
  const entities: Entities = row[3] ? JSON.parse(String(row[3])) : {}
  const text = (value: Row[number] | undefined) => (value ? String(value) : undefined)
  return postTerms({
    text: String(row[2]).replace(/&(?:amp|lt|gt);/g, (sign) => ESCAPES[sign]!),
    hashtags: (entities.hashtags ?? []).map((item) => item.tag),
    cashtags: (entities.cashtags ?? []).map((item) => item.tag),
    mentions: (entities.mentions ?? []).map((item) => item.username),
    urls: (entities.urls ?? []).map((item) => item.expanded_url),
    lang: String(row[6]),
    authorId: String(row[1]),
    conversationId: String(row[7]),
    replyToPostId: text(row[8]),
    replyToUserId: text(row[9]),
    quotedPostId: text(row[10]),
    nullcast: false,
  })
}
