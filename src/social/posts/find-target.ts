import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { type PostRow, postRow } from './post.parts.ts'

/** The post that a draft refers to. One that does not exist or that the caller may not see makes the parameter invalid. */
export async function findTarget(
  context: ReadContext,
  id: string | undefined,
  parameter: string,
): Promise<PostRow | undefined> {
  if (id === undefined) return undefined
  const row = isStorableId(id) ? await context.parts.one(postRow, id) : undefined
  const [refusal] = row ? await judgePosts(context, [authorsOf(row)]) : []
  if (row && !refusal) return row
  throw invalidParameter(parameter, id, say`There is no ${named('post')} [${id}] that you can see.`)
}
