import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { postRow } from '../posts/post.parts.ts'
import { type Fact, factRule, hourOf, type MediaCount, type PostCount } from './facts.ts'
import { mediaFactsAdd, postFactsAdd, profileVisitsAdd, viewersAdd } from './insight.statements.ts'

/** The counts of a post or media item in an hour. */
interface HourRow<C extends string> {
  id: string
  promoted: boolean
  periodMs: number
  counts: Partial<Record<C, number>>
}

/** Somebody who is known to have seen a post. */
interface Touch {
  postId: string
  viewerId: string
  atMs: number
  promoted: boolean
}

/** Counts of posts and media items that are to be stored, each hour once. */
export class FactBatch {
  readonly posts = new Map<string, HourRow<PostCount>>()
  readonly media = new Map<string, HourRow<MediaCount>>()
  readonly videoViewers = new Map<string, Touch>()
  readonly promotionViewers = new Map<string, Touch>()
  readonly profileVisitors = new Map<string, Touch>()

  /** How many rows it has. */
  get size(): number {
    return (
      this.posts.size +
      this.media.size +
      this.videoViewers.size +
      this.promotionViewers.size +
      this.profileVisitors.size
    )
  }

  add(fact: Fact): void {
    const { postId, mediaKey, promoted, viewerId, count, atMs } = fact
    const rule = factRule(fact.kind)
    for (const name of rule.post) this.count(postId, name, { promoted, atMs, count })
    if (rule.media && mediaKey !== undefined) {
      for (const name of rule.media) addCount(this.media, mediaKey, name, { promoted, atMs, count })
      if (fact.watchMs) addCount(this.media, mediaKey, 'watch_time_ms', { promoted, atMs, count: fact.watchMs })
    }
    if (viewerId === undefined) return
    const touch = { postId, viewerId, atMs, promoted }
    const key = touchKey(postId, viewerId)
    if (fact.kind === 'video_view') keepEarlier(this.videoViewers, key, touch)
    if (promoted && fact.kind === 'view') keepLater(this.promotionViewers, key, touch)
    if (fact.kind === 'profile_click') keepLater(this.profileVisitors, key, touch)
  }

  /** Adds to a count of a post. */
  count(postId: string, name: PostCount, how: { promoted: boolean; atMs: number; count: number }): void {
    addCount(this.posts, postId, name, how)
  }
}

const touchKey = (postId: string, viewerId: string): string => `${postId} ${viewerId}`

function addCount<C extends string>(
  rows: Map<string, HourRow<C>>,
  id: string,
  name: C,
  { promoted, atMs, count }: { promoted: boolean; atMs: number; count: number },
): void {
  const periodMs = hourOf(atMs)
  const key = `${id} ${periodMs} ${promoted}`
  let row = rows.get(key)
  if (!row) {
    row = { id, promoted, periodMs, counts: {} }
    rows.set(key, row)
  }
  row.counts[name] = (row.counts[name] ?? 0) + count
}

function keepLater(touches: Map<string, Touch>, key: string, touch: Touch): void {
  const known = touches.get(key)
  if (!known || known.atMs <= touch.atMs) touches.set(key, touch)
}

function keepEarlier(touches: Map<string, Touch>, key: string, touch: Touch): void {
  const known = touches.get(key)
  if (!known || known.atMs > touch.atMs) touches.set(key, touch)
}

/** Stores counts in one transaction: all or nothing. `begun` is called in it before anything is stored. */
export const storeBatch = (
  runtime: Runtime,
  batch: FactBatch,
  begun: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> =>
  change(runtime, async (tx, invalidate) => {
    await begun(tx)
    // A viewer of a video counts once, in the hour in which they first saw it.
    const unique = await addViewers(tx, batch, await originalsOf(runtime, batch))
    const posts = new FactBatch()
    for (const { postId, atMs, promoted } of unique)
      posts.count(postId, 'unique_video_views', { promoted, atMs, count: 1 })
    await writeCounts(tx, invalidate, batch, posts)
  })

/** The original of each repost that somebody saw. */
async function originalsOf(runtime: Runtime, batch: FactBatch): Promise<ReadonlyMap<string, string>> {
  const touches = [batch.videoViewers, batch.promotionViewers, batch.profileVisitors]
  const ids = new Set(touches.flatMap((some) => [...some.values()].map((touch) => touch.postId)))
  const rows = await runtime.parts.many(postRow, [...ids])
  return new Map([...rows].flatMap(([id, row]) => (row.reposted_post_id === null ? [] : [[id, row.reposted_post_id]])))
}

async function addViewers(tx: Tx, batch: FactBatch, originals: ReadonlyMap<string, string>): Promise<Touch[]> {
  const inOriginal = (touch: Touch): Touch => ({ ...touch, postId: originals.get(touch.postId) ?? touch.postId })
  const videos = [...batch.videoViewers.values()].map(inOriginal)
  const promotions = [...batch.promotionViewers.values()].map(inOriginal)
  const visits = [...batch.profileVisitors.values()].map(inOriginal)
  if (visits.length > 0)
    await profileVisitsAdd.count(
      tx,
      visits.map((visit) => visit.viewerId),
      visits.map((visit) => visit.postId),
      visits.map((visit) => visit.promoted),
      visits.map((visit) => timeText(visit.atMs)),
    )
  if (promotions.length > 0) await rememberViewers(tx, 'promotion', promotions)
  if (videos.length === 0) return []
  const seen = await rememberViewers(tx, 'video', videos)
  const first = new Map<string, Touch>()
  for (const touch of videos) keepEarlier(first, touchKey(touch.postId, touch.viewerId), touch)
  return seen.flatMap((row) => first.get(touchKey(row.post_id, row.viewer_id)) ?? [])
}

const rememberViewers = (tx: Tx, kind: 'video' | 'promotion', touches: readonly Touch[]) =>
  viewersAdd.all(
    tx,
    touches.map((touch) => touch.postId),
    touches.map(() => kind),
    touches.map((touch) => touch.viewerId),
    touches.map((touch) => timeText(touch.atMs)),
  )

/** Writes the counts of batches, and marks what shows them as stale. */
export async function writeCounts(tx: Tx, invalidate: Invalidate, ...batches: readonly FactBatch[]): Promise<void> {
  const posts = batches.flatMap((batch) => [...batch.posts.values()])
  const media = batches.flatMap((batch) => [...batch.media.values()])
  if (posts.length > 0) {
    const counted = await postFactsAdd.all(tx, rowsText('post_id', posts))
    invalidate('post_metrics', ...counted.map((row) => row.post_id))
  }
  if (media.length > 0) {
    const counted = await mediaFactsAdd.all(tx, rowsText('media_key', media))
    invalidate('media_metrics', ...counted.map((row) => row.media_key))
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString()

const rowsText = (key: string, rows: readonly HourRow<string>[]): string =>
  JSON.stringify(
    rows.map((row) => ({ [key]: row.id, promoted: row.promoted, period: timeText(row.periodMs), ...row.counts })),
  )
