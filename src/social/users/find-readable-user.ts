import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource, resourceNotFound, userSuspended } from '../../api-kit/writing/partial-errors.ts'
import type { Problem, ProblemBody } from '../../api-kit/writing/problem.ts'
import { objectNotFound, onlyError } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { isOpenTo } from '../visibility.ts'
import { relation, type UserRow, userRow } from './user.parts.ts'

/** The user whose lists a request reads. If there is none, or they are suspended, the answer has only the partial error. */
export const findUserOfPath = (context: ReadContext, id: string): Promise<UserRow> =>
  findUser(context, id, 'id', onlyError)

/** The user whom a request acts on: 404 when there is none, or when they are suspended. */
export const findUserToActOn = (context: ReadContext, id: string, parameter: string): Promise<UserRow> =>
  findUser(context, id, parameter, objectNotFound)

async function findUser(
  context: ReadContext,
  id: string,
  parameter: string,
  refuse: (error: ProblemBody) => Problem,
): Promise<UserRow> {
  const row = isStorableId(id) ? await context.parts.one(userRow, id) : undefined
  if (!row) throw refuse(resourceNotFound('user', parameter, id))
  if (row.suspended) throw refuse(userSuspended(parameter, id))
  return row
}

/** The same for lists that only those see who may see the user's posts. Others get the partial error, without data. */
export async function findReadableUser(context: ReadContext, id: string): Promise<UserRow> {
  const row = await findUserOfPath(context, id)
  const viewer = context.caller?.user?.id
  if (viewer === id) return row
  const known = viewer === undefined ? undefined : await context.parts.one(relation, `${viewer}:${id}`)
  if (isOpenTo(row, known)) return row
  throw onlyError(notAuthorizedForResource('user', 'id', id, 'data'), 'the caller may not see this user’s posts')
}
