import type { Caller } from '../../api-kit/declaring/caller.ts'
import { userOf } from '../../api-kit/declaring/operation.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import type { Problem } from '../../api-kit/writing/problem.ts'
import { forbidden, invalidParameter, onlyError } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { judgeLists } from './list.object.ts'
import { type ListRow, listRow } from './list.parts.ts'

/** What can be done with a list: as in "cannot ... a List that does not exist", and as in "not allowed to ... this List". */
const ACTIONS = {
  update: ['update a List', 'update this List'],
  delete: ['delete a List', 'delete this List'],
  add: ['add a member to a List', 'add members to this List'],
  remove: ['delete a member from a List', 'delete members from this List'],
  follow: ['follow a List', 'follow this List'],
  pin: ['pin a List', 'pin this List'],
} as const
export type ListAction = keyof typeof ACTIONS

/** 400: there is no such list, or it is another user's private list. */
export const noSuchList = (action: ListAction, parameter: string, id: string): Problem =>
  invalidParameter(parameter, id, `You cannot ${ACTIONS[action][0]} that does not exist.`)

/** 403: the caller may not do this with the list. */
export const notAllowed = (action: ListAction, reason: string): Problem =>
  forbidden(`You are not allowed to ${ACTIONS[action][1]}.`, reason)

const findList = (context: ReadContext, id: string): Promise<ListRow | undefined> =>
  isStorableId(id) ? context.parts.one(listRow, id) : Promise.resolve(undefined)

/** The list that a request reads. If there is none, or the caller may not see it, the answer has only the partial error. */
export async function findReadableList(context: ReadContext, id: string): Promise<ListRow> {
  const row = await findList(context, id)
  if (!row) throw onlyError(resourceNotFound('list', 'id', id))
  const [refusal] = await judgeLists(context, [row])
  if (!refusal) return row
  throw onlyError(refusal({ parameter: 'id', value: id, section: 'data' }), 'the caller may not see the list')
}

/** The list that the caller changes, which must be their own. */
export async function findOwnList(
  context: ReadContext,
  caller: Caller,
  id: string,
  action: 'update' | 'delete' | 'add' | 'remove',
): Promise<ListRow> {
  const row = await findList(context, id)
  const isOwner = row?.owner_id === userOf(caller).id
  if (!row || (row.private && !isOwner)) throw noSuchList(action, 'id', id)
  if (!isOwner) throw notAllowed(action, 'the caller is not the owner')
  return row
}

/** The list that the caller follows or pins, which they must be able to see. */
export async function findListToUse(context: ReadContext, id: string, action: 'follow' | 'pin'): Promise<ListRow> {
  const row = await findList(context, id)
  if (!row || (row.private && row.owner_id !== context.caller?.user?.id)) throw noSuchList(action, 'list_id', id)
  const [refusal] = await judgeLists(context, [row])
  if (refusal) throw notAllowed(action, 'the caller may not see the list')
  return row
}

/** Which of these lists the caller may use in a query. */
export async function usableLists(context: ReadContext, ids: readonly string[]): Promise<Set<string>> {
  const rows = [...(await context.parts.many(listRow, ids.filter(isStorableId))).values()]
  const verdicts = await judgeLists(context, rows)
  return new Set(rows.filter((_row, index) => verdicts[index] === undefined).map((row) => row.id))
}
