import { defineOperation, type Input } from '../../api-kit/declaring/operation.ts'
import { textParameter } from '../../api-kit/declaring/parameters.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { type PageRequest, pages, readPage } from '../../api-kit/reading/paging.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import { narrow, type TimeBounds, timeBounds } from '../../api-kit/reading/time-bounds.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { PostId } from '../ids.ts'
import { post } from '../posts/post.object.ts'
import { postMetrics } from '../posts/post.parts.ts'
import { findPostIds } from './find-posts.ts'
import { readSearchQuery } from './read-query.ts'
import { rangeWithin, type SearchScope, searchSpan } from './search-range.ts'

export const QueryText = Type.String({ minLength: 1, maxLength: 4_096 })

const SearchMeta = Type.Object({
  newest_id: Type.Optional(component('NewestId', Type.String())),
  next_token: Type.Optional(component('NextToken', Type.String({ minLength: 1 }))),
  oldest_id: Type.Optional(component('OldestId', Type.String())),
  result_count: Type.Optional(component('ResultCount', Type.Integer({ format: 'int32' }))),
})

const searchQuery = (max: number) => ({
  query: textParameter(QueryText, { required: true }),
  ...timeBounds(PostId),
  ...pages({ min: 10, max, initial: 10, token: 'base36', names: ['next_token', 'pagination_token'] }),
  sort_order: textParameter(words(['recency', 'relevancy'])),
  ...selects(() => post),
})

interface SearchQuery {
  query: string
  bounds: TimeBounds
  page: PageRequest
  sort_order: 'recency' | 'relevancy' | undefined
  selection: Selection
}

const MAX_WITH_ANNOTATIONS = 100

// Annotations make posts large, so pages with them are shorter.
function checkPageSize({ page, selection }: SearchQuery): void {
  if (page.size <= MAX_WITH_ANNOTATIONS) return
  const fields = selection.root.slots.flatMap((slot) => slot.static)
  if (!fields.some((field) => field.name === 'context_annotations')) return
  throw invalidParameter(
    'max_results',
    String(page.size),
    `The \`max_results\` query parameter value [${page.size}] is not between 10 and ${MAX_WITH_ANNOTATIONS}, which is the most with \`context_annotations\``,
  )
}

async function search(scope: SearchScope, { query, caller, context, runtime }: Input<unknown, SearchQuery, undefined>) {
  checkPageSize(query)
  const range = rangeWithin(searchSpan(scope, query.bounds, runtime.clock.now()), query.bounds)
  const sql = await readSearchQuery(runtime, context, caller, query.query, scope)
  const { items, meta } = await readPage(
    query.page,
    ({ direction, key, limit }) => findPostIds(runtime.database, sql, narrow(range, direction, key), limit),
    (id) => id,
  )
  const ids = query.sort_order === 'relevancy' ? await byRelevance(context, items) : items
  const next = meta.next_token ? { next_token: meta.next_token } : {}
  return answerPage(context, ids, query.selection, (shown) => ({ ...endsOf(items, shown), ...next }))
}

// Of the posts that the page shows, in any order. `found` is in the order of time.
function endsOf(found: readonly string[], shown: readonly string[]): { newest_id?: string; oldest_id?: string } {
  if (shown.length === 0) return {}
  const ids = new Set(shown)
  return { newest_id: found.find((id) => ids.has(id)), oldest_id: found.findLast((id) => ids.has(id)) }
}

// Pages follow time in both orders, since tokens are ids. Within a page, posts with the most engagement come first.
async function byRelevance(context: ReadContext, ids: string[]): Promise<string[]> {
  const metrics = await context.parts.many(postMetrics, ids)
  const weight = (id: string) => {
    const counts = metrics.get(id)
    return counts ? counts.like_count + 2 * counts.repost_count + 2 * counts.quote_count + counts.reply_count : 0
  }
  return ids.toSorted((left, right) => weight(right) - weight(left))
}

export const searchPostsRecent = defineOperation({
  id: 'searchPostsRecent',
  route: 'GET /2/posts/search/recent',
  tag: 'Posts',
  summary: 'Search the posts of the last seven days',
  auth: { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '450/15m', user: '300/15m' },
  query: searchQuery(100),
  reply: listReply('Get2PostsSearchRecentResponse', post, SearchMeta),
  handle: (input) => search('recent', input),
})

export const searchPostsAll = defineOperation({
  id: 'searchPostsAll',
  route: 'GET /2/posts/search/all',
  tag: 'Posts',
  summary: 'Search all posts',
  auth: { app: true, tiers: ['self-serve', ...FULL_TIERS] },
  limit: { app: '300/15m + 1/1s', user: '1/1s' },
  query: searchQuery(500),
  reply: listReply('Get2PostsSearchAllResponse', post, SearchMeta),
  handle: (input) => search('all', input),
})
