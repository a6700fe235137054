import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { MediaId } from '../ids.ts'
import { findMediaFile, type MediaFile } from '../media/serve-media.ts'
import { bytesBetween } from '../media/stored-bytes.ts'
import { DmEventId } from './conversation-id.ts'

/** The media item of a message, if the user sees a message with it: a shared one may be in several. */
const messageMediaFind = statement(
  'dm_media_of_message',
  { media_key: 'text' },
  `select m.media_key from dm_event e join media m on m.media_key = e.media_key
    where e.id = $1 and m.id = $2
      and exists (select from dm_view v where v.user_id = $3 and v.media_key = e.media_key and v.media_key is not null)`,
)

export const dmConversationsMediaDownload = defineOperation({
  id: 'dmConversationsMediaDownload',
  route: 'GET /2/dm_conversations/media/{dm_id}/{media_id}/{resource_id}',
  tag: 'Direct Messages',
  summary: 'Download a media item of a message',
  auth: { oauth2: ['dm.read'] },
  path: {
    dm_id: DmEventId,
    media_id: MediaId,
    resource_id: component('DmResourceId', Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,50}$' })),
  },
  bytes: true,
  reply: component('BinaryPayload', Type.String({ format: 'binary' })),
  handle: async ({ path, caller, runtime }) => {
    const file = await findMessageFile(runtime, userOf(caller).id, path)
    const { size } = file.bytes
    return new BytesAnswer(size, bytesBetween(file.bytes, 0, size), 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename=${path.resource_id}`,
    })
  },
})

/** The file of a media item of a message that a user sees. */
export async function findMessageFile(
  runtime: Runtime,
  userId: string,
  path: { dm_id: string; media_id: string; resource_id: string },
): Promise<MediaFile> {
  const { dm_id: eventId, media_id: mediaId, resource_id: name } = path
  const found =
    isStorableId(eventId) && isStorableId(mediaId)
      ? await messageMediaFind.first(runtime.database, eventId, mediaId, userId)
      : undefined
  const file = found && (await findMediaFile(runtime, found.media_key, name))
  if (!file)
    throw blank(404, 'There is no such media item.', 'it does not exist, or the caller sees no message with it')
  return file
}
