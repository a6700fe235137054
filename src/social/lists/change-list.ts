import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import type { Tx } from '../../storage/database.ts'
import { userPairLock } from '../user-pair.ts'
import { noSuchList } from './find-list.ts'
import {
  listAdd,
  listHold,
  listRemove,
  listUpdate,
  MOST_LISTS,
  MOST_MEMBERS,
  memberAdd,
  memberRemove,
  membersEnd,
  membersShift,
  usesEnd,
} from './list.statements.ts'

/** What can be changed of a list. Absent members stay. */
export interface ListChanges {
  name?: string
  description?: string
  private?: boolean
}

/** Makes a list. Two requests of one user at the same time cannot exceed the maximum. */
export async function createList(
  tx: Tx,
  runtime: Runtime,
  ownerId: string,
  given: ListChanges & { name: string },
): Promise<string> {
  await userPairLock.count(tx, [ownerId])
  const made = await listAdd.first(
    tx,
    runtime.ids.next(),
    ownerId,
    given.name,
    given.description ?? '',
    given.private ?? false,
    new Date(runtime.clock.now()),
  )
  if (!made) throw forbidden(`You cannot have more than ${MOST_LISTS} Lists.`, 'the user has as many lists as possible')
  return made.id
}

/** Changes a list. When it becomes private, others lose their follows and pins, because they no longer see it. */
export async function updateList(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  id: string,
  changes: ListChanges,
): Promise<void> {
  const before = await listHold.first(tx, id)
  if (!before) throw noSuchList('update', 'id', id)
  await listUpdate.count(tx, id, changes.name ?? null, changes.description ?? null, changes.private ?? null)
  invalidate('list', id)
  if (changes.private === undefined || changes.private === before.private) return
  const members = await membersShift.all(tx, id, changes.private, runtime.ids.next())
  invalidate('user_metrics', ...members.map((member) => member.user_id))
  if (changes.private) await usesEnd.count(tx, id, before.owner_id)
  invalidate('list_metrics', id)
}

/** Deletes a list with its memberships, follows and pins. */
export async function deleteList(tx: Tx, invalidate: Invalidate, runtime: Runtime, id: string): Promise<void> {
  if (!(await listHold.first(tx, id))) throw noSuchList('delete', 'id', id)
  const members = await membersEnd.all(tx, id, runtime.ids.next())
  await listRemove.count(tx, id)
  invalidate('user_metrics', ...members.map((member) => member.user_id))
  invalidate('list', id)
  invalidate('list_metrics', id)
}

/** Adds a user to a list. Who blocks the owner, or is blocked by them, cannot be added. */
export async function addMember(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  listId: string,
  userId: string,
): Promise<void> {
  const held = await listHold.first(tx, listId)
  if (!held) throw noSuchList('add', 'id', listId)
  await userPairLock.count(tx, [held.owner_id, userId])
  const state = await memberAdd.first(tx, listId, userId, runtime.ids.next(), held.owner_id, held.private)
  if (state?.blocked)
    throw forbidden('You are not allowed to add this user to a List.', 'the owner or the user blocks the other')
  if (state?.is_full) throw forbidden(`A List cannot have more than ${MOST_MEMBERS} members.`, 'the list is full')
  if (state?.is_made && !held.private && held.owner_id !== userId)
    await emit(tx, runtime, {
      type: 'list.add',
      actorId: held.owner_id,
      targetId: userId,
      payload: { list_id: listId },
    })
  invalidate('list_metrics', listId)
  invalidate('user_metrics', userId)
}

export async function removeMember(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  listId: string,
  userId: string,
): Promise<void> {
  if (!(await listHold.first(tx, listId))) throw noSuchList('remove', 'id', listId)
  if (!(await memberRemove.first(tx, listId, userId, runtime.ids.next()))) return
  invalidate('list_metrics', listId)
  invalidate('user_metrics', userId)
}
