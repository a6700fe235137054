import type { Invalidate } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { conversationLock, memberRemove } from './conversation.statements.ts'

/** Takes a member out of a group. The interface has no operation for this; the group needs a new key afterwards. */
export async function removeFromChat(
  tx: Tx,
  invalidate: Invalidate,
  conversationId: string,
  userId: string,
): Promise<{ conversation_id: string; removed_user_id: string }> {
  const id = /^g([0-9]{1,19})$/.exec(conversationId)?.[1]
  const group = id !== undefined && isStorableId(id) ? await conversationLock.first(tx, id) : undefined
  const gone = group && (await memberRemove.first(tx, group.id, userId))
  if (!gone) throw blank(404, `The user is not a member of the group [${conversationId}].`)
  invalidate('chat_conversation', group.id)
  return { conversation_id: conversationId, removed_user_id: userId }
}
