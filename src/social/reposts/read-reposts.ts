import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { PageMeta, pages, readKeyedPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { PostId } from '../ids.ts'
import { findVisiblePost } from '../posts/find-visible-post.ts'
import { post } from '../posts/post.object.ts'
import { user } from '../users/user.object.ts'
import { withVisiblePosts } from '../visibility.ts'
import { repostedPosts, reposters, reposts } from './repost.statements.ts'

const auth = { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] }
const limit = { app: '75/15m', user: '75/15m' }
const page = pages({ min: 1, max: 100, initial: 100, token: 'base36' })

export const getPostsRepostedBy = defineOperation({
  id: 'getPostsRepostedBy',
  route: 'GET /2/posts/{id}/reposted_by',
  tag: 'Posts',
  summary: 'List the users who reposted a post',
  auth,
  limit,
  path: { id: PostId },
  query: { ...page, ...selects(() => user) },
  reply: listReply('Get2PostsIdRepostedByResponse', user, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const source = await findVisiblePost(context, path.id, 'id')
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, reposters, source.id)
    return answerPage(context, await withVisiblePosts(context, ids), query.selection, meta)
  },
})

export const getPostsReposts = defineOperation({
  id: 'getPostsReposts',
  route: 'GET /2/posts/{id}/reposts',
  tag: 'Posts',
  summary: 'List the reposts of a post',
  auth,
  limit,
  path: { id: PostId },
  query: { ...page, ...selects(() => post) },
  reply: listReply('Get2PostsIdRepostsResponse', post, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const source = await findVisiblePost(context, path.id, 'id')
    return answerKeyedPage(context, runtime, query, reposts, source.id)
  },
})

export const getUsersRepostsOfMe = defineOperation({
  id: 'getUsersRepostsOfMe',
  route: 'GET /2/users/reposts_of_me',
  tag: 'Users',
  summary: 'List the caller’s own posts that were reposted',
  auth: { oauth1: true, oauth2: ['timeline.read', 'post.read'] },
  limit: { user: '75/15m' },
  query: { ...page, ...selects(() => post) },
  reply: listReply('Get2UsersRepostsOfMeResponse', post, PageMeta),
  handle: async ({ query, caller, context, runtime }) => {
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, repostedPosts, userOf(caller).id)
    return answerPage(context, ids, query.selection, meta)
  },
})
