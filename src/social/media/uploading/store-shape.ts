import type { Runtime } from '../../../api-kit/runtime.ts'
import type { Db } from '../../../storage/database.ts'
import { extensionOf, isProcessed, PLAYLIST, type StoredType } from '../categories.ts'
import { type UploadRow, uploadReady } from '../media.statements.ts'
import type { MediaShape } from '../probing/probed.ts'

/** The urls of a media item that is ready: of its bytes and, for moving pictures, of the preview and the variants. */
export function mediaAddresses(
  baseUrl: string,
  item: { media_key: string; address_key: string; type: StoredType },
  shape: Pick<MediaShape, 'contentType' | 'bitRate'>,
) {
  const address = `${baseUrl}/media/${item.media_key}/${item.address_key}`
  const url = `${address}.${extensionOf(shape.contentType)}`
  if (!isProcessed(item.type)) return { url, preview: null, variants: null }
  const preview = `${address}-preview.${item.type === 'animated_gif' ? 'gif' : 'png'}`
  const variants = [
    { bit_rate: shape.bitRate ?? 0, content_type: shape.contentType, url },
    ...(item.type === 'video' ? [{ content_type: PLAYLIST.contentType, url: `${address}.${PLAYLIST.extension}` }] : []),
  ]
  return { url, preview, variants: JSON.stringify(variants) }
}

/** Stores what the bytes of an upload show, and their urls. */
export function storeShape(
  runtime: Runtime,
  db: Db,
  upload: UploadRow,
  shape: MediaShape,
  until: Date | null,
): Promise<UploadRow | undefined> {
  const { url, preview, variants } = mediaAddresses(
    runtime.baseUrl,
    { ...upload, type: upload.type as StoredType },
    shape,
  )
  return uploadReady.first(
    db,
    upload.id,
    shape.contentType,
    shape.width ?? null,
    shape.height ?? null,
    shape.durationMs ?? null,
    shape.bitRate ?? null,
    shape.firstFrameBytes ?? null,
    url,
    preview,
    variants,
    until,
  )
}
