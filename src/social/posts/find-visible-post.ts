import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import type { Problem, ProblemBody, Sentence } from '../../api-kit/writing/problem.ts'
import { forbidden, objectNotFound, onlyError } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { type PostRow, postRow } from './post.parts.ts'

const REASON = 'the caller may not see the post'

/** How a post that does not exist, or that the caller may not see, is refused. */
interface Refusals {
  missing: (error: ProblemBody) => Problem
  hidden: (error: ProblemBody) => Problem
}

/** The post whose lists a request reads. If the caller may not see it, or there is none, the answer has only the partial error. */
export const findVisiblePost = (context: ReadContext, id: string, parameter: string): Promise<PostRow> =>
  findPost(context, id, parameter, { missing: onlyError, hidden: (error) => onlyError(error, REASON) })

/** The post that the caller acts on: 404 when there is none, 403 when they may not see it, since nothing was done. */
export const findPostToActOn = (context: ReadContext, id: string, parameter: string): Promise<PostRow> =>
  findPost(context, id, parameter, {
    missing: objectNotFound,
    hidden: (error) => forbidden(error.detail as Sentence, REASON),
  })

async function findPost(context: ReadContext, id: string, parameter: string, refuse: Refusals): Promise<PostRow> {
  const row = isStorableId(id) ? await context.parts.one(postRow, id) : undefined
  if (!row) throw refuse.missing(resourceNotFound('post', parameter, id))
  const [refusal] = await judgePosts(context, [authorsOf(row)])
  if (!refusal) return row
  throw refuse.hidden(refusal({ parameter, value: id, section: 'data' }))
}
