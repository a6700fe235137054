import type { Endpoint } from '../api-kit/declaring/endpoint.ts'
import type { Operation } from '../api-kit/declaring/operation.ts'
import { neutral } from '../api-kit/naming/naming.ts'
import { readContext } from '../api-kit/reading/read-context.ts'
import type { CallInput } from '../api-kit/serving/call-operation.ts'
import { blockUsers, unblockUsers } from '../social/blocks/block-users.ts'
import { createUsersBookmark, deleteUsersBookmark } from '../social/bookmarks/bookmark-posts.ts'
import { followUser, unfollowUser } from '../social/follows/follow-users.ts'
import { likePost, unlikePost } from '../social/likes/like-posts.ts'
import { muteUser, unmuteUser } from '../social/mutes/mute-users.ts'
import { voteInPoll } from '../social/polls/vote.ts'
import { deletePosts } from '../social/posts/delete-post.ts'
import { getPostsById } from '../social/posts/read-posts.ts'
import { repostPost, unrepostPost } from '../social/reposts/repost-posts.ts'
import { isAct, recordAct } from './ads/record-acts.ts'
import { defineAction } from './define-page.ts'
import { ownCaller } from './own-app.ts'
import { pollOf } from './parts/poll.ts'
import { readExtras } from './parts/post-extras.ts'
import { joinPosts, POST_FIELDS, type PostData, type PostsAnswer } from './parts/views.ts'

/** What a button does: the operation, and its input from the viewer's id and the fields of the form. */
interface ButtonAction {
  name: string
  operation: Operation
  input(viewer: string, field: (name: string) => string): CallInput
}

const BUTTONS: readonly ButtonAction[] = [
  { name: 'like', operation: likePost, input: (id, field) => ({ path: { id }, body: { post_id: field('post_id') } }) },
  { name: 'unlike', operation: unlikePost, input: (id, field) => ({ path: { id, post_id: field('post_id') } }) },
  {
    name: 'repost',
    operation: repostPost,
    input: (id, field) => ({ path: { id }, body: { post_id: field('post_id') } }),
  },
  {
    name: 'unrepost',
    operation: unrepostPost,
    input: (id, field) => ({ path: { id, source_post_id: field('post_id') } }),
  },
  {
    name: 'bookmark',
    operation: createUsersBookmark,
    input: (id, field) => ({ path: { id }, body: { post_id: field('post_id') } }),
  },
  {
    name: 'unbookmark',
    operation: deleteUsersBookmark,
    input: (id, field) => ({ path: { id, post_id: field('post_id') } }),
  },
  { name: 'delete', operation: deletePosts, input: (_id, field) => ({ path: { id: field('post_id') } }) },
  ...relation('follow', followUser, unfollowUser),
  ...relation('mute', muteUser, unmuteUser),
  ...relation('block', blockUsers, unblockUsers),
]

/** The two buttons of a relation to another user. */
function relation(name: string, begin: Operation, end: Operation): ButtonAction[] {
  return [
    { name, operation: begin, input: (id, field) => ({ path: { id }, body: { target_user_id: field('user_id') } }) },
    {
      name: `un${name}`,
      operation: end,
      input: (id, field) => ({ path: { source_user_id: id, target_user_id: field('user_id') } }),
    },
  ]
}

/** The vote in a poll. The script of the page shows the results in its place. */
const voteAction = defineAction('voteAction', 'POST /i/actions/vote', async (page) => {
  const { runtime, viewer, form } = page
  const postId = form.get('post_id') ?? ''
  const context = readContext(runtime, ownCaller(viewer), neutral)
  await voteInPoll(runtime, context, viewer.id, { postId, position: Number(form.get('option')) })
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, { path: { id: postId }, query: POST_FIELDS })
  const [post] = joinPosts(answer.data ? [answer.data] : [], answer.includes)
  if (!post?.poll) return undefined
  await readExtras(page, [post])
  return { data: { html: pollOf(page, post, post.poll).text } }
})

/** The buttons of posts and users. Each calls one operation. */
export const buttonActions: readonly Endpoint[] = [
  voteAction,
  ...BUTTONS.map(({ name, operation, input }) =>
    defineAction(`${name}Action`, `POST /i/actions/${name}`, async (page) => {
      const answer = await page.need(
        operation,
        input(page.viewer.id, (field) => page.form.get(field) ?? ''),
      )
      if (isAct(name))
        await recordAct(
          page,
          name,
          name === 'follow' ? { userId: page.form.get('user_id') } : { postId: page.form.get('post_id') },
        )
      const isGone = name === 'delete' && page.form.get('return_to')?.includes(`/status/${page.form.get('post_id')}`)
      // The page of a deleted post is gone too.
      return { data: { data: answer.data ?? null }, ...(isGone ? { to: '/home' } : {}) }
    }),
  ),
]
