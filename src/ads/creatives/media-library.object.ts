import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { showTime } from '../kit/times.ts'
import { type Kind, textKind } from '../kit/values.ts'
import type { LibraryRow } from './media-library.statements.ts'

export const LIBRARY_MEDIA_TYPES = ['GIF', 'IMAGE', 'VIDEO'] as const
export type LibraryMediaType = (typeof LIBRARY_MEDIA_TYPES)[number]

const TYPE_OF_STORED: Record<string, LibraryMediaType> = { animated_gif: 'GIF', photo: 'IMAGE', video: 'VIDEO' }
const STORED_OF_TYPE: Record<LibraryMediaType, string> = { GIF: 'animated_gif', IMAGE: 'photo', VIDEO: 'video' }

export const mediaTypeOf = (stored: string): LibraryMediaType => TYPE_OF_STORED[stored]!
export const storedTypeOf = (type: LibraryMediaType): string => STORED_OF_TYPE[type]

/** The key of a media item: a number for its category, and its id. */
export const mediaKeyKind: Kind<string> = {
  ...textKind({ max: 40, pattern: /^[0-9]+_[0-9]+$/, says: 'must be a media key' }),
  schema: Type.String({ pattern: '^[0-9]+_[0-9]+$' }),
}

const optional = Type.Optional
const Time = Type.String({ format: 'date-time' })

/** An item of the media library. An image has no poster, duration, title or description, and not their members. */
export const MediaLibraryItem = component(
  'MediaLibraryItem',
  Type.Object({
    media_key: mediaKeyKind.schema,
    media_type: words(LIBRARY_MEDIA_TYPES),
    media_category: words(['AMPLIFY_VIDEO', 'POST_GIF', 'POST_IMAGE', 'POST_VIDEO']),
    media_status: words(['TRANSCODE_COMPLETED']),
    media_url: Type.String(),
    name: nullable(Type.String({ maxLength: 100 })),
    file_name: nullable(Type.String({ maxLength: 255 })),
    title: optional(nullable(Type.String({ maxLength: 70 }))),
    description: optional(nullable(Type.String({ maxLength: 200 }))),
    posted: Type.Boolean(),
    duration: optional(nullable(Type.Integer())),
    aspect_ratio: optional(Type.String({ pattern: '^[0-9]+:[0-9]+$' })),
    poster_media_url: optional(Type.String()),
    poster_media_key: optional(mediaKeyKind.schema),
    created_at: Time,
    updated_at: Time,
    deleted: Type.Boolean(),
  }),
)

/** An item as replies show it. */
export function showLibraryItem(row: LibraryRow) {
  const type = mediaTypeOf(row.type)
  return {
    media_key: row.media_key,
    media_type: type,
    media_category: row.category.toUpperCase(),
    // Uploads are added to the library only when they are ready.
    media_status: 'TRANSCODE_COMPLETED',
    media_url: row.url,
    name: row.name,
    file_name: row.file_name,
    posted: row.posted,
    ...(type === 'IMAGE'
      ? {}
      : {
          title: row.title,
          description: row.description,
          duration: type === 'VIDEO' ? row.duration_ms : null,
          aspect_ratio: aspectRatio(row.width!, row.height!),
          poster_media_url: row.poster_url ?? undefined,
          poster_media_key: row.poster_media_key ?? undefined,
        }),
    created_at: showTime(row.created_at),
    updated_at: showTime(row.updated_at),
    deleted: row.deleted,
  }
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

function aspectRatio(width: number, height: number): string {
  const by = divisor(width, height)
  return `${width / by}:${height / by}`
}
