import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { timeBounds } from '../../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { idAt, LARGEST_ID } from '../../process/ids.ts'
import { PostId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { post } from '../posts/post.object.ts'
import { findReadableUser } from '../users/find-readable-user.ts'
import {
  homeNewer,
  homeOlder,
  homeReach,
  mentionsNewer,
  mentionsOlder,
  userPostsNewer,
  userPostsOlder,
} from './timeline.statements.ts'
import { exclude, readTimeline, type TimelineLoad, TimelineMeta } from './timeline.ts'

const oauth2 = ['post.read', 'users.read']

export const getUsersPosts = defineOperation({
  id: 'getUsersPosts',
  route: 'GET /2/users/{id}/posts',
  tag: 'Users',
  summary: 'List the posts of a user',
  auth: { app: true, oauth1: true, oauth2 },
  limit: { app: '10000/15m', user: '900/15m' },
  path: { id: UserId },
  query: {
    ...timeBounds(PostId),
    ...pages({ min: 5, max: 100, initial: 10, token: 'base36', shown: false }),
    exclude,
    ...selects(() => post),
  },
  reply: listReply('Get2UsersIdPostsResponse', post, TimelineMeta),
  handle: async ({ path, query, context, runtime }) => {
    const author = await findReadableUser(context, path.id)
    const statements = { older: userPostsOlder, newer: userPostsNewer }
    const excluded = exclusionsOf(query.exclude)
    const { ids, meta } = await readTimeline(query.page, query.bounds, (direction, { after, before }, limit) =>
      statements[direction].all(runtime.database, author.id, after, before, excluded.replies, excluded.reposts, limit),
    )
    return answerPage(context, ids, query.selection, meta)
  },
})

export const getUsersMentions = defineOperation({
  id: 'getUsersMentions',
  route: 'GET /2/users/{id}/mentions',
  tag: 'Users',
  summary: 'List the posts that mention a user',
  auth: { app: true, oauth1: true, oauth2 },
  limit: { app: '450/15m', user: '300/15m' },
  path: { id: UserId },
  query: {
    ...timeBounds(PostId),
    ...pages({ min: 5, max: 100, initial: 10, token: 'base36', shown: false }),
    ...selects(() => post),
  },
  reply: listReply('Get2UsersIdMentionsResponse', post, TimelineMeta),
  handle: async ({ path, query, context, runtime }) => {
    const mentioned = await findReadableUser(context, path.id)
    const statements = { older: mentionsOlder, newer: mentionsNewer }
    const { ids, meta } = await readTimeline(query.page, query.bounds, (direction, { after, before }, limit) =>
      statements[direction].all(runtime.database, mentioned.id, after, before, limit),
    )
    return answerPage(context, ids, query.selection, meta)
  },
})

export const getUsersTimeline = defineOperation({
  id: 'getUsersTimeline',
  route: 'GET /2/users/{id}/timelines/reverse_chronological',
  tag: 'Users',
  summary: 'List the newest posts of the users whom the caller follows',
  auth: { oauth1: true, oauth2 },
  limit: { user: '180/15m' },
  path: { id: UserId },
  query: {
    ...timeBounds(PostId),
    ...pages({ min: 1, max: 100, initial: 100, token: 'base36', shown: false }),
    exclude,
    ...selects(() => post),
  },
  reply: listReply('Get2UsersIdTimelinesReverseChronologicalResponse', post, TimelineMeta),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    const { ids, meta } = await readTimeline(
      query.page,
      query.bounds,
      homeWithinReach(runtime, userOf(caller).id, exclusionsOf(query.exclude)),
    )
    return answerPage(context, ids, query.selection, meta)
  },
})

interface Exclusions {
  replies: boolean
  reposts: boolean
}

const exclusionsOf = (words: readonly string[]): Exclusions => ({
  replies: words.includes('replies'),
  reposts: words.includes('reposts'),
})

const HOME_REACH = 3_200
const HOME_REACH_MS = 7 * 24 * 3600_000

/** The home timeline of a user: the posts of the last week, and the newest 3200 posts of any age. */
function homeWithinReach(runtime: Runtime, userId: string, excluded: Exclusions): TimelineLoad {
  const statements = { older: homeOlder, newer: homeNewer }
  return async (direction, { after, before }, limit) => {
    const found = await statements[direction].all(
      runtime.database,
      userId,
      after,
      before,
      excluded.replies,
      excluded.reposts,
      limit,
    )
    const week = BigInt(idAt(runtime.clock.now() - HOME_REACH_MS))
    const oldest = direction === 'older' ? found.at(-1) : found[0]
    // The newest page is always within reach, and so is all of the last week.
    const isNewest = direction === 'older' && before === LARGEST_ID
    if (!oldest || isNewest || BigInt(oldest.id) >= week) return found
    const reach = await homeReach.first(
      runtime.database,
      userId,
      '-1',
      LARGEST_ID,
      excluded.replies,
      excluded.reposts,
      HOME_REACH,
    )
    if (!reach) return found
    return found.filter((item) => BigInt(item.id) >= BigInt(reach.id) || BigInt(item.id) >= week)
  }
}
