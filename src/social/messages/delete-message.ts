import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { changeByStatement } from '../../api-kit/runtime.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { DmEventId } from './conversation-id.ts'
import { viewRemove } from './message.statements.ts'
import { messageEventRow, seenEvents } from './message-event.object.ts'
import { noMessage } from './read-messages.ts'

export const deleteDirectMessagesEvents = defineOperation({
  id: 'deleteDirectMessagesEvents',
  route: 'DELETE /2/dm_events/{event_id}',
  tag: 'Direct Messages',
  summary: 'Delete a message of the caller, for the caller only',
  auth: { oauth1: true, oauth2: ['dm.read', 'dm.write'], level: 'read-write-messages' },
  limit: { app: '4000/24h', user: '300/15m + 1500/24h' },
  path: { event_id: DmEventId },
  reply: component(
    'DeleteDmResponse',
    Type.Object({
      data: Type.Optional(Type.Object({ deleted: Type.Optional(Type.Boolean()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, caller, context, runtime }) => {
    const id = path.event_id
    const userId = userOf(caller).id
    const seen = isStorableId(id) && (await seenEvents(context, [id])).has(id)
    const event = seen ? await context.parts.one(messageEventRow, id) : undefined
    if (!event) throw noMessage(id)
    if (event.type !== 'MessageCreate' || event.sender_id !== userId)
      throw forbidden('You can only delete messages that you sent.', 'the caller did not send the message')
    const deleted = await changeByStatement(runtime, (db, invalidate) => {
      invalidate('dm_view', `${userId}:${id}`)
      if (event.media_key !== null) invalidate('message_media', `${userId}:${event.media_key}`)
      return viewRemove.first(db, userId, id)
    })
    if (!deleted) throw noMessage(id)
    return { data: { deleted: true } }
  },
})
