import type { PartReader } from '../../api-kit/reading/part-cache.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { MediaFacts } from '../media/media.statements.ts'
import { downloadAddress } from '../media/message-media.ts'
import { type MessageEventRow, messageEventRow } from '../messages/message-event.object.ts'
import type { StoredMention } from '../reposts/repost-text.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { defaultPictureUrl } from '../users/default-picture.ts'
import { type UserMetricsRow, type UserRow, userRow } from '../users/user.parts.ts'
import { composeV1Entities, type MentionedNames } from './compose-entities.ts'
import { composeV1Media } from './compose-media.ts'
import { readMediaFacts } from './read-v1-objects.ts'
import type { V1Object } from './v1-json.ts'

/** What a message in the shape of version 1.1 is composed from. */
export interface V1Message {
  row: MessageEventRow
  media: MediaFacts | undefined
  names: MentionedNames
}

const mentionsOf = (row: MessageEventRow): StoredMention[] =>
  ((row.entities as WireEntities | null)?.mentions ?? []) as StoredMention[]

/** Reads messages, with their media items and the names of those whom they mention. */
export async function readV1Messages(
  runtime: Runtime,
  parts: PartReader,
  ids: readonly string[],
): Promise<Map<string, V1Message>> {
  if (ids.length === 0) return new Map()
  const found = await parts.many(messageEventRow, [...new Set(ids)])
  const rows = [...found.values()]
  const [media, names] = await Promise.all([
    readMediaFacts(
      runtime,
      rows.flatMap((row) => row.media_key ?? []),
    ),
    parts.many(userRow, [...new Set(rows.flatMap((row) => mentionsOf(row).map((mention) => mention.id)))]),
  ])
  return new Map(rows.map((row) => [row.id, { row, media: media.get(row.media_key ?? ''), names }]))
}

/** What somebody did: wrote a message, read messages, or typed. */
export type V1MessageChange = 'create' | 'read' | 'typing'

/** What happened in a conversation, as one of its users is told. */
export interface V1MessageEvent {
  change: V1MessageChange
  /** The new message, or the last one that was read. */
  eventId: string | undefined
  actorId: string
  recipientIds: readonly string[]
  conversationId: string
  happenedAt: Date
  /** The user who is told. */
  userId: string
}

// Version 1.1 knows only messages to one user. In a group, those who are told are the recipients, and the conversation is named.
function targetOf({ actorId, recipientIds, conversationId, userId }: V1MessageEvent): V1Object {
  if (conversationId.includes('-')) return { recipient_id: recipientIds[0] }
  return { recipient_id: userId === actorId ? undefined : userId, conversation_id: conversationId }
}

const moment = (time: Date): string => String(time.getTime())

/** The array of version 1.1 for what happened, under its name; undefined when the message cannot be read. */
export function composeV1MessageEvents(
  event: V1MessageEvent,
  messages: ReadonlyMap<string, V1Message>,
): V1Object | undefined {
  if (event.change === 'typing') return { direct_message_indicate_typing_events: [composeTyping(event)] }
  if (event.change === 'read')
    return { direct_message_mark_read_events: [{ ...composeTyping(event), last_read_event_id: event.eventId }] }
  const message = messages.get(event.eventId ?? '')
  return message && { direct_message_events: [composeMessage(message, event)] }
}

function composeMessage({ row, media, names }: V1Message, event: V1MessageEvent): V1Object {
  const entities = (row.entities ?? {}) as WireEntities
  return {
    type: 'message_create',
    id: row.id,
    created_timestamp: moment(row.created_at),
    message_create: {
      target: targetOf(event),
      sender_id: event.actorId,
      source_app_id: row.source_app_id ?? undefined,
      message_data: {
        text: row.text ?? '',
        entities: composeV1Entities(entities, { media: [], videoDetails: null }, names).entities,
        attachment: media && { type: 'media', media: composeV1Media(downloadable(media, row.id), undefined, null) },
      },
    },
  }
}

const downloadable = (media: MediaFacts, messageId: string): MediaFacts => {
  const from = (address: string | null) =>
    address && downloadAddress({ media_key: media.media_key, first_message_id: messageId }, address)
  return { ...media, url: from(media.url), preview_image_url: from(media.preview_image_url) }
}

const composeTyping = (event: V1MessageEvent): V1Object => ({
  created_timestamp: moment(event.happenedAt),
  sender_id: event.actorId,
  target: targetOf(event),
})

/** A user as events about messages have them. */
export const composeV1MessageUser = (baseUrl: string, row: UserRow, counts: UserMetricsRow | undefined): V1Object => ({
  id: row.id,
  created_timestamp: moment(row.created_at),
  name: row.name,
  screen_name: row.username,
  location: row.location || undefined,
  description: row.description || undefined,
  url: row.url || undefined,
  protected: row.protected,
  verified: row.verified_type !== 'none',
  followers_count: counts?.followers_count ?? 0,
  friends_count: counts?.following_count ?? 0,
  statuses_count: counts?.post_count ?? 0,
  profile_image_url_https: row.profile_image_url ?? defaultPictureUrl(baseUrl, row.id),
})
