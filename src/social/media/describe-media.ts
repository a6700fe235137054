import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { MediaId } from '../ids.ts'
import { isUsableBy, mediaFactsById, mediaKeep } from './media.statements.ts'
import { mediaMetadata } from './metadata.schemas.ts'

const optional = Type.Optional
const Metadata = closed(mediaMetadata)

/** Merges metadata into that of a user's media item. New members replace old ones of the same name. */
const metadataAdd = statement(
  'media_metadata_add',
  { media_key: 'text', metadata: 'jsonb' },
  `update media set metadata = metadata || $3::jsonb, alt_text = coalesce($4, alt_text), preview_image_url = coalesce($5, preview_image_url),
     shared = coalesce($6::bool, shared)
    where id = $1 and owner_user_id = $2 and (post_uses > 0 or kept or expires_at > $7::timestamptz) returning media_key, metadata`,
)

export const createMediaMetadata = defineOperation({
  id: 'createMediaMetadata',
  route: 'POST /2/media/metadata',
  tag: 'Media',
  summary: 'Add metadata to an uploaded media item, such as alternative text',
  auth: { oauth1: true, oauth2: ['media.write'] },
  limit: { app: '50000/24h', user: '500/15m' },
  body: component('MetadataCreateRequest', closed({ id: MediaId, metadata: optional(Metadata) })),
  reply: component(
    'MetadataCreateResponse',
    Type.Object({
      data: optional(Type.Object({ associated_metadata: optional(Type.Object(mediaMetadata)), id: optional(MediaId) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ body, caller, runtime }) => ({
    data: await addMetadata(runtime, userOf(caller).id, body.id, body.metadata ?? {}),
  }),
})

/** Adds metadata to an uploaded media item of a user. */
export async function addMetadata(runtime: Runtime, userId: string, id: string, metadata: Static<typeof Metadata>) {
  const now = runtime.clock.now()
  const preview = metadata.preview_image?.media_key.media
  return change(runtime, async (tx, invalidate) => {
    const image = preview === undefined ? undefined : await keepPreview(tx, userId, preview, now)
    if (image !== undefined) await checkVideo(tx, id)
    const changed = isStorableId(id)
      ? await metadataAdd.first(
          tx,
          id,
          userId,
          JSON.stringify(metadata),
          metadata.alt_text?.text ?? null,
          image ?? null,
          metadata.shared_info?.shared ?? null,
          new Date(now),
        )
      : undefined
    if (!changed) throw invalidParameter('id', id, 'Your media IDs are invalid.')
    invalidate('media', changed.media_key)
    return { id, associated_metadata: changed.metadata }
  })
}

async function checkVideo(db: Db, id: string): Promise<void> {
  const [media] = isStorableId(id) ? await mediaFactsById.all(db, [id]) : []
  if (media && media.type !== 'video')
    throw invalidParameter('metadata.preview_image', undefined, 'A preview image can only be given to a video.')
}

/** The url of a user's picture that previews a video. The picture no longer expires. */
export async function keepPreview(
  db: Db,
  userId: string,
  id: string,
  now: number,
  parameter = 'metadata.preview_image.media_key.media',
): Promise<string> {
  const [image] = isStorableId(id) ? await mediaFactsById.all(db, [id]) : []
  if (image?.type !== 'photo' || !isUsableBy(image, userId, now))
    throw invalidParameter(parameter, id, `You have no picture [${id}].`)
  await mediaKeep.all(db, [image.media_key], true)
  return image.url!
}
