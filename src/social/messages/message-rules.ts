import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { messagePairShare } from '../user-pair.ts'
import type { UserRow } from '../users/user.parts.ts'

const columns = {
  pair: 'text',
  followed_by: 'bool',
  blocks: 'bool',
  blocked_by: 'bool',
  blocks_messages: 'bool',
  messages_blocked_by: 'bool',
  written_by: 'bool',
} as const

/** What decides whether one user may write to another. */
export type MessageRelation = RowOf<typeof columns>

const relationsForMessages = statement(
  'message_relations_by_pair',
  columns,
  `select q.viewer || ':' || q.target as pair, coalesce(not g.pending, false) as followed_by,
          b.source_id is not null as blocks, c.source_id is not null as blocked_by,
          d.source_id is not null as blocks_messages, e.source_id is not null as messages_blocked_by,
          coalesce(p.has_written, false) as written_by
     from unnest($1::bigint[], $2::bigint[]) as q (viewer, target)
     left join follow g on g.source_id = q.target and g.target_id = q.viewer
     left join block b on b.source_id = q.viewer and b.target_id = q.target
     left join block c on c.source_id = q.target and c.target_id = q.viewer
     left join dm_block d on d.source_id = q.viewer and d.target_id = q.target
     left join dm_block e on e.source_id = q.target and e.target_id = q.viewer
     left join dm_participant p on p.user_id = q.target
      and p.conversation_id = least(q.viewer, q.target) || '-' || greatest(q.viewer, q.target)`,
)

/** The relation of one user to another as far as messages depend on it, keyed `viewer:target`. Invalidated as kind `relation`. */
export const messageRelation = definePart('relation', 'messages', async (db, pairs) => {
  const split = pairs.map((pair) => pair.split(':') as [string, string])
  const rows = await relationsForMessages.all(
    db,
    split.map(([viewer]) => viewer),
    split.map(([, target]) => target),
  )
  return keyedBy((row) => row.pair, rows)
})

type Receiver = Pick<UserRow, 'id' | 'receives_messages_from_everyone'>

/** Why a user may not write to another; undefined when they may. */
function refusalFor(found: MessageRelation, receiver: Receiver): { detail: string; reason: string } | undefined {
  if (found.pair === `${receiver.id}:${receiver.id}`)
    return { detail: 'You cannot send messages to yourself.', reason: 'the sender is the receiver' }
  if (found.blocks || found.blocks_messages) return BLOCKING
  if (found.blocked_by || found.messages_blocked_by) return BLOCKED
  const isWanted = receiver.receives_messages_from_everyone || found.followed_by || found.written_by
  return isWanted
    ? undefined
    : { detail: NOT_TAKEN, reason: 'the receiver takes messages only from users whom they follow or wrote to' }
}

// The same sentence for a block and for a setting: nobody learns of a block from it.
const NOT_TAKEN = 'You cannot send messages to this user.'
const BLOCKED = { detail: NOT_TAKEN, reason: 'the receiver blocks the sender' }
const BLOCKING = {
  detail: 'You cannot send messages to a user whom you block.',
  reason: 'the sender blocks the receiver',
}

/** Whether a user receives the messages of the viewer. The field `receives_your_dm` says what sending does. */
export const receivesMessages = (found: MessageRelation, receiver: Receiver): boolean =>
  refusalFor(found, receiver) === undefined

/** Refuses a sender who may not write to one of these users. */
export async function checkMayWrite(
  context: Pick<ReadContext, 'parts'>,
  senderId: string,
  receivers: readonly Receiver[],
): Promise<void> {
  const pairs = receivers.map(({ id }) => `${senderId}:${id}`)
  const relations = await context.parts.many(messageRelation, pairs)
  for (const [index, receiver] of receivers.entries()) {
    const refusal = refusalFor(relations.get(pairs[index]!)!, receiver)
    if (refusal) throw forbidden(refusal.detail, refusal.reason)
  }
}

const blocksBetween = statement(
  'message_blocks_between',
  { blocks: 'bool', blocked_by: 'bool' },
  `select exists (select from block where source_id = $1 and target_id = $2)
       or exists (select from dm_block where source_id = $1 and target_id = $2) as blocks,
          exists (select from block where source_id = $2 and target_id = $1)
       or exists (select from dm_block where source_id = $2 and target_id = $1) as blocked_by`,
)

/**
 * Refuses a message between users of whom one has blocked the other since it was checked: it may have waited for others of the
 * conversation. A later block waits until the transaction has stored the message.
 */
export async function checkNoBlock(tx: Tx, senderId: string, receiverId: string): Promise<void> {
  await messagePairShare.count(tx, senderId, receiverId)
  const found = (await blocksBetween.first(tx, senderId, receiverId))!
  const refusal = found.blocks ? BLOCKING : found.blocked_by ? BLOCKED : undefined
  if (refusal) throw forbidden(refusal.detail, refusal.reason)
}
