import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, fixedName, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { blank, forbidden } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { preparePost } from '../posts/create-post.ts'
import { articleHold, articlePublished } from './article.statements.ts'
import { ArticleId } from './create-draft.ts'

const PAGE = '/i/articles'

export const articlePublish = defineOperation({
  id: 'articlePublish',
  route: 'POST /2/articles/{article_id}/publish',
  tag: 'Articles',
  summary: 'Publish a draft as a post that links to the article',
  auth: { oauth1: true, oauth2: ['post.write'] },
  path: { article_id: ArticleId },
  reply: component(
    'ArticlePublishResponse',
    Type.Object({
      data: Type.Optional(Type.Object({ post_id: fixedName(Type.String()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, caller, runtime, context }) => {
    const { article_id: id } = path
    const body = { text: `${runtime.baseUrl}${PAGE}/${id}` }
    const post = await preparePost({ body, caller, runtime, context })
    await change(runtime, async (tx, invalidate) => {
      const article = isStorableId(id) ? await articleHold.first(tx, id, userOf(caller).id) : undefined
      // Another user's draft looks like one that does not exist.
      if (!article) throw blank(404, `Could not find article with article_id: [${id}].`)
      if (article.post_id !== null) throw forbidden('This article has been published already.')
      if (!(await post.store(tx, invalidate))) throw forbidden('This article has been published already.')
      await articlePublished.count(tx, id, post.id)
      // Those who may see the post may see them now.
      invalidate('media', ...article.media_keys)
    })
    runtime.bus.wake('outbox')
    return { data: { post_id: post.id } }
  },
})
