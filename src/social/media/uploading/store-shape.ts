import type { Runtime } from '../../../api-kit/runtime.ts'
import type { Db } from '../../../storage/database.ts'
import { extensionOf, isProcessed, PLAYLIST, type StoredType } from '../categories.ts'
import { type UploadRow, uploadReady } from '../media.statements.ts'
import type { MediaShape } from '../probing/probed.ts'

/** Stores what the bytes of an upload show, and their urls. */
export function storeShape(
  runtime: Runtime,
  db: Db,
  upload: UploadRow,
  shape: MediaShape,
  until: Date | null,
): Promise<UploadRow | undefined> {
  const address = `${runtime.baseUrl}/media/${upload.media_key}/${upload.address_key}`
  const url = `${address}.${extensionOf(shape.contentType)}`
  const isMoving = isProcessed(upload.type as StoredType)
  const preview = `${address}-preview.${upload.type === 'animated_gif' ? 'gif' : 'png'}`
  const variants = [
    { bit_rate: shape.bitRate ?? 0, content_type: shape.contentType, url },
    ...(upload.type === 'video'
      ? [{ content_type: PLAYLIST.contentType, url: `${address}.${PLAYLIST.extension}` }]
      : []),
  ]
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
    isMoving ? preview : null,
    isMoving ? JSON.stringify(variants) : null,
    until,
  )
}
