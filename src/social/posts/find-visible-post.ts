import type { ReadContext } from '../../api-kit/object.ts'
import { Problem } from '../../api-kit/problem.ts'
import { notFoundAnswer, resourceNotFound } from '../../api-kit/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { type PostRow, postRow } from './post.parts.ts'
import { authorsOf, judgePosts } from './visibility.ts'

/** The post that a path or body names: 404 when there is none, the partial error alone when the caller may not see it. */
export async function findVisiblePost(context: ReadContext, id: string, parameter: string): Promise<PostRow> {
  const row = isStorableId(id) ? await context.parts.one(postRow, id) : undefined
  if (!row) throw notFoundAnswer(resourceNotFound('post', parameter, id))
  const [refusal] = await judgePosts(context, [authorsOf(row)])
  if (!refusal) return row
  const error = refusal({ parameter, value: id, section: 'data' })
  throw new Problem(
    200,
    { errors: [error] },
    { contentType: 'application/json; charset=utf-8', reason: 'the caller may not see the post' },
  )
}
