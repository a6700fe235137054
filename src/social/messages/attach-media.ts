import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { forbidden, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { MESSAGE_CATEGORIES, type MediaCategory } from '../media/categories.ts'

const mediaForMessage = statement(
  'dm_media_find',
  {
    media_key: 'text',
    owner_user_id: 'int8',
    additional_owner_ids: 'int8[]',
    category: 'text',
    status: 'text',
    shared: 'bool',
    kept: 'bool',
    expires_at: 'timestamptz',
  },
  'select media_key, owner_user_id, additional_owner_ids, category, status, shared, kept, expires_at from media where id = $1',
)
/** Keeps a media item for a message, unless it has expired or is in another message and not shared. */
const mediaForMessageKeep = statement(
  'dm_media_keep',
  {},
  `update media set kept = true where media_key = $1 and status = 'ready' and expires_at > $2::timestamptz and (shared or not kept)`,
)

const PARAMETER = 'attachments.media_id'

const notPermitted = (reason: string) => forbidden('You are not permitted to attach this media to a DM event.', reason)

/** The media item that a message may have, by id. Somebody else's is refused like one that does not exist. */
export async function findMessageMedia(runtime: Runtime, senderId: string, mediaId: string): Promise<string> {
  const found = isStorableId(mediaId) ? await mediaForMessage.first(runtime.database, mediaId) : undefined
  if (!found) throw notPermitted('there is no such media item')
  if (found.owner_user_id !== senderId && !found.additional_owner_ids.includes(senderId))
    throw notPermitted('the sender does not own the media item')
  if (!MESSAGE_CATEGORIES.includes(found.category as MediaCategory))
    throw invalidParameter(
      PARAMETER,
      mediaId,
      `The media item [${mediaId}] was uploaded for something else. A message takes the categories [${MESSAGE_CATEGORIES.join(', ')}].`,
    )
  if (found.status !== 'ready' || found.expires_at.getTime() <= runtime.clock.now())
    throw invalidParameter(
      PARAMETER,
      mediaId,
      found.status === 'ready'
        ? `The media item [${mediaId}] was uploaded more than 24 hours ago.`
        : `The media item [${mediaId}] is not ready.`,
    )
  if (found.kept && !found.shared) throw alreadyUsed(mediaId)
  return found.media_key
}

const alreadyUsed = (mediaId: string) =>
  invalidParameter(
    PARAMETER,
    mediaId,
    `The media item [${mediaId}] is in another message. Upload it with shared=true to attach it to several messages.`,
  )

/** Keeps the media item of a message that is being stored. */
export async function useMessageMedia(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  mediaKey: string,
): Promise<void> {
  invalidate('media', mediaKey)
  if ((await mediaForMessageKeep.count(tx, mediaKey, new Date(runtime.clock.now()))) === 0)
    throw alreadyUsed(mediaKey.slice(mediaKey.indexOf('_') + 1))
}
