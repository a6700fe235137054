import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { isStorableId } from '../../process/ids.ts'
import { checkMayWrite, messageRelation, receivesMessages } from '../messages/message-rules.ts'
import { findUserToActOn } from '../users/find-readable-user.ts'
import { userRow } from '../users/user.parts.ts'

/** The users among `ids` to whom a user may write, by the rules of direct messages; the user themselves is one of them. */
export async function reachableUsers(
  context: ReadContext,
  senderId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const users = await context.parts.many(userRow, ids.filter(isStorableId))
  const others = [...users.values()].filter((user) => user.id !== senderId && !user.suspended)
  const relations = await context.parts.many(
    messageRelation,
    others.map((user) => `${senderId}:${user.id}`),
  )
  const reachable = others.filter((user) => receivesMessages(relations.get(`${senderId}:${user.id}`)!, user))
  return new Set([...reachable.map((user) => user.id), ...(users.has(senderId) ? [senderId] : [])])
}

/** Refuses a message to a user who is gone or does not take it. Who has answered takes messages whatever the settings say. */
export async function checkRecipient(
  context: ReadContext,
  senderId: string,
  recipientId: string,
  options: { hasAccepted: boolean },
): Promise<void> {
  if (recipientId === senderId) return
  const user = await findUserToActOn(context, recipientId, 'id')
  const receives = options.hasAccepted || user.receives_messages_from_everyone
  await checkMayWrite(context, senderId, [{ id: user.id, receives_messages_from_everyone: receives }])
}
