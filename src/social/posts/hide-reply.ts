import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { statement } from '../../storage/statement.ts'
import { PostId } from '../ids.ts'
import { findPostToActOn } from './find-visible-post.ts'
import { postRow } from './post.parts.ts'
import { versionsOf } from './post.statements.ts'

/** Hides or unhides all versions of a reply. Returns those that changed. */
const replyHide = statement(
  'post_reply_hide',
  { id: 'int8' },
  `update post set hidden = $2 where ${versionsOf('$1')} and hidden <> $2 returning id`,
)

export const hidePostsReply = defineOperation({
  id: 'hidePostsReply',
  route: 'PUT /2/posts/{post_id}/hidden',
  tag: 'Posts',
  summary: 'Hide or unhide a reply',
  auth: { oauth1: true, oauth2: ['post.moderate.write', 'post.read', 'users.read'] },
  limit: { user: '50/15m' },
  path: { post_id: PostId },
  body: component('PostHideRequest', closed({ hidden: Type.Boolean() })),
  reply: component(
    'PostHideResponse',
    Type.Object({ data: Type.Optional(Type.Object({ hidden: Type.Optional(Type.Boolean()) })) }),
  ),
  handle: async ({ path, body, caller, runtime, context }) => {
    const user = userOf(caller)
    const reply = await findPostToActOn(context, path.post_id, 'post_id')
    const root =
      reply.in_reply_to_post_id === null ? undefined : await runtime.parts.one(postRow, reply.conversation_id)
    if (root?.author_id !== user.id)
      throw forbidden(
        say`You are not allowed to hide this ${named('Post')}: only replies in a conversation that you started can be hidden.`,
        'the post is not a reply in one of the caller’s conversations',
      )
    await change(runtime, async (tx, invalidate) => {
      const changed = await replyHide.all(tx, reply.first_version_id, body.hidden)
      if (changed.length === 0) return
      invalidate('post', ...changed.map((version) => version.id))
      await emit(tx, runtime, {
        type: 'post.hide',
        actorId: user.id,
        targetId: reply.author_id,
        postId: reply.id,
        payload: { hidden: body.hidden },
      })
    })
    return { data: { hidden: body.hidden } }
  },
})
