import { invalidateEverywhere, type Runtime } from '../../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { startConsumer } from '../../events/reader.ts'
import { findRemoved, partName } from '../../events/removed-objects.ts'
import { idAt } from '../../process/ids.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import type { Tx } from '../../storage/database.ts'
import { type PostRow, postRow } from '../posts/post.parts.ts'
import { DAY_MS, type PostCount } from './facts.ts'
import { promotionSeen, visitsFollowed, visitsUnfollowed } from './insight.statements.ts'
import { FactBatch, writeCounts } from './store-facts.ts'

/** Something that a user did with a post, from an event. */
interface Engagement {
  postId: string
  name: PostCount
  actorId: string
  at: Date
  promoted: boolean
}

/**
 * Counts the likes, replies, reposts, quotes and follows of the event log, in one process of all machines. The sequence of the
 * reader moves in the transaction that stores the counts, so each event is counted once.
 */
export const startCountingEvents = (runtime: Runtime): Stoppable =>
  startConsumer({
    name: 'insights',
    database: runtime.database,
    connection: runtime.database.connection,
    log: runtime.log,
    work: async (tx, events) => {
      const engagements = [...(await postEngagements(tx, runtime, events)), ...(await followEngagements(tx, events))]
      if (engagements.length === 0) return undefined
      const batch = new FactBatch()
      for (const { postId, name, promoted, at } of engagements)
        batch.count(postId, name, { promoted, atMs: at.getTime(), count: 1 })
      // The metrics of posts show only what promotion caused; the rest they count themselves.
      const shown = new Set(engagements.flatMap((item) => (item.promoted ? [item.postId] : [])))
      await writeCounts(tx, () => {}, batch)
      if (shown.size === 0) return undefined
      return { committed: () => invalidateEverywhere(runtime, [['post_metrics', [...shown]]]) }
    },
  })

/** What the events did with posts. What follows a view of the promotion within a day is counted as promoted. */
async function postEngagements(tx: Tx, runtime: Runtime, events: readonly LoggedEvent[]): Promise<Engagement[]> {
  const referred = await referredPosts(tx, runtime, events)
  const found = events.flatMap((event): Engagement[] => {
    const count = (postId: string | null | undefined, name: PostCount): Engagement[] =>
      postId && event.actor_id
        ? [{ postId, name, actorId: event.actor_id, at: event.happened_at, promoted: false }]
        : []
    if (isEventOf(event, 'like.create')) return count(event.post_id, 'likes')
    if (isEventOf(event, 'like.delete')) return count(event.post_id, 'unlikes')
    if (isEventOf(event, 'repost.create')) return count(event.post_id, 'reposts')
    if (!isEventOf(event, 'post.create')) return []
    const post = referred.get(event.post_id!)
    return [...count(post?.in_reply_to_post_id, 'replies'), ...count(post?.quoted_post_id, 'quote_posts')]
  })
  if (found.length === 0) return []
  const seen = await promotionSeen.all(
    tx,
    found.map((_item, index) => index),
    found.map((item) => item.postId),
    found.map((item) => item.actorId),
    found.map((item) => item.at.toISOString()),
    found.map((item) => idAt(item.at.getTime() - DAY_MS)),
  )
  for (const { index } of seen) found[index]!.promoted = true
  return found
}

/** The posts that the events created, also those that were deleted since. */
async function referredPosts(
  tx: Tx,
  runtime: Runtime,
  events: readonly LoggedEvent[],
): Promise<Map<string, Pick<PostRow, 'in_reply_to_post_id' | 'quoted_post_id'>>> {
  const created = events.flatMap((event) => (isEventOf(event, 'post.create') ? (event.post_id ?? []) : []))
  if (created.length === 0) return new Map()
  const rows = new Map(await runtime.parts.many(postRow, created))
  const missing = created.filter((id) => !rows.has(id))
  for (const { id, parts } of missing.length === 0 ? [] : await findRemoved(tx, 'post', missing)) {
    const row = parts[partName(postRow)]?.[id] as PostRow | undefined
    if (row) rows.set(id, row)
  }
  return rows
}

/** The follows that came from a visit of the profile through a post, and the ends of such follows. */
async function followEngagements(tx: Tx, events: readonly LoggedEvent[]): Promise<Engagement[]> {
  const made = events.filter((event) => isEventOf(event, 'follow.follow'))
  const ended = events.filter((event) => isEventOf(event, 'follow.unfollow'))
  const columns = (some: readonly LoggedEvent[]) =>
    [
      some.map((_event, index) => index),
      some.map((event) => event.actor_id),
      some.map((event) => event.target_id),
    ] as const
  const times = made.map((event) => event.happened_at.toISOString())
  const followed = made.length === 0 ? [] : await visitsFollowed.all(tx, ...columns(made), times)
  const unfollowed = ended.length === 0 ? [] : await visitsUnfollowed.all(tx, ...columns(ended))
  const engagement = (
    event: LoggedEvent,
    name: PostCount,
    row: { post_id: string; promoted: boolean },
  ): Engagement => ({
    postId: row.post_id,
    name,
    actorId: event.actor_id!,
    at: event.happened_at,
    promoted: row.promoted,
  })
  return [
    ...followed.map((row) => engagement(made[row.index]!, 'follows', row)),
    ...unfollowed.map((row) => engagement(ended[row.index]!, 'unfollows', row)),
  ]
}
