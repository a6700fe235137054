import { change } from '../../api-kit/house.ts'
import { defineOperation, userOf } from '../../api-kit/operation.ts'
import { named, say } from '../../api-kit/problem.ts'
import { forbidden, notFoundAnswer, resourceNotFound } from '../../api-kit/problems.ts'
import { ErrorsSchema } from '../../api-kit/reply.ts'
import { component, Type } from '../../api-kit/schema.ts'
import { emit } from '../../events/emit.ts'
import { isStorableId } from '../../process/ids.ts'
import { PostId } from '../ids.ts'
import { postRow } from './post.parts.ts'
import {
  discountAuthors,
  discountQuote,
  discountReply,
  postDelete,
  postDeleteMetrics,
  postDeletePolls,
  postDeleteTexts,
  postUnpin,
} from './post.statements.ts'

export const deletePosts = defineOperation({
  id: 'deletePosts',
  route: 'DELETE /2/posts/{id}',
  tag: 'Posts',
  summary: 'Delete a post with all its versions',
  auth: { oauth1: true, oauth2: ['post.read', 'post.write', 'users.read'] },
  limit: { user: '50/15m' },
  path: { id: PostId },
  reply: component(
    'PostDeleteResponse',
    Type.Object({ data: Type.Optional(Type.Object({ deleted: Type.Boolean() })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, house }) => {
    const row = isStorableId(path.id) ? await house.parts.one(postRow, path.id) : undefined
    if (!row) throw notFoundAnswer(resourceNotFound('post', 'id', path.id))
    if (row.author_id !== userOf(caller).id)
      throw forbidden(say`You are not authorized to delete this ${named('Post')}.`, 'the post is of another user')
    await change(house, async (tx, touch) => {
      const removed = await postDelete.all(tx, row.first_version_id)
      if (removed.length === 0) throw notFoundAnswer(resourceNotFound('post', 'id', path.id))
      const ids = removed.map((item) => item.id)
      // An edit was not counted, so that only first versions and reposts are taken off.
      const counted = new Map<string, number>()
      for (const item of removed)
        counted.set(item.author_id, (counted.get(item.author_id) ?? 0) + (item.counted ? 1 : 0))
      // The counters of posts before those of users, as in the statement that creates: two changes never wait crosswise.
      await postDeleteMetrics.count(tx, ids)
      if (row.in_reply_to_post_id !== null) await discountReply.count(tx, row.in_reply_to_post_id)
      if (row.quoted_post_id !== null) await discountQuote.count(tx, row.quoted_post_id)
      await postDeleteTexts.count(tx, row.author_id, ids)
      const polls = removed.flatMap((item) => item.poll_id ?? [])
      if (polls.length > 0) await postDeletePolls.count(tx, polls)
      await discountAuthors.count(tx, [...counted.keys()], [...counted.values()])
      const unpinned = await postUnpin.all(tx, ids, [...counted.keys()])
      const referred = [row.in_reply_to_post_id, row.quoted_post_id].filter((id) => id !== null)
      await emit(tx, house, {
        type: 'post.delete',
        actorId: row.author_id,
        postId: row.first_version_id,
        payload: { version_ids: removed.filter((item) => item.is_version).map((item) => item.id) },
      })
      touch('post', ...ids)
      touch('post_metrics', ...ids, ...referred)
      touch('user_metrics', ...counted.keys())
      touch('user', ...unpinned.map((item) => item.id))
    })
    return { data: { deleted: true } }
  },
})
