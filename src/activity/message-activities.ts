import type { Naming } from '../api-kit/naming/naming.ts'
import type { PartReader } from '../api-kit/reading/part-cache.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { messageEventRow } from '../social/messages/message-event.object.ts'
import { typedText } from '../social/text/typed-text.ts'
import { composeV1MessageEvents, type V1Message, type V1MessageChange } from '../social/v1/compose-message.ts'
import { writeV1Json } from '../social/v1/v1-json.ts'
import type { Direction } from './event-types.ts'

type MessageEvent = LoggedEvent<'message.create' | 'message.read' | 'message.typing'>

/** A message, or what somebody does with messages, as one of the users of the conversation is told. */
export interface MessageSubject {
  kind: 'message'
  change: V1MessageChange
  userId: string
  actorId: string
  recipientIds: readonly string[]
  conversationId: string
  /** The new message, or the last one that was read. */
  eventId: string | undefined
  /** The text that keywords are compared with. */
  text: string
}

interface MessageFacts {
  type: string
  concerns: { userId: string }
  direction: Direction
  subject: MessageSubject
}

/** The texts of new messages, as typed, by id. */
export async function readMessageTexts(
  parts: PartReader,
  events: readonly LoggedEvent[],
): Promise<ReadonlyMap<string, string>> {
  const ids = events.flatMap((event) =>
    event.type === 'message.create' ? [(event as LoggedEvent<'message.create'>).payload.event_id] : [],
  )
  if (ids.length === 0) return new Map()
  const found = await parts.many(messageEventRow, ids)
  const textOf = (text: string | null) =>
    typedText({ text: text ?? '', entities: null, note_text: null, note_entities: null })
  return new Map([...found].map(([id, row]) => [id, textOf(row.text)]))
}

/** Everybody in the conversation is told: the one who acts as sent, the others as received. */
export function messageActivities(event: MessageEvent, texts: ReadonlyMap<string, string>): MessageFacts[] {
  const { conversation_id: conversationId, recipient_ids: recipientIds } = event.payload
  const actorId = event.actor_id!
  const eventId = 'event_id' in event.payload ? event.payload.event_id : lastRead(event)
  const change = event.type.slice('message.'.length) as MessageSubject['change']
  const types = TYPES[change]
  const facts = (userId: string): MessageFacts => ({
    type: userId === actorId ? types.sent : types.received,
    concerns: { userId },
    direction: userId === actorId ? 'outbound' : 'inbound',
    subject: {
      kind: 'message',
      change,
      userId,
      actorId,
      recipientIds,
      conversationId,
      eventId,
      text: texts.get(eventId ?? '') ?? '',
    },
  })
  return [actorId, ...recipientIds].map(facts)
}

const TYPES: Record<MessageSubject['change'], { sent: string; received: string }> = {
  create: { sent: 'dm.sent', received: 'dm.received' },
  read: { sent: 'dm.read', received: 'dm.read' },
  typing: { sent: 'dm.indicate_typing', received: 'dm.indicate_typing' },
}

const lastRead = ({ payload }: MessageEvent): string | undefined =>
  'last_read_event_id' in payload ? payload.last_read_event_id : undefined

/** The payload of an activity: the array of version 1.1, and the users by id as version 2 shows them. */
export function messagePayload(
  subject: MessageSubject,
  event: LoggedEvent,
  messages: ReadonlyMap<string, V1Message>,
  users: ReadonlyMap<string, string>,
  naming: Naming,
): string | undefined {
  const entries = composeV1MessageEvents({ ...subject, happenedAt: event.happened_at }, messages)
  if (!entries) return undefined
  const shown = [subject.actorId, ...subject.recipientIds].flatMap((id) => {
    const user = users.get(id)
    return user === undefined ? [] : [`"${id}":{"data":${user}}`]
  })
  const [name, entry] = Object.entries(entries)[0]!
  return `"payload":{"${name}":${writeV1Json(entry!, naming)},"users":{${shown.join()}}}`
}
