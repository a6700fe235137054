import { defineOperation, userOf } from '../../api-kit/operation.ts'
import { named, say } from '../../api-kit/problem.ts'
import { forbidden, notFoundAnswer, resourceNotFound } from '../../api-kit/problems.ts'
import { ErrorsSchema } from '../../api-kit/reply.ts'
import { component, Type } from '../../api-kit/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { PostId } from '../ids.ts'
import { postRow } from './post.parts.ts'
import { removePost } from './remove-post.ts'

export const deletePosts = defineOperation({
  id: 'deletePosts',
  route: 'DELETE /2/posts/{id}',
  tag: 'Posts',
  summary: 'Delete a post with all its versions',
  auth: { oauth1: true, oauth2: ['post.read', 'post.write', 'users.read'] },
  limit: { user: '50/15m' },
  path: { id: PostId },
  reply: component(
    'PostDeleteResponse',
    Type.Object({ data: Type.Optional(Type.Object({ deleted: Type.Boolean() })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, house }) => {
    const row = isStorableId(path.id) ? await house.parts.one(postRow, path.id) : undefined
    if (!row) throw notFoundAnswer(resourceNotFound('post', 'id', path.id))
    if (row.author_id !== userOf(caller).id)
      throw forbidden(say`You are not authorized to delete this ${named('Post')}.`, 'the post is of another user')
    if (!(await removePost(house, row))) throw notFoundAnswer(resourceNotFound('post', 'id', path.id))
    return { data: { deleted: true } }
  },
})
