import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db } from '../../storage/database.ts'
import { signedId } from './conversation-id.ts'
import { type EventRow, eventsBySequence } from './event.statements.ts'
import { conversationToken, encodeRow, showSignature } from './show-event.ts'

interface Position {
  conversationId: string
  sequence: string
}

type StoredEvent = EventRow & {
  type: string
  low_user_id: string | null
  high_user_id: string | null
  change_sequence: string | null
}

/** Stored events by conversation and sequence. */
export type ChatEvents = ReadonlyMap<string, StoredEvent>

/** The reason for an activity whose message was deleted or has expired. */
export const MESSAGE_IS_GONE = 'its message is gone'

const keyOf = ({ conversationId, sequence }: Position): string => `${conversationId} ${sequence}`

/** Reads the events at some positions, and the key changes that they need. */
export async function readChatEvents(db: Db, positions: readonly Position[]): Promise<ChatEvents> {
  const events = await read(db, positions)
  const changes = [...events.values()].flatMap((row) =>
    row.change_sequence === null ? [] : [{ conversationId: row.conversation_id, sequence: row.change_sequence }],
  )
  return new Map([...events, ...(await read(db, changes))])
}

async function read(db: Db, positions: readonly Position[]): Promise<Map<string, StoredEvent>> {
  const wanted = [...new Map(positions.map((position) => [keyOf(position), position])).values()]
  if (wanted.length === 0) return new Map()
  const rows = await eventsBySequence.all(
    db,
    wanted.map((position) => position.conversationId),
    wanted.map((position) => position.sequence),
  )
  return new Map(rows.map((row) => [keyOf({ conversationId: row.conversation_id, sequence: row.sequence }), row]))
}

/** An event as an activity shows it to a member; undefined when it is gone. */
export function showChatEvent(runtime: Runtime, events: ChatEvents, at: Position & { viewerId: string }) {
  const row = events.get(keyOf(at))
  const isOver = row?.expires_at && row.expires_at.getTime() <= runtime.clock.now()
  if (!row || isOver) return undefined
  const conversation = { ...row, id: row.conversation_id }
  const change = row.change_sequence === null ? undefined : events.get(keyOf({ ...at, sequence: row.change_sequence }))
  return {
    conversation_token: conversationToken(runtime, row.conversation_id, at.viewerId),
    id: row.message_id,
    created_at_msec: String(row.created_at.getTime()),
    sender_id: row.sender_id,
    conversation_id: signedId(conversation),
    ...(row.key_version === null ? {} : { conversation_key_version: row.key_version }),
    encoded_event: encodeRow(row, conversation),
    ...(change ? { conversation_key_change_event: encodeRow(change, conversation) } : {}),
    message_event_signature: showSignature(row),
  }
}
