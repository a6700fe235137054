import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import { conversationLock, conversationOf, directOf, groupOf, type OwnConversation } from './conversation.statements.ts'
import { type ConversationName, readConversationId } from './conversation-id.ts'

/** Outsiders do not learn whether a conversation exists. */
export const noConversation = (id: string) =>
  blank(404, `The conversation [${id}] does not exist, or the caller is not a member of it.`)

/** What the id of a request names; 404 when it names nothing that the caller could be part of. */
export function nameOf(id: string, callerId: string): ConversationName {
  const name = readConversationId(id, callerId)
  if (!name) throw noConversation(id)
  return name
}

/** A conversation of which a user is a member; undefined when there is none. */
export const lookUp = (db: Db, name: ConversationName, userId: string): Promise<OwnConversation | undefined> =>
  'group' in name ? groupOf.first(db, name.group, userId) : directOf.first(db, name.pair.low, name.pair.high, userId)

/** The caller's conversation with an id in any of its forms; 404 for others. */
export async function findConversation(runtime: Runtime, id: string, callerId: string): Promise<OwnConversation> {
  const found = await lookUp(runtime.database, nameOf(id, callerId), callerId)
  if (!found) throw noConversation(id)
  return found
}

/** The same, locked until the end of the transaction. */
export async function lockConversation(
  tx: Db,
  conversation: Pick<OwnConversation, 'id'>,
  id: string,
  callerId: string,
): Promise<OwnConversation> {
  await conversationLock.first(tx, conversation.id)
  // Read after the lock: a statement that waits for it still sees the members of before.
  const locked = await conversationOf.first(tx, conversation.id, callerId)
  if (!locked) throw noConversation(id)
  return locked
}
