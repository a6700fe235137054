import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { change } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, objectNotFound } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { isStorableId } from '../../process/ids.ts'
import { isInClosedCommunity } from '../communities/closed-communities.ts'
import { PostId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import { type PostRow, postRow } from '../posts/post.parts.ts'
import { removePost } from '../posts/remove-post.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { userRow } from '../users/user.parts.ts'
import { repostAdd, repostFind } from './repost.statements.ts'
import { repostTerms } from './repost-terms.ts'
import { repostText } from './repost-text.ts'

const auth = { oauth1: true, oauth2: ['post.read', 'post.write', 'users.read'] }
const limit = { user: '50/15m' }

const optional = Type.Optional

export const repostPost = defineOperation({
  id: 'repostPost',
  route: 'POST /2/users/{id}/reposts',
  tag: 'Users',
  summary: 'Repost a post',
  auth,
  limit,
  path: { id: UserId },
  body: component('UsersRepostsCreateRequest', closed({ post_id: PostId })),
  reply: component(
    'UsersRepostsCreateResponse',
    Type.Object({
      data: optional(Type.Object({ id: optional(PostId), reposted: optional(Type.Boolean()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const user = userOf(caller)
    const original = await findOriginal(context, body.post_id)
    const author = (await runtime.parts.one(userRow, original.author_id))!
    if (author.protected && author.id !== user.id)
      throw forbidden(
        say`You are not allowed to repost this ${named('Post')}: its author is protected.`,
        'the author of the post is protected',
      )
    if (await isInClosedCommunity(runtime, original))
      throw forbidden(
        say`You are not allowed to repost this ${named('Post')}: it is in a closed community.`,
        'the post is in a closed community',
      )
    const written = repostText({ text: original.text, entities: original.entities as WireEntities | null }, author)
    const id = runtime.ids.next()
    const stored = await change(runtime, async (tx, invalidate) => {
      const repost = await repostAdd.first(
        tx,
        id,
        user.id,
        original.id,
        written.text,
        JSON.stringify(written.entities),
        written.length,
        written.mentionedIds,
        caller.app.id,
        caller.app.name,
        repostTerms(original, author),
      )
      if (!repost?.made) return repost
      invalidate('post_metrics', original.id)
      invalidate('user_metrics', user.id)
      await emit(tx, runtime, {
        type: 'repost.create',
        actorId: user.id,
        targetId: original.author_id,
        postId: original.id,
        payload: { repost_id: repost.id },
      })
      return repost
    })
    if (!stored) throw objectNotFound(resourceNotFound('post', 'post_id', body.post_id))
    return { data: { id: stored.id, reposted: true } }
  },
})

/** The post itself, or the original of a repost. */
async function findOriginal(context: ReadContext, id: string): Promise<PostRow> {
  const found = await findPostToActOn(context, id, 'post_id')
  return found.reposted_post_id === null ? found : findPostToActOn(context, found.reposted_post_id, 'post_id')
}

export const unrepostPost = defineOperation({
  id: 'unrepostPost',
  route: 'DELETE /2/users/{id}/reposts/{source_post_id}',
  tag: 'Users',
  summary: 'Undo a repost',
  auth,
  limit,
  path: { id: UserId, source_post_id: PostId },
  reply: component(
    'UsersRepostsDeleteResponse',
    Type.Object({ data: optional(Type.Object({ reposted: optional(Type.Boolean()) })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    const found = isStorableId(path.source_post_id)
      ? await repostFind.first(runtime.database, path.source_post_id, userOf(caller).id)
      : undefined
    const repost = found && (await runtime.parts.one(postRow, found.id))
    if (repost) await removePost(runtime, repost)
    return { data: { reposted: false } }
  },
})
