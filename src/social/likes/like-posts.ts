import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { objectNotFound } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { isStorableId } from '../../process/ids.ts'
import { isInClosedCommunity } from '../communities/closed-communities.ts'
import { PostId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import { likeAdd, likeRemove } from './like.statements.ts'

const oauth2 = ['like.write', 'post.read', 'users.read']
// Likes and unlikes share the daily limit.
const limit = { user: '50/15m + 1000/24h of likes' }

const likedReply = (name: string) =>
  component(
    name,
    Type.Object({ data: Type.Optional(Type.Object({ liked: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
  )

export const likePost = defineOperation({
  id: 'likePost',
  route: 'POST /2/users/{id}/likes',
  tag: 'Users',
  summary: 'Like a post',
  auth: { oauth1: true, oauth2, tiers: FULL_TIERS },
  limit,
  path: { id: UserId },
  body: component('UsersLikesCreateRequest', closed({ post_id: PostId })),
  reply: likedReply('UsersLikesCreateResponse'),
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const user = userOf(caller)
    const liked = await findPostToActOn(context, body.post_id, 'post_id')
    const closed = (await isInClosedCommunity(runtime, liked)) ? { closedFor: liked.author_id } : {}
    const stored = await change(runtime, async (tx, invalidate) => {
      const like = await likeAdd.first(tx, user.id, liked.id, runtime.ids.next())
      if (!like?.id) return like
      invalidate('post_metrics', liked.id)
      invalidate('user_metrics', user.id)
      await emit(tx, runtime, {
        type: 'like.create',
        actorId: user.id,
        targetId: liked.author_id,
        postId: liked.id,
        payload: { like_id: like.id },
        ...closed,
      })
      return like
    })
    if (!stored) throw objectNotFound(resourceNotFound('post', 'post_id', body.post_id))
    return { data: { liked: true } }
  },
})

export const unlikePost = defineOperation({
  id: 'unlikePost',
  route: 'DELETE /2/users/{id}/likes/{post_id}',
  tag: 'Users',
  summary: 'Unlike a post',
  auth: { oauth1: true, oauth2 },
  limit,
  path: { id: UserId, post_id: PostId },
  reply: likedReply('UsersLikesDeleteResponse'),
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    const user = userOf(caller)
    if (!isStorableId(path.post_id)) return { data: { liked: false } }
    await change(runtime, async (tx, invalidate) => {
      for (const { post_id: postId } of await likeRemove.all(tx, user.id, path.post_id)) {
        invalidate('post_metrics', postId)
        invalidate('user_metrics', user.id)
        await emit(tx, runtime, { type: 'like.delete', actorId: user.id, postId, payload: {} })
      }
    })
    return { data: { liked: false } }
  },
})
