import type { Operation } from '../api-kit/declaring/operation.ts'
import type { CallInput } from '../api-kit/serving/call-operation.ts'
import { blockUsers, unblockUsers } from '../social/blocks/block-users.ts'
import { createUsersBookmark, deleteUsersBookmark } from '../social/bookmarks/bookmark-posts.ts'
import { followUser, unfollowUser } from '../social/follows/follow-users.ts'
import { likePost, unlikePost } from '../social/likes/like-posts.ts'
import { muteUser, unmuteUser } from '../social/mutes/mute-users.ts'
import { deletePosts } from '../social/posts/delete-post.ts'
import { repostPost, unrepostPost } from '../social/reposts/repost-posts.ts'
import { defineAction } from './define-page.ts'

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

/** The buttons of posts and users. Each calls one operation. */
export const buttonActions = BUTTONS.map(({ name, operation, input }) =>
  defineAction(`${name}Action`, `POST /i/actions/${name}`, async (page) => {
    const answer = await page.need(
      operation,
      input(page.viewer.id, (field) => page.form.get(field) ?? ''),
    )
    const isGone = name === 'delete' && page.form.get('return_to')?.includes(`/status/${page.form.get('post_id')}`)
    // The page of a deleted post is gone too.
    return { data: { data: answer.data ?? null }, ...(isGone ? { to: '/home' } : {}) }
  }),
)
