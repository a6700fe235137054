import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource, resourceNotFound, userSuspended } from '../../api-kit/writing/partial-errors.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { notFoundAnswer } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { relation, userRow } from './user.parts.ts'

/** The user whose lists are asked for: 404 when there is none or they are suspended. */
export async function findUserOfPath(context: ReadContext, id: string, parameter = 'id') {
  const row = isStorableId(id) ? await context.parts.one(userRow, id) : undefined
  if (!row) throw notFoundAnswer(resourceNotFound('user', parameter, id))
  if (row.suspended) throw notFoundAnswer(userSuspended(parameter, id))
  return row
}

/** The same where what is listed is theirs alone to show: a stranger gets the refusal that names the user. */
export async function findReadableUser(context: ReadContext, id: string, parameter = 'id') {
  const row = await findUserOfPath(context, id, parameter)
  const viewer = context.caller?.user?.id
  if (viewer === id) return row
  const known = viewer === undefined ? undefined : await context.parts.one(relation, `${viewer}:${id}`)
  if (!known?.blocks && !known?.blocked_by && (!row.protected || known?.follows)) return row
  const error = notAuthorizedForResource('user', parameter, id, 'data')
  throw new Problem(
    200,
    { errors: [error] },
    { contentType: 'application/json; charset=utf-8', reason: 'the caller may not see this user’s posts' },
  )
}
