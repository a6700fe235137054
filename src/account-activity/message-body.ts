import type { LoggedEvent } from '../events/catalog.ts'
import { composeV1MessageEvents, composeV1MessageUser, type V1MessageChange } from '../social/v1/compose-message.ts'
import type { V1Object } from '../social/v1/v1-json.ts'
import { present } from './concerned-users.ts'
import type { EventObjects } from './event-objects.ts'

/** A message, a read receipt or typing: the array of version 1.1, with the users and, of a message, the app by id. */
export function messageEntries(
  event: LoggedEvent<'message.create' | 'message.read' | 'message.typing'>,
  userId: string,
  objects: EventObjects,
): V1Object | undefined {
  const { payload } = event
  const eventId =
    'event_id' in payload ? payload.event_id : 'last_read_event_id' in payload ? payload.last_read_event_id : undefined
  const entries = composeV1MessageEvents(
    {
      change: event.type.slice('message.'.length) as V1MessageChange,
      eventId,
      actorId: event.actor_id!,
      recipientIds: payload.recipient_ids,
      conversationId: payload.conversation_id,
      happenedAt: event.happened_at,
      userId,
    },
    objects.messages,
  )
  if (!entries) return undefined
  const message = event.type === 'message.create' ? objects.messages.get(eventId ?? '') : undefined
  const app = objects.apps.get(message?.row.source_app_id ?? '')
  const users = present(event.actor_id, ...payload.recipient_ids).flatMap((id) => objects.users.get(id) ?? [])
  return {
    ...entries,
    apps: app && { [app.id]: { id: app.id, name: app.name, url: app.website_url || undefined } },
    users: Object.fromEntries(
      users.map((row) => [row.id, composeV1MessageUser(objects.baseUrl, row, objects.userCounts.get(row.id))]),
    ),
  }
}
