import { termsStored } from '../search/slices/store-terms.ts'
import { storeLinks } from '../social/links/short-link.ts'
import { octavesMoved, userTermsStored } from '../social/users/user-terms.ts'
import { copyInto } from '../storage/copy.ts'
import type { Tx } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import { firstUserId } from './first-facts.ts'
import { FIRST_USERS } from './first-world.data.ts'
import { columns } from './seed-columns.ts'
import type { SeedPlan } from './seed-plan.ts'
import type { SeededPosts } from './seed-posts.ts'
import type { CountChanges, Row, seedFollows, seedUsers } from './seed-rows.ts'

/** Adds users of the columns $1 to $12 as `made`. What follows continues the `with`. */
export const USERS_MADE = `with made as (
     insert into user_account (id, username, name, description, description_entities, location, url, url_entities, protected, verified_type,
       subscription_type, created_at)
     select id, username, name, description, description_entities::jsonb, location, url, url_entities::jsonb, protected, verified_type,
       subscription_type, created_at
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bool[], $10::text[],
       $11::text[], $12::timestamptz[]) as u (id, username, name, description, description_entities, location, url, url_entities, protected,
       verified_type, subscription_type, created_at)
     returning id, username, search
   )`
const usersAdd = statement(
  'seed_users_add',
  {},
  `${USERS_MADE}, metrics as (insert into user_metrics (user_id) select id from made),
   terms as (${userTermsStored('select id, username, search from made')})
   insert into user_sign_in (user_id) select id from made`,
)
// COPY takes half the time of inserting arrays of columns.
export const FOLLOW_COLUMNS = 'follow (source_id, target_id, id, pending)'
const POSTS = `post (id, author_id, text, entities, display_start, display_end, lang, conversation_id, in_reply_to_post_id,
  in_reply_to_user_id, quoted_post_id, reposted_post_id, media_keys, place_id, mentioned_user_ids, source, first_version_id, context_entity_ids)`
const TERMS = 'seed_terms (id, search)'
const MENTIONS = 'post_mention (user_id, post_id)'
const POST_METRICS = 'post_metrics (post_id, reply_count, quote_count, repost_count, like_count)'
const LIKES = 'post_like (user_id, post_id, id)'
const MEDIA = `media (id, media_key, owner_user_id, category, type, status, media_type, total_bytes, received_bytes, content_type,
  width, height, address_key, url, alt_text, post_uses, expires_at, created_at)`
const MEDIA_BYTES = 'media_segment (media_id, segment, starts_at, size, bytes)'
const userMetricsRaise = statement(
  'seed_user_metrics_raise',
  {},
  `with counted as (
   update user_metrics m set followers_count = m.followers_count + d.followers, following_count = m.following_count + d.following,
     verified_followers_count = m.verified_followers_count + d.verified, post_count = m.post_count + d.posts,
     like_count = m.like_count + d.likes, media_count = m.media_count + d.media,
     most_recent_post_id = greatest(m.most_recent_post_id, d.latest)
   from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::bigint[])
     as d (user_id, followers, following, verified, posts, likes, media, latest)
   where m.user_id = d.user_id returning m.user_id, m.followers_count as followers, d.followers as added
   )
   ${octavesMoved('select * from counted')}`,
)

// A step that waits for the previous one holds locks, and the database cannot detect that deadlock. The timeout ends it.
const postsBegin = statement(
  'seed_posts_begin',
  {},
  `select set_config('work_mem', '256MB', true), set_config('lock_timeout', '30s', true)`,
)
const termsTable = 'create temp table seed_terms (id bigint not null, search text not null) on commit drop'
const termsAdd = `with ${termsStored('select p.*, n.search from seed_terms n join post p using (id) order by p.id')} select`

/** Stores users with counters at zero and without a password. */
export async function storeUsers(tx: Tx, made: ReturnType<typeof seedUsers>): Promise<void> {
  await usersAdd.count(tx, ...columns(made.users))
  await storeLinks(tx, made.links)
}

export async function storeFollows(
  tx: Tx,
  plan: Pick<SeedPlan, 'userId'>,
  made: ReturnType<typeof seedFollows>,
): Promise<void> {
  await copyInto(tx, FOLLOW_COLUMNS, made.follows.bytes)
  if (made.counts.size > 0) await userMetricsRaise.count(tx, ...columns(countRows(plan, made.counts)))
}

const firstUsersFollow = statement(
  'seed_first_users_follow',
  { source_id: 'int8', target_id: 'int8', verified: 'bool' },
  `with made as (
     insert into follow (source_id, target_id, id)
     select f.source_id, f.target_id, f.id from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as f (source_id, target_id, id)
       join user_account u on u.id = f.source_id
     on conflict do nothing returning source_id, target_id
   )
   select made.source_id, made.target_id, u.verified_type <> 'none' as verified
     from made join user_account u on u.id = made.source_id`,
)

/** Lets the users of the first world follow popular seeded users, so their home timelines have posts. */
export async function followPopular(tx: Tx, plan: SeedPlan): Promise<void> {
  const pairs = FIRST_USERS.flatMap((_, index) =>
    plan.popularUsers().map((user) => [firstUserId(index), plan.userId(user)] as const),
  )
  const made = await firstUsersFollow.all(
    tx,
    pairs.map(([source]) => source),
    pairs.map(([, target]) => target),
    pairs.map((_, number) => plan.lateFollowId(number)),
  )
  const changes = new Map<string, { followers: number; following: number; verified: number }>()
  const of = (id: string) => {
    const found = changes.get(id) ?? { followers: 0, following: 0, verified: 0 }
    changes.set(id, found)
    return found
  }
  for (const { source_id, target_id, verified } of made) {
    of(source_id).following += 1
    of(target_id).followers += 1
    if (verified) of(target_id).verified += 1
  }
  if (changes.size === 0) return
  const rows = [...changes].map(([id, add]): Row => [id, add.followers, add.following, add.verified, 0, 0, 0, null])
  await userMetricsRaise.count(tx, ...columns(rows))
}

/** The posts of one step in the form that the statements take. */
export interface PackedPosts {
  posts: Uint8Array<ArrayBuffer>
  terms: Uint8Array<ArrayBuffer>
  mentions: Uint8Array<ArrayBuffer>
  metrics: Uint8Array<ArrayBuffer>
  likes: Uint8Array<ArrayBuffer>
  media: Uint8Array<ArrayBuffer>
  mediaBytes: Uint8Array<ArrayBuffer>
  counts: string[]
  links: string[]
}

export function packPosts(plan: SeedPlan, made: SeededPosts): PackedPosts {
  return {
    posts: made.posts.bytes,
    terms: made.terms.bytes,
    mentions: made.mentions.bytes,
    metrics: made.metrics.bytes,
    likes: made.likes.bytes,
    media: made.media.bytes,
    mediaBytes: made.mediaBytes.bytes,
    counts: columns(countRows(plan, made.counts)),
    links: made.links,
  }
}

export async function storePosts(tx: Tx, made: PackedPosts): Promise<void> {
  await postsBegin.count(tx)
  await copyInto(tx, POSTS, made.posts)
  await tx.query({ text: termsTable })
  await copyInto(tx, TERMS, made.terms)
  await tx.query({ text: termsAdd })
  await copyInto(tx, MENTIONS, made.mentions)
  await copyInto(tx, POST_METRICS, made.metrics)
  await copyInto(tx, LIKES, made.likes)
  await copyInto(tx, MEDIA, made.media)
  await copyInto(tx, MEDIA_BYTES, made.mediaBytes)
}

/** Updates rows that concurrent steps also update: counters and links. */
export async function addPostCounts(tx: Tx, made: PackedPosts): Promise<void> {
  await userMetricsRaise.count(tx, ...made.counts)
  await storeLinks(tx, made.links)
}

const countRows = (plan: Pick<SeedPlan, 'userId'>, counts: Map<number, CountChanges>): Row[] =>
  [...counts].map(([user, add]) => [
    plan.userId(user),
    add.followers,
    add.following,
    add.verifiedFollowers,
    add.posts,
    add.likes,
    add.media,
    add.latest,
  ])
