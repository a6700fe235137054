import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { isInClosedCommunity } from '../communities/closed-communities.ts'
import { postFactsDelete } from '../insights/insight.statements.ts'
import { releaseMedia } from '../media/attach-media.ts'
import { keepRemovedPosts } from './keep-removed.ts'
import { type PostRow, postRow } from './post.parts.ts'
import {
  discountReferred,
  discountUsers,
  postDelete,
  postDeleteMarks,
  postDeleteMetrics,
  postDeletePolls,
  postDeleteTexts,
  postMetricsLock,
  postUnpin,
  type RemovedPost,
  userMetricsLock,
  versionsLockAll,
} from './post.statements.ts'

/** Removes a post, or only a repost. False when another request removed it first. */
export const removePost = async (runtime: Runtime, row: PostRow): Promise<boolean> =>
  (await removePosts(runtime, [row])) > 0

/**
 * Removes posts of one author with all their versions, their reposts and everything that depends on them, in one transaction. Returns
 * how many were still there.
 *
 * Rows are locked in the order that all changes follow: posts, their dependents, counters of posts, counters of users.
 * Each lock is a statement of its own, so the next statement sees what was committed before the lock was granted.
 */
export async function removePosts(runtime: Runtime, rows: readonly PostRow[]): Promise<number> {
  // Versions of one post are removed together.
  const posts = [...new Map(rows.toReversed().map((row) => [row.first_version_id, row])).values()]
  const originals = await runtime.parts.many(
    postRow,
    posts.flatMap((row) => row.reposted_post_id ?? []),
  )
  const closed = await Promise.all(posts.map((row) => isInClosedCommunity(runtime, row)))
  const closedIds = new Set(posts.filter((_row, index) => closed[index]).map((row) => row.id))
  return change(runtime, async (tx, invalidate) => {
    const firsts = posts.map((row) => row.first_version_id)
    // Twice: after waiting for an edit, only the second statement sees the version that it created.
    await versionsLockAll.all(tx, firsts)
    const locked = await versionsLockAll.all(tx, firsts)
    if (locked.length === 0) return 0
    const versions = new Map<string, string[]>()
    for (const { id, first_version_id: first } of locked) versions.set(first, [...(versions.get(first) ?? []), id])
    const found = posts.filter((row) => versions.has(row.first_version_id))
    const ids = locked.map((version) => version.id)
    await keepRemovedPosts(tx, runtime, ids)
    const removed = await removeRows(tx, invalidate, found, ids, new Date(runtime.clock.now()))
    // A repost itself, and the reposts that are removed with their posts.
    const reposts = removed.filter((item) => item.reposted_post_id !== null)
    await emit<'post.delete' | 'repost.delete'>(
      tx,
      runtime,
      ...found
        .filter((row) => row.reposted_post_id === null)
        .map((row) => ({
          type: 'post.delete' as const,
          actorId: row.author_id,
          postId: row.first_version_id,
          payload: { version_ids: versions.get(row.first_version_id)! },
          ...(closedIds.has(row.id) ? { closedFor: row.author_id } : {}),
        })),
      ...reposts.map((item) => ({
        type: 'repost.delete' as const,
        actorId: item.author_id,
        targetId: originals.get(item.reposted_post_id!)?.author_id ?? found[0]!.author_id,
        postId: item.reposted_post_id!,
        payload: { repost_id: item.id },
      })),
    )
    return found.length
  })
}

/** What a removed post replied to, quoted and reposted. A promoted-only repost was never counted. */
const referredBy = (row: PostRow): { id: string; reply: number; quote: number; repost: number }[] =>
  [
    { id: row.in_reply_to_post_id, reply: 1, quote: 0, repost: 0 },
    { id: row.quoted_post_id, reply: 0, quote: 1, repost: 0 },
    { id: row.nullcast ? null : row.reposted_post_id, reply: 0, quote: 0, repost: 1 },
  ].flatMap(({ id, ...counts }) => (id === null ? [] : [{ id, ...counts }]))

async function removeRows(
  tx: Tx,
  invalidate: Invalidate,
  rows: readonly PostRow[],
  versions: string[],
  now: Date,
): Promise<RemovedPost[]> {
  const authorId = rows[0]!.author_id
  const removed = await postDelete.all(tx, versions, now)
  const ids = removed.map((item) => item.id)
  const likes = await postDeleteMarks.all(tx, ids)
  await postDeleteTexts.count(tx, authorId, ids)
  const polls = removed.flatMap((item) => item.poll_id ?? [])
  if (polls.length > 0) await postDeletePolls.count(tx, polls)
  const authors = [...new Set(removed.map((item) => item.author_id))]
  const unpinned = await postUnpin.all(tx, ids, authors)

  const referred = rows.flatMap(referredBy)
  const counted = [...new Set([...ids, ...referred.map((item) => item.id)])]
  await postMetricsLock.count(tx, counted)
  await postDeleteMetrics.count(tx, ids)
  await postFactsDelete.count(tx, ids)
  await discountReferred.count(
    tx,
    referred.map((item) => item.id),
    referred.map((item) => item.reply),
    referred.map((item) => item.quote),
    referred.map((item) => item.repost),
  )

  // Edits are not counted, so only first versions and reposts are subtracted.
  const losses = new Map<string, { posts: number; likes: number }>()
  const lossOf = (id: string) => losses.get(id) ?? { posts: 0, likes: 0 }
  for (const { author_id: id, counted: once } of removed)
    losses.set(id, { ...lossOf(id), posts: lossOf(id).posts + Number(once) })
  for (const { user_id: id, likes: count } of likes) losses.set(id, { ...lossOf(id), likes: count })
  const users = [...losses.keys()]
  await userMetricsLock.count(tx, users)
  await discountUsers.count(
    tx,
    users,
    [...losses.values()].map((loss) => loss.posts),
    [...losses.values()].map((loss) => loss.likes),
  )
  await releaseMedia(tx, invalidate, authorId, removed)
  invalidate('post', ...ids)
  invalidate('post_metrics', ...counted)
  invalidate('user_metrics', ...users)
  invalidate('user', ...unpinned.map((item) => item.id))
  return removed
}
