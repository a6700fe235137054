import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { conflict } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import type { OwnConversation } from './conversation.statements.ts'
import { type EventRow, eventsAdd, eventsByMessage } from './event.statements.ts'

/** An event that a client sent. */
export interface NewChatEvent {
  /** The client's id of it. */
  messageId: string
  kind: 'message' | 'key_change' | 'group_create' | 'member_add' | 'message_delete'
  keyVersion: string | null
  signerVersion: string
  detail: Buffer
  signature: Buffer
}

/**
 * Stores events at the end of a locked conversation and returns their sequences. They grow within a conversation whatever clocks do,
 * and each event names the one before it.
 */
export async function appendEvents(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  conversation: Pick<OwnConversation, 'id' | 'last_sequence'>,
  senderId: string,
  events: readonly NewChatEvent[],
  options: { expiresAt?: Date } = {},
): Promise<string[]> {
  const previous: string[] = []
  const sequences: string[] = []
  let last = BigInt(conversation.last_sequence)
  for (const _event of events) {
    previous.push(last.toString())
    const made = BigInt(runtime.ids.next())
    last = made > last ? made : last + 1n
    sequences.push(last.toString())
  }
  invalidate('chat_conversation', conversation.id)
  await eventsAdd.count(
    tx,
    conversation.id,
    senderId,
    new Date(runtime.clock.now()),
    options.expiresAt ?? null,
    sequences,
    previous,
    events.map((event) => event.messageId),
    events.map((event) => event.kind),
    events.map((event) => event.keyVersion),
    events.map((event) => event.signerVersion),
    events.map((event) => event.detail),
    events.map((event) => event.signature),
    last.toString(),
    events.find((event) => event.kind === 'key_change')?.keyVersion ?? null,
  )
  return sequences
}

/**
 * The stored events of a request that was sent before; undefined for a new one. A client that missed an answer sends the same bytes
 * again. Other bytes under a used id are refused.
 */
export async function findRepeated(
  tx: Tx,
  conversation: Pick<OwnConversation, 'id'>,
  senderId: string,
  events: readonly NewChatEvent[],
): Promise<EventRow[] | undefined> {
  const rows = await eventsByMessage.all(
    tx,
    conversation.id,
    events.map((event) => event.messageId),
  )
  if (rows.length === 0) return undefined
  const byId = new Map(rows.map((row) => [row.message_id, row]))
  return events.map((event) => {
    const row = byId.get(event.messageId)
    const isSame =
      row?.sender_id === senderId && row.detail?.equals(event.detail) && row.signature.equals(event.signature)
    if (!row || !isSame)
      throw conflict(`The message_id [${(row ?? rows[0]!).message_id}] belongs to another event of this conversation.`)
    return row
  })
}
