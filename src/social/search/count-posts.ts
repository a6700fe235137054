import { defineOperation, type Input } from '../../api-kit/declaring/operation.ts'
import { csv, textParameter } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, DateTime, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { readToken, writeToken } from '../../api-kit/reading/paging.ts'
import { type TimeBounds, timeBounds } from '../../api-kit/reading/time-bounds.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { timeOfId } from '../../process/ids.ts'
import { PostId } from '../ids.ts'
import { type Periods, writeCounts } from './count-lines.ts'
import { countPosts } from './count-matches.ts'
import { readSearchQuery } from './read-query.ts'
import { QueryText } from './search-posts.ts'
import { rangeWithin, type SearchScope, searchSpan } from './search-range.ts'

const SLICE_MS = { minute: 60_000, hour: 3600_000, day: 24 * 3600_000 }
const DAY_MS = SLICE_MS.day
const PAGE_MS = 31 * DAY_MS

/** The beginning of the slice that a moment is in. */
const sliceStart = (ms: number, sliceMs: number): number => Math.floor(ms / sliceMs) * sliceMs

const Token = component('PaginationToken36', Type.String({ minLength: 1 }))

const countQuery = {
  query: textParameter(QueryText, { required: true }),
  ...timeBounds(PostId),
  next_token: textParameter(Token),
  pagination_token: textParameter(Token),
  granularity: textParameter({ ...words(['minute', 'hour', 'day']), default: 'hour' }, { initial: 'hour' as const }),
  // All members are always sent; the parameter exists for compatibility.
  'search_count.fields': csv(words(['end', 'start', 'post_count']), { unique: true, required: false }),
}

const countReply = (name: string) =>
  component(
    name,
    Type.Object({
      data: Type.Optional(
        Type.Array(
          component(
            'SearchCount',
            Type.Object({
              end: component('End', DateTime),
              start: component('Start', DateTime),
              post_count: component('PostCount', Type.Integer()),
            }),
          ),
          { minItems: 1 },
        ),
      ),
      errors: ErrorsSchema,
      meta: Type.Optional(
        Type.Object({
          newest_id: Type.Optional(component('NewestId', Type.String())),
          next_token: Type.Optional(component('NextToken', Type.String({ minLength: 1 }))),
          oldest_id: Type.Optional(component('OldestId', Type.String())),
          total_post_count: Type.Optional(component('Aggregate', Type.Integer({ format: 'int32' }))),
        }),
      ),
    }),
  )

interface CountQuery {
  query: string
  bounds: TimeBounds
  next_token: string | undefined
  pagination_token: string | undefined
  granularity: keyof typeof SLICE_MS | undefined
}

async function count(
  scope: SearchScope,
  { query, caller, context, runtime, naming }: Input<unknown, CountQuery, undefined>,
): Promise<Answer> {
  const span = searchSpan(scope, query.bounds, runtime.clock.now())
  const sinceMs =
    query.bounds.sinceId === undefined ? span.startMs : Math.max(span.startMs, timeOfId(query.bounds.sinceId))
  const untilMs =
    query.bounds.untilId === undefined ? span.endMs : Math.min(span.endMs, timeOfId(query.bounds.untilId) + 1)
  const endMs = Math.min(untilMs, readEnd(query, runtime.clock.now()) ?? untilMs)
  const sliceMs = SLICE_MS[query.granularity ?? 'hour']
  // Counts of all posts come in pages of 31 days, the newest first; counts of recent posts fit into one page. Pages begin and
  // end with slices: only the ends of the whole range are cut.
  const pageMs = sliceStart(endMs - 1, sliceMs) + sliceMs - PAGE_MS
  const startMs = scope === 'all' ? Math.max(sinceMs, pageMs) : sinceMs
  const sql = await readSearchQuery(runtime, context, caller, query.query, scope)
  const range = rangeWithin({ startMs, endMs }, query.bounds)
  const periods = { startMs, endMs, sliceMs }
  const counted = await countPosts(runtime, sql, range, periods)
  const more =
    startMs > sinceMs ? { next_token: writeToken({ direction: 'older', key: String(startMs) }, 'base36') } : {}
  return answerCounts(naming, counted, periods, more)
}

/** The answer, written as text: made as objects, periods would cost more than counting. */
function answerCounts(naming: Naming, counted: Uint32Array, periods: Periods, more: { next_token?: string }): Answer {
  const total = counted.reduce((sum, count) => sum + count, 0)
  const meta = `"meta":${JSON.stringify({ [naming.rename('total_post_count')]: total, ...more })}}`
  if (counted.length === 0) return new Answer(`{${meta}`)
  const name = naming.rename('post_count')
  return new Answer(writeCounts(counted, periods, { head: '{"data":[', name, tail: `],${meta}` }))
}

// The key of these pages is a moment, since they reach back to times before the first id.
function readEnd({ next_token, pagination_token }: CountQuery, now: number): number | undefined {
  const text = next_token ?? pagination_token
  if (text === undefined) return undefined
  const ms = Number(readToken(text, 'base36')?.key)
  const name = next_token === undefined ? 'pagination_token' : 'next_token'
  if (!(ms <= now)) throw invalidParameter(name, text, `The \`${name}\` query parameter value [${text}] is not valid`)
  return ms
}

export const getPostsCountsRecent = defineOperation({
  id: 'getPostsCountsRecent',
  route: 'GET /2/posts/counts/recent',
  tag: 'Posts',
  summary: 'Count the posts of the last seven days that match a query',
  auth: { app: true },
  limit: { app: '300/15m' },
  query: countQuery,
  reply: countReply('Get2PostsCountsRecentResponse'),
  handle: (input) => count('recent', input),
})

export const getPostsCountsAll = defineOperation({
  id: 'getPostsCountsAll',
  route: 'GET /2/posts/counts/all',
  tag: 'Posts',
  summary: 'Count all posts that match a query',
  auth: { app: true, tiers: ['self-serve', ...FULL_TIERS] },
  limit: { app: '300/15m' },
  query: countQuery,
  reply: countReply('Get2PostsCountsAllResponse'),
  handle: (input) => count('all', input),
})
