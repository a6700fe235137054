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
  versionsLock,
} from './post.statements.ts'

/**
 * Removes a post with all its versions, their reposts and everything that depends on them, or only a repost.
 * False when another request removed it first.
 *
 * Rows are locked in the order that all changes follow: posts, their dependents, counters of posts, counters of users.
 * Each lock is a statement of its own, so the next statement sees what was committed before the lock was granted.
 */
export async function removePost(runtime: Runtime, row: PostRow): Promise<boolean> {
  const original = row.reposted_post_id === null ? undefined : await runtime.parts.one(postRow, row.reposted_post_id)
  const closed = (await isInClosedCommunity(runtime, row)) ? { closedFor: row.author_id } : {}
  return change(runtime, async (tx, invalidate) => {
    // Twice: after waiting for an edit, only the second statement sees the version that it created.
    await versionsLock.all(tx, row.first_version_id)
    const versions = (await versionsLock.all(tx, row.first_version_id)).map((version) => version.id)
    if (versions.length === 0) return false
    await keepRemovedPosts(tx, runtime, versions)
    const removed = await removeRows(tx, invalidate, row, versions, new Date(runtime.clock.now()))
    if (row.reposted_post_id === null)
      await emit(tx, runtime, {
        type: 'post.delete',
        actorId: row.author_id,
        postId: row.first_version_id,
        payload: { version_ids: versions },
        ...closed,
      })
    // The repost itself, or the reposts that are removed with the post.
    const reposts = removed.filter((item) => item.reposted_post_id !== null)
    await emit(
      tx,
      runtime,
      ...reposts.map((item) => ({
        type: 'repost.delete' as const,
        actorId: item.author_id,
        targetId: original?.author_id ?? row.author_id,
        postId: item.reposted_post_id!,
        payload: { repost_id: item.id },
      })),
    )
    return true
  })
}

async function removeRows(
  tx: Tx,
  invalidate: Invalidate,
  row: PostRow,
  versions: string[],
  now: Date,
): Promise<RemovedPost[]> {
  const removed = await postDelete.all(tx, versions, now)
  const ids = removed.map((item) => item.id)
  const likes = await postDeleteMarks.all(tx, ids)
  await postDeleteTexts.count(tx, row.author_id, ids)
  const polls = removed.flatMap((item) => item.poll_id ?? [])
  if (polls.length > 0) await postDeletePolls.count(tx, polls)
  const authors = [...new Set(removed.map((item) => item.author_id))]
  const unpinned = await postUnpin.all(tx, ids, authors)

  // A promoted-only repost was never counted.
  const referred = [row.in_reply_to_post_id, row.quoted_post_id, row.nullcast ? null : row.reposted_post_id]
  const counted = [...ids, ...referred.filter((id) => id !== null)]
  await postMetricsLock.count(tx, counted)
  await postDeleteMetrics.count(tx, ids)
  await postFactsDelete.count(tx, ids)
  await discountReferred.count(tx, ...referred)

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
  await releaseMedia(tx, invalidate, row.author_id, removed)
  invalidate('post', ...ids)
  invalidate('post_metrics', ...counted)
  invalidate('user_metrics', ...users)
  invalidate('user', ...unpinned.map((item) => item.id))
  return removed
}
