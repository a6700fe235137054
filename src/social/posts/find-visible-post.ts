import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { Problem, type ProblemBody, type Sentence } from '../../api-kit/writing/problem.ts'
import { forbidden, notFoundAnswer } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { type PostRow, postRow } from './post.parts.ts'

const REASON = 'the caller may not see the post'

/** The post that a path names: 404 when there is none, only a partial error when the caller may not see it. */
export const findVisiblePost = (context: ReadContext, id: string, parameter: string): Promise<PostRow> =>
  findPost(
    context,
    id,
    parameter,
    (error) =>
      new Problem(200, { errors: [error] }, { contentType: 'application/json; charset=utf-8', reason: REASON }),
  )

/** The post that the caller acts on: 403 when they may not see it, since nothing was done. */
export const findPostToActOn = (context: ReadContext, id: string, parameter: string): Promise<PostRow> =>
  findPost(context, id, parameter, (error) => forbidden(error.detail as Sentence, REASON))

async function findPost(
  context: ReadContext,
  id: string,
  parameter: string,
  refuse: (error: ProblemBody) => Problem,
): Promise<PostRow> {
  const row = isStorableId(id) ? await context.parts.one(postRow, id) : undefined
  if (!row) throw notFoundAnswer(resourceNotFound('post', parameter, id))
  const [refusal] = await judgePosts(context, [authorsOf(row)])
  if (!refusal) return row
  throw refuse(refusal({ parameter, value: id, section: 'data' }))
}
