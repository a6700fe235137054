import type { Runtime } from '../../api-kit/runtime.ts'
import { idAt, timeOfId } from '../../process/ids.ts'
import { inTurns } from '../../process/in-turns.ts'
import { type Tx, transaction } from '../../storage/database.ts'
import { type PostTopic, postTopics } from './post-topics.ts'
import {
  KEPT_HOURS,
  newPublicPosts,
  topicStateLock,
  topicStateMove,
  topicsAdd,
  topicsExpire,
  topicsPending,
  topicsPrune,
} from './topic.statements.ts'
import { placesOfLocation, WORLD } from './trend-places.ts'

export const HOUR_MS = 3600_000
const BATCH = 2_000

type NewPost = Awaited<ReturnType<typeof newPublicPosts.all>>[number]

/**
 * Counts the topics of the posts that were written since the last run, in steps that commit with how far they came. At the first
 * run, and after a long pause, it begins with the oldest hour that is kept. Returns how many posts were read.
 */
export async function countTopics(runtime: Runtime, untilMs: number, stopping: AbortSignal): Promise<number> {
  const hour = Math.floor(untilMs / HOUR_MS)
  const first = idAt((hour - KEPT_HOURS + 1) * HOUR_MS)
  if (!(await topicsPending.first(runtime.database, first, idAt(untilMs + 1)))!.pending) return 0
  let read = 0
  for (;;) {
    const posts = await transaction(runtime.database, (tx) => countStep(tx, first, idAt(untilMs + 1), hour))
    read += posts
    if (posts < BATCH || stopping.aborted) return read
  }
}

async function countStep(tx: Tx, first: string, last: string, hour: number): Promise<number> {
  const state = (await topicStateLock.first(tx, first, hour - KEPT_HOURS))!
  const posts = await newPublicPosts.all(tx, state.last_post_id, last, BATCH)
  if (posts.length > 0) await addCounts(tx, posts)
  // The clock may have been moved back: then nothing is over.
  const prunes = posts.length < BATCH && hour - 1 > state.pruned_hour
  if (prunes) {
    await topicsPrune.count(tx, state.pruned_hour, hour - 1)
    await topicsExpire.count(tx, hour - KEPT_HOURS)
  }
  if (posts.length > 0 || prunes)
    await topicStateMove.count(tx, posts.at(-1)?.id ?? state.last_post_id, prunes ? hour - 1 : state.pruned_hour)
  return posts.length
}

interface Count {
  hour: number
  woeid: number
  topic: PostTopic
  posts: number
  authors: Set<string>
  lastAuthor: string
}

async function addCounts(tx: Tx, posts: readonly NewPost[]): Promise<void> {
  const counts = new Map<string, Count>()
  await inTurns(posts, (post) => {
    const hour = Math.floor(timeOfId(post.id) / HOUR_MS)
    const woeids = placesOfLocation(post.place ?? post.location)
    for (const topic of postTopics(post))
      for (const woeid of woeids) {
        // Plain words are counted for the world only: in a small place most of them are rare.
        if (woeid !== WORLD && topic.term.startsWith('-')) continue
        const key = `${hour} ${woeid} ${topic.term}`
        const count = counts.get(key) ?? { hour, woeid, topic, posts: 0, authors: new Set<string>(), lastAuthor: '' }
        count.posts += 1
        count.authors.add(post.author_id)
        count.lastAuthor = post.author_id
        counts.set(key, count)
      }
  })
  const all = [...counts.values()]
  if (all.length === 0) return
  await topicsAdd.count(
    tx,
    all.map((item) => item.hour),
    all.map((item) => item.woeid),
    all.map((item) => item.topic.term),
    all.map((item) => item.topic.shown),
    all.map((item) => item.topic.entityId),
    all.map((item) => item.posts),
    all.map((item) => item.authors.size),
    all.map((item) => item.lastAuthor),
  )
}
