import type { Runtime } from '../../api-kit/runtime.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { type SqlValue, statement } from '../../storage/statement.ts'
import { idCursor } from '../kit/cursor.ts'
import type { FilterUse } from '../kit/entity.ts'
import { likePrefix, pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { decimalKind, flagKind, listKind, longKind, oneOfKind } from '../kit/values.ts'
import { AdsPostSchema } from './ads-post.schema.ts'
import { draftPosts } from './draft-post.entity.ts'
import { requestedUser } from './post-authors.ts'
import { postNameKind, postStateKind } from './post-kinds.ts'
import { type ReadPosts, readPublished, readUnsent, type UnsentPost } from './read-posts.ts'
import { scheduledPosts } from './scheduled-post.entity.ts'
import { showPost } from './show-post.ts'

const TIMELINES = ['ALL', 'NULLCAST', 'ORGANIC'] as const
type Timeline = (typeof TIMELINES)[number]

// Newest first. Reposts and earlier versions of edited posts cannot be promoted.
const listed = `p.author_id = $1 and p.id < $2::bigint and not p.superseded and p.reposted_post_id is null
    and (p.sandbox is null or $5::bool) and ($4::bool or (p.in_reply_to_user_id is null and p.mentioned_user_ids = '{}'))`
// Posts of the sandbox are stored as promoted-only.
const NULLCAST = `(p.nullcast and p.sandbox is distinct from 'organic')`
const inOrder = 'order by p.id desc limit $3::int'

const nullcastPosts = statement(
  'ads_posts_nullcast',
  { id: 'int8' },
  `select p.id from post p where ${listed} and ${NULLCAST} ${inOrder}`,
)
const organicPosts = statement(
  'ads_posts_organic',
  { id: 'int8' },
  `select p.id from post p where ${listed} and not ${NULLCAST} ${inOrder}`,
)
const allPosts = statement('ads_posts_all', { id: 'int8' }, `select p.id from post p where ${listed} ${inOrder}`)
const namedPosts = statement(
  'ads_posts_named',
  { id: 'int8' },
  `select p.id from ads_post a join post p on p.id = a.post_id
    where a.account_id = $7 and lower(a.name) like $8::text and ($6::bool is null or ${NULLCAST} = $6) and ${listed} ${inOrder}`,
)
const postsByIds = statement(
  'ads_posts_by_ids',
  { id: 'int8' },
  `select p.id from post p left join ads_post a on a.post_id = p.id and a.account_id = $7
    where p.id = any($9::bigint[]) and ($8::text is null or lower(a.name) like $8) and ($6::bool is null or ${NULLCAST} = $6) and ${listed} ${inOrder}`,
)

/** What a request lists. */
interface Listing {
  accountId: string
  isSandbox: boolean
  viewerId: string
  userId: string
  /** Only posts with smaller ids. */
  before: string
  count: number
  withMentions: boolean
  timeline: Timeline
  /** LIKE pattern. */
  name: string | undefined
  ids: readonly string[] | undefined
}

const NULLCAST_OF = { ALL: null, NULLCAST: true, ORGANIC: false } as const satisfies Record<Timeline, boolean | null>

/** The ids of a page in order, with one more where another page follows, and how its posts are read. */
interface Page {
  ids: string[]
  read(): Promise<ReadPosts>
}

async function publishedPage(runtime: Runtime, listing: Listing): Promise<Page> {
  const { database } = runtime
  const first = [listing.userId, listing.before, listing.count + 1, listing.withMentions, listing.isSandbox] as const
  const nullcast = NULLCAST_OF[listing.timeline]
  const plain = { ALL: allPosts, NULLCAST: nullcastPosts, ORGANIC: organicPosts }[listing.timeline]
  const rows = listing.ids
    ? await postsByIds.all(database, ...first, nullcast, listing.accountId, listing.name ?? null, listing.ids)
    : listing.name
      ? await namedPosts.all(database, ...first, nullcast, listing.accountId, listing.name)
      : await plain.all(database, ...first)
  const ids = rows.map((row) => row.id)
  return { ids, read: () => readPublished(runtime, ids.slice(0, listing.count), listing) }
}

async function unsentPage(runtime: Runtime, state: 'DRAFT' | 'SCHEDULED', listing: Listing): Promise<Page> {
  const entity = state === 'DRAFT' ? draftPosts : scheduledPosts
  const records: UnsentPost[] = await entity.sql.list(runtime.database, {
    owner: listing.accountId,
    filters: unsentFilters(state, listing),
    sorts: [{ attribute: 'created_at', descending: true }],
    after: [listing.before],
    limit: listing.count + 1,
  })
  return {
    ids: records.map((record) => record.id),
    read: () => readUnsent(runtime, records.slice(0, listing.count), state),
  }
}

function unsentFilters(state: 'DRAFT' | 'SCHEDULED', listing: Listing): FilterUse[] {
  const filters: FilterUse[] = []
  const add = (name: string, value: SqlValue, sql: FilterUse['sql']) => filters.push({ name, value, sql })
  add('user', listing.userId, (placeholder) => `r.user_id = ${placeholder}::bigint`)
  if (!listing.withMentions) add('mentions', false, (placeholder) => `r.has_mentions = ${placeholder}::bool`)
  const nullcast = NULLCAST_OF[listing.timeline]
  if (nullcast !== null) add('nullcast', nullcast, (placeholder) => `r.nullcast = ${placeholder}::bool`)
  if (listing.name !== undefined) add('name', listing.name, (placeholder) => `lower(r.name) like ${placeholder}::text`)
  if (listing.ids) add('ids', listing.ids, (placeholder) => `r.id = any(${placeholder}::bigint[])`)
  // What was published is a post of its own.
  if (state === 'SCHEDULED') add('unsent', 'SUCCESS', (placeholder) => `r.scheduled_status <> ${placeholder}::text`)
  return filters
}

const cursor = idCursor('posts')

export const listPosts = defineAdsOperation({
  id: 'listPosts',
  route: 'GET /12/accounts/{account_id}/posts',
  tag: 'Posts',
  summary: 'List the posts of a promotable user',
  params: {
    [ADS_KEPT_NAMES.postType]: required(postStateKind),
    ...pageParams(undefined, cursor),
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
  handle: async ({ params, account, user, sandbox, runtime }) => {
    const count = params.count!
    const state = params[ADS_KEPT_NAMES.postType]
    const listing: Listing = {
      accountId: account.id,
      isSandbox: sandbox,
      viewerId: user.id,
      userId: await requestedUser(runtime.database, account.id, params.user_id),
      before: params.cursor ?? LARGEST_ID,
      count,
      withMentions: params.include_mentions_and_replies === true,
      timeline: params.timeline_type ?? 'NULLCAST',
      name: params.name ? `${likePrefix(params.name)}%` : undefined,
      ids: params.post_ids,
    }
    const page = await (state === 'PUBLISHED' ? publishedPage(runtime, listing) : unsentPage(runtime, state, listing))
    const { posts, context } = await page.read()
    const view = { mode: 'extended', trimUser: params.trim_user === true, isRead: true } as const
    return {
      data: posts.map((post) => showPost(post, view, context)),
      next_cursor: cursor.after(page.ids.length > count ? page.ids[count - 1] : undefined),
    }
  },
})
