import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { Type, words } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages, readPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { PostId } from '../ids.ts'
import { findVisiblePost } from '../posts/find-visible-post.ts'
import { post } from '../posts/post.object.ts'
import { quotes } from './repost.statements.ts'

const { next_token, result_count } = PageMeta.properties

export const getPostsQuotedPosts = defineOperation({
  id: 'getPostsQuotedPosts',
  route: 'GET /2/posts/{id}/quote_posts',
  tag: 'Posts',
  summary: 'List the posts that quote a post',
  auth: { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '75/15m', user: '75/15m' },
  path: { id: PostId },
  query: {
    ...pages({ min: 10, max: 100, initial: 10, token: 'base36' }),
    exclude: csv(words(['replies', 'reposts']), { required: false, unique: true }),
    ...selects(() => post),
  },
  reply: listReply('Get2PostsIdQuotePostsResponse', post, Type.Object({ next_token, result_count })),
  handle: async ({ path, query, context, runtime }) => {
    const quoted = await findVisiblePost(context, path.id, 'id')
    const without = (kind: 'replies' | 'reposts') => query.exclude.includes(kind)
    const { items, meta } = await readPage(
      query.page,
      ({ direction, key, limit }) =>
        quotes[direction].all(runtime.database, quoted.id, key, limit, without('replies'), without('reposts')),
      (item) => item.key,
    )
    // This list has no previous_token.
    const { previous_token: _back, ...onward } = meta
    return answerPage(
      context,
      items.map((item) => item.id),
      query.selection,
      onward,
    )
  },
})
