import { defineObject, expands, staticField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { DateTime, Type } from '../../api-kit/declaring/schema.ts'
import { type Entry, partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { wireTime } from '../../process/clock.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { MediaKey, PostId, UserId } from '../ids.ts'
import { media } from '../media/media.object.ts'
import { post } from '../posts/post.object.ts'
import { NoteEntities } from '../text/entity.schemas.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { user } from '../users/user.object.ts'
import { DmConversationId, DmEventId } from './conversation-id.ts'

const columns = {
  id: 'int8',
  conversation_id: 'text',
  type: 'text',
  sender_id: 'int8?',
  participant_ids: 'int8[]',
  text: 'text?',
  entities: 'jsonb?',
  media_key: 'text?',
  referenced_post_ids: 'int8[]',
  source_app_id: 'int8?',
  created_at: 'timestamptz',
} as const

/** What is stored of something that happened in a conversation. It never changes. */
export type MessageEventRow = RowOf<typeof columns>

const eventsById = statement(
  'dm_events_by_id',
  columns,
  `select ${Object.keys(columns).join(', ')} from dm_event where id = any($1::bigint[])`,
)

/** Events of conversations by id, the same for everybody who sees them. */
export const messageEventRow = definePart('dm_event', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await eventsById.all(db, ids)),
)

const eventsSeen = statement(
  'dm_events_seen',
  { pair: 'text' },
  `select v.user_id || ':' || v.event_id as pair from unnest($1::bigint[], $2::bigint[]) as q (viewer, event)
     join dm_view v on v.user_id = q.viewer and v.event_id = q.event`,
)

/** Events that a user sees, keyed `viewer:event`. Deleting one invalidates kind `dm_view`. */
const seenEvent = definePart('dm_view', 'row', async (db, pairs) => {
  const split = pairs.map((pair) => pair.split(':') as [string, string])
  const rows = await eventsSeen.all(
    db,
    split.map(([viewer]) => viewer),
    split.map(([, event]) => event),
  )
  return keyedBy((row) => row.pair, rows)
})

const present = <T>(values: T[]): T[] | undefined => (values.length === 0 ? undefined : values)
const keysOf = (row: MessageEventRow): string[] => (row.media_key === null ? [] : [row.media_key])

/** The object `dm_event` of the interface: a message, or a change of the participants. */
export const messageEvent = defineObject({
  name: 'dm_event',
  // Problems have no kind for it. Operations refuse an event that the caller does not see before they read it.
  resource: 'user',
  plural: 'dm_events',
  component: 'DmEvent',
  always: ['id', 'event_type'],
  existence: messageEventRow,
  fields: {
    id: staticField(messageEventRow, DmEventId, (row) => row.id),
    event_type: staticField(messageEventRow, Type.String(), (row) => row.type),
    text: staticField(messageEventRow, Type.String(), (row) => row.text),
    created_at: staticField(messageEventRow, DateTime, (row) => wireTime(row.created_at.getTime())),
    dm_conversation_id: staticField(messageEventRow, DmConversationId, (row) => row.conversation_id),
    sender_id: staticField(messageEventRow, UserId, (row) => row.sender_id),
    participant_ids: staticField(messageEventRow, Type.Array(UserId, { minItems: 1 }), (row) =>
      present(row.participant_ids),
    ),
    attachments: staticField(
      messageEventRow,
      Type.Object({
        card_ids: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
        media_keys: Type.Optional(Type.Array(MediaKey, { minItems: 1 })),
      }),
      (row) => (row.media_key === null ? undefined : { media_keys: [row.media_key] }),
    ),
    entities: staticField(messageEventRow, NoteEntities, (row) => row.entities as WireEntities | null),
    referenced_posts: staticField(messageEventRow, Type.Array(Type.Object({ id: PostId }), { minItems: 1 }), (row) =>
      present(row.referenced_post_ids.map((id) => ({ id }))),
    ),
  },
  expansions: {
    'attachments.media_keys': expands(messageEventRow, () => media, keysOf, 'attachments'),
    participant_ids: expands(
      messageEventRow,
      () => user,
      (row) => row.participant_ids,
      'participant_ids',
    ),
    'referenced_posts.id': expands(
      messageEventRow,
      () => post,
      (row) => row.referenced_post_ids,
      'referenced_posts',
    ),
    sender_id: expands(
      messageEventRow,
      () => user,
      (row) => (row.sender_id === null ? [] : [row.sender_id]),
      'sender_id',
    ),
  },
  judge: judgeEvents,
})

/** Only those see an event who were in the conversation when it happened and have not deleted it. */
async function judgeEvents(context: ReadContext, entries: Entry[]) {
  const ids = entries.map((entry) => partOf(entry, messageEventRow)!.id)
  const seen = await seenEvents(context, ids)
  return ids.map((id) =>
    seen.has(id)
      ? undefined
      : (reference: { parameter: string; value: string }) =>
          resourceNotFound('user', reference.parameter, reference.value),
  )
}

/** The events among these that the caller sees. */
export async function seenEvents(context: ReadContext, ids: readonly string[]): Promise<Set<string>> {
  const viewer = context.caller?.user?.id
  if (viewer === undefined) return new Set()
  const found = await context.parts.many(
    seenEvent,
    ids.map((id) => `${viewer}:${id}`),
  )
  return new Set(ids.filter((id) => found.has(`${viewer}:${id}`)))
}
