import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { requestedId } from '../../api-kit/reading/read-objects.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerList, answerOne } from '../../api-kit/writing/answer-objects.ts'
import { PostId } from '../ids.ts'
import { post } from './post.object.ts'

const auth = { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] }

export const getPostsByIds = defineOperation({
  id: 'getPostsByIds',
  route: 'GET /2/posts',
  tag: 'Posts',
  summary: 'Look up posts by their ids',
  auth,
  limit: { app: '3500/15m', user: '5000/15m' },
  query: { ids: csv(PostId, { max: 100 }), ...selects(() => post) },
  reply: listReply('Get2PostsResponse', post),
  handle: ({ query, context }) => answerList(context, query.ids.map(requestedId), query.selection, 'ids'),
})

export const getPostsById = defineOperation({
  id: 'getPostsById',
  route: 'GET /2/posts/{id}',
  tag: 'Posts',
  summary: 'Look up a post by id',
  auth,
  limit: { app: '450/15m', user: '900/15m' },
  path: { id: PostId },
  query: selects(() => post),
  reply: singleReply('Get2PostsIdResponse', post),
  handle: ({ path, query, context }) => answerOne(context, requestedId(path.id), query.selection, 'id'),
})
