import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource, resourceNotFound, userSuspended } from '../../api-kit/writing/partial-errors.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { notFoundAnswer } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { isOpenTo } from '../visibility.ts'
import { relation, userRow } from './user.parts.ts'

/** The user whose lists a request reads: 404 when there is none, or when they are suspended. */
export async function findUserOfPath(context: ReadContext, id: string, parameter = 'id') {
  const row = isStorableId(id) ? await context.parts.one(userRow, id) : undefined
  if (!row) throw notFoundAnswer(resourceNotFound('user', parameter, id))
  if (row.suspended) throw notFoundAnswer(userSuspended(parameter, id))
  return row
}

/** The same for lists that only those see who may see the user's posts. Others get the partial error, without data. */
export async function findReadableUser(context: ReadContext, id: string, parameter = 'id') {
  const row = await findUserOfPath(context, id, parameter)
  const viewer = context.caller?.user?.id
  if (viewer === id) return row
  const known = viewer === undefined ? undefined : await context.parts.one(relation, `${viewer}:${id}`)
  if (isOpenTo(row, known)) return row
  const error = notAuthorizedForResource('user', parameter, id, 'data')
  throw new Problem(
    200,
    { errors: [error] },
    { contentType: 'application/json; charset=utf-8', reason: 'the caller may not see this user’s posts' },
  )
}
