import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { PageMeta, pages, readKeyedPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { PostId, UserId } from '../ids.ts'
import { findVisiblePost } from '../posts/find-visible-post.ts'
import { post } from '../posts/post.object.ts'
import { findReadableUser } from '../users/find-readable-user.ts'
import { user } from '../users/user.object.ts'
import { withVisiblePosts } from '../visibility.ts'
import { likedPosts, likers } from './like.statements.ts'

const auth = { oauth1: true, oauth2: ['like.read', 'post.read', 'users.read'] }
const limit = { app: '75/15m', user: '75/15m' }

export const getPostsLikingUsers = defineOperation({
  id: 'getPostsLikingUsers',
  route: 'GET /2/posts/{id}/liking_users',
  tag: 'Posts',
  summary: 'List the users who liked a post',
  auth,
  limit,
  path: { id: PostId },
  query: { ...pages({ min: 1, max: 100, initial: 100, token: 'base36' }), ...selects(() => user) },
  reply: listReply('Get2PostsIdLikingUsersResponse', user, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const liked = await findVisiblePost(context, path.id, 'id')
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, likers, liked.id)
    return answerPage(context, await withVisiblePosts(context, ids), query.selection, meta)
  },
})

export const getUsersLikedPosts = defineOperation({
  id: 'getUsersLikedPosts',
  route: 'GET /2/users/{id}/liked_posts',
  tag: 'Users',
  summary: 'List the posts that a user liked',
  auth,
  limit,
  path: { id: UserId },
  query: { ...pages({ min: 5, max: 100, initial: 100, token: 'base36', shown: false }), ...selects(() => post) },
  reply: listReply('Get2UsersIdLikedPostsResponse', post, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const owner = await findReadableUser(context, path.id)
    return answerKeyedPage(context, runtime, query, likedPosts, owner.id)
  },
})
