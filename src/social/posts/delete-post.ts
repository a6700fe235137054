import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, objectNotFound } from '../../api-kit/writing/problems.ts'
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
  handle: async ({ path, caller, runtime }) => {
    const row = isStorableId(path.id) ? await runtime.parts.one(postRow, path.id) : undefined
    if (!row) throw objectNotFound(resourceNotFound('post', 'id', path.id))
    if (row.author_id !== userOf(caller).id)
      throw forbidden(say`You are not authorized to delete this ${named('Post')}.`, 'the post belongs to another user')
    if (!(await removePost(runtime, row))) throw objectNotFound(resourceNotFound('post', 'id', path.id))
    return { data: { deleted: true } }
  },
})
