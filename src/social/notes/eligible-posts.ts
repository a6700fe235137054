import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { booleanParameter, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { idRange, narrow } from '../../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { parseQuery } from '../../search/parse-query.ts'
import { type QuerySql, querySql } from '../../search/query-sql.ts'
import { post } from '../posts/post.object.ts'
import { findPostIds } from '../search/find-posts.ts'
import { openCommunitySql } from '../visibility.ts'
import { FEED_SIZES, type FeedStart, feedToken, type PostSelection, postSelection, writeFeedToken } from './feed.ts'
import { checkTestMode, findWriter } from './note-writers.ts'

const DAY_MS = 24 * 3600_000
const FEED_MS = 7 * DAY_MS

export const searchEligiblePosts = defineOperation({
  id: 'searchEligiblePosts',
  route: 'GET /2/notes/search/posts_eligible_for_notes',
  tag: 'Community Notes',
  summary: 'List the posts that the caller may write a community note on',
  auth: { oauth1: true, oauth2: ['post.read'] },
  limit: { user: '90/15m' },
  query: {
    test_mode: booleanParameter(),
    pagination_token: feedToken(),
    max_results: wholeNumber({ min: 1, max: 100 }, { initial: 10 }),
    post_selection: postSelection(),
    ...selects(() => post),
  },
  reply: listReply(
    'Get2NotesSearchPostsEligibleForNotesResponse',
    post,
    Type.Pick(PageMeta, ['next_token', 'result_count']),
  ),
  handle: async ({ query, caller, runtime, context }) => {
    const writer = await findWriter(runtime, caller)
    checkTestMode(query.test_mode)
    const { size } = query.post_selection
    if (size !== 'small' && !writer.isTop)
      throw forbidden(`Only top writers may read the feed of size ${size}. Others may read [feed_size: small].`)
    const { ids, next } = await readFeed(runtime, writer.id, query)
    return answerPage(context, ids, query.selection, next === undefined ? {} : { next_token: writeFeedToken(next) })
  },
})

interface FeedRequest {
  post_selection: PostSelection
  pagination_token: FeedStart | undefined
  max_results: number
}

/** A page of a feed: the newest public posts of seven days that the writer has no note on. */
async function readFeed(
  runtime: Runtime,
  writerId: string,
  { post_selection: { size, lang }, pagination_token: start, max_results: wanted }: FeedRequest,
): Promise<{ ids: string[]; next: FeedStart | undefined }> {
  const now = runtime.clock.now()
  const whole = idRange({
    startMs: now - FEED_MS,
    endMs: now + 1,
    sinceId: undefined,
    untilId: undefined,
    given: new Map(),
  })
  const range = start ? narrow(whole, 'older', start.before) : whole
  const left = Math.min(start?.left ?? Infinity, FEED_SIZES[size])
  const limit = Math.min(wanted, left)
  const found = limit === 0 ? [] : await findPostIds(runtime.database, feedQuery(lang, writerId), range, limit + 1)
  const ids = found.slice(0, limit)
  const hasNext = found.length > limit && left > limit
  return { ids, next: hasNext ? { before: ids.at(-1)!, left: left - limit } : undefined }
}

function feedQuery(lang: string | undefined, writerId: string): QuerySql {
  const inLanguage =
    lang && querySql(parseQuery(`lang:${lang}`), { users: new Map(), places: new Map(), lists: new Set() })
  const query: QuerySql = inLanguage || {
    terms: undefined,
    pairs: [],
    condition: undefined,
    values: [],
    usesPost: false,
    reposts: false,
    authors: undefined,
    lists: undefined,
    isNarrow: false,
  }
  const values = [...query.values]
  const condition = [
    ...(query.condition === undefined ? [] : [query.condition]),
    `not p.nullcast and p.sandbox is null and ${openCommunitySql('p')}`,
    `not exists (select from community_note n where n.first_version_id = p.first_version_id and n.writer_id = $${values.push(writerId)})`,
  ].join(' and ')
  return { ...query, values, condition, usesPost: true }
}
