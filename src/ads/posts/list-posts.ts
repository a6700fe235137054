import type { Runtime } from '../../api-kit/runtime.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { isStorableId, LARGEST_ID } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { readCursor, writeCursor } from '../kit/cursor.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { AdsProblem, invalidParameter } from '../kit/errors.ts'
import { likePrefix, pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { decimalKind, flagKind, listKind, longKind, oneOfKind } from '../kit/values.ts'
import { AdsPostSchema } from './ads-post.schema.ts'
import { draftPosts } from './draft-post.entity.ts'
import { meantUser } from './post-authors.ts'
import { type PostState, postNameKind, postStateKind } from './post-kinds.ts'
import { type ReadPosts, readPublished, readUnsent } from './read-posts.ts'
import { scheduledPosts } from './scheduled-post.entity.ts'
import { showPost } from './show-post.ts'

const TIMELINES = ['ALL', 'NULLCAST', 'ORGANIC'] as const
type Timeline = (typeof TIMELINES)[number]

// Newest first. Reposts and earlier versions of edited posts are nothing that can be promoted.
const listed = `p.author_id = $1 and p.id < $2::bigint and not p.superseded and p.reposted_post_id is null
    and ($4::bool or (p.in_reply_to_user_id is null and p.mentioned_user_ids = '{}'))`
const inOrder = 'order by p.id desc limit $3::int'

const nullcastPosts = statement(
  'ads_posts_nullcast',
  { id: 'int8' },
  `select p.id from post p where ${listed} and p.nullcast ${inOrder}`,
)
const organicPosts = statement(
  'ads_posts_organic',
  { id: 'int8' },
  `select p.id from post p where ${listed} and not p.nullcast ${inOrder}`,
)
const allPosts = statement('ads_posts_all', { id: 'int8' }, `select p.id from post p where ${listed} ${inOrder}`)
const namedPosts = statement(
  'ads_posts_named',
  { id: 'int8' },
  `select p.id from ads_post a join post p on p.id = a.post_id
    where a.account_id = $6 and lower(a.name) like $7::text and ($5::bool is null or p.nullcast = $5) and ${listed} ${inOrder}`,
)
const postsByIds = statement(
  'ads_posts_by_ids',
  { id: 'int8' },
  `select p.id from post p left join ads_post a on a.post_id = p.id and a.account_id = $6
    where p.id = any($8::bigint[]) and ($7::text is null or lower(a.name) like $7) and ($5::bool is null or p.nullcast = $5) and ${listed} ${inOrder}`,
)

interface Wanted {
  accountId: string
  viewerId: string
  userId: string
  before: string
  count: number
  withMentions: boolean
  timeline: Timeline
  /** LIKE pattern. */
  name: string | undefined
  ids: readonly string[] | undefined
}

const ofTimeline = { ALL: null, NULLCAST: true, ORGANIC: false }

/** Ids in order, one more than wanted where there are more, and the posts behind those that are wanted. */
interface Page {
  ids: string[]
  read(): Promise<ReadPosts>
}

async function publishedPage(runtime: Runtime, wanted: Wanted): Promise<Page> {
  const { database } = runtime
  const first = [wanted.userId, wanted.before, wanted.count + 1, wanted.withMentions] as const
  const nullcast = ofTimeline[wanted.timeline]
  const plain = { ALL: allPosts, NULLCAST: nullcastPosts, ORGANIC: organicPosts }[wanted.timeline]
  const rows = wanted.ids
    ? await postsByIds.all(database, ...first, nullcast, wanted.accountId, wanted.name ?? null, wanted.ids)
    : wanted.name
      ? await namedPosts.all(database, ...first, nullcast, wanted.accountId, wanted.name)
      : await plain.all(database, ...first)
  const ids = rows.map((row) => row.id)
  return { ids, read: () => readPublished(runtime, ids.slice(0, wanted.count), wanted) }
}

async function unsentPage(
  runtime: Runtime,
  state: 'DRAFT' | 'SCHEDULED',
  entity: AdsEntity,
  wanted: Wanted,
): Promise<Page> {
  const nullcast = ofTimeline[wanted.timeline]
  const filters = [
    { name: 'user', sql: (place: string) => `r.user_id = ${place}::bigint`, value: wanted.userId },
    ...(wanted.withMentions
      ? []
      : [{ name: 'mentions', sql: (place: string) => `r.has_mentions = ${place}::bool`, value: false }]),
    ...(nullcast === null
      ? []
      : [{ name: 'nullcast', sql: (place: string) => `r.nullcast = ${place}::bool`, value: nullcast }]),
    ...(wanted.name === undefined
      ? []
      : [{ name: 'name', sql: (place: string) => `lower(r.name) like ${place}::text`, value: wanted.name }]),
    ...(wanted.ids === undefined
      ? []
      : [{ name: 'ids', sql: (place: string) => `r.id = any(${place}::bigint[])`, value: wanted.ids }]),
    // What was published is a post of its own.
    ...(state === 'SCHEDULED'
      ? [{ name: 'unsent', sql: (place: string) => `r.scheduled_status <> ${place}::text`, value: 'SUCCESS' }]
      : []),
  ]
  const records = await entity.sql.list(runtime.database, {
    owner: wanted.accountId,
    filters,
    sorts: [{ attribute: 'created_at', descending: true }],
    after: [wanted.before],
    limit: wanted.count + 1,
  })
  return {
    ids: records.map((record) => record.id),
    read: () => readUnsent(runtime, records.slice(0, wanted.count), state),
  }
}

const ORDER = 'posts'

function placeOf(cursor: string | undefined): string {
  if (cursor === undefined) return LARGEST_ID
  const [id] = readCursor(cursor, ORDER, 1)
  if (typeof id !== 'string' || !isStorableId(id))
    throw new AdsProblem([invalidParameter('cursor', 'is not a next_cursor of this list')])
  return id
}

export const listPosts = defineAdsOperation({
  id: 'listPosts',
  route: 'GET /12/accounts/{account_id}/posts',
  tag: 'Posts',
  summary: 'List the posts of a promotable user',
  params: {
    [ADS_KEPT_NAMES.postType]: required(postStateKind),
    ...pageParams(),
    include_mentions_and_replies: optional(flagKind, { initial: false }),
    name: optional(postNameKind),
    timeline_type: optional(oneOfKind(TIMELINES)),
    trim_user: optional(flagKind, { initial: false }),
    post_ids: optional(listKind(decimalKind)),
    user_id: optional(longKind),
  },
  data: AdsPostSchema,
  envelope: 'list',
  may: 'see creatives',
  handle: async ({ params, account, user, runtime }) => {
    const count = params.count!
    const state = params[ADS_KEPT_NAMES.postType] as PostState
    const wanted: Wanted = {
      accountId: account.id,
      viewerId: user.id,
      userId: await meantUser(runtime.database, account.id, params.user_id),
      before: placeOf(params.cursor),
      count,
      withMentions: params.include_mentions_and_replies === true,
      timeline: params.timeline_type ?? 'NULLCAST',
      name: params.name ? `${likePrefix(params.name)}%` : undefined,
      ids: params.post_ids,
    }
    const page =
      state === 'PUBLISHED'
        ? await publishedPage(runtime, wanted)
        : await unsentPage(runtime, state, state === 'DRAFT' ? draftPosts : scheduledPosts, wanted)
    const { posts, context } = await page.read()
    const wish = { mode: 'extended', trimUser: params.trim_user === true, isRead: true } as const
    return {
      data: posts.map((post) => showPost(post, wish, context)),
      next_cursor: page.ids.length > count ? writeCursor({ order: ORDER, values: [page.ids[count - 1]!] }) : null,
    }
  },
})
