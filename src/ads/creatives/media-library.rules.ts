import { type MediaCategory, POST_CATEGORIES } from '../../social/media/categories.ts'
import type { MediaFacts } from '../../social/media/media.statements.ts'
import { AdsError, invalidParameter, notFound } from '../kit/errors.ts'
import type { LibraryMediaType } from './media-library.object.ts'

const VIDEO_BYTES = 500 * 1024 * 1024
const POSTER_FORMATS = ['image/png', 'image/jpeg']

const unfit = (code: string, parameter: string, details: string, value: string): AdsError =>
  new AdsError(code, 'The media item cannot be used here', { parameter, details, value })

/** The users whose uploads may be used, and the time of the request. */
export interface MediaUsers {
  userIds: readonly string[]
  now: number
}

/** Why an upload cannot be used, if so: these users do not have it, or it is not ready. */
function uploadError(
  media: MediaFacts | undefined,
  parameter: string,
  key: string,
  { userIds, now }: MediaUsers,
): AdsError | undefined {
  const isTheirs = media && userIds.some((id) => media.owner_user_id === id || media.additional_owner_ids.includes(id))
  const isOver = media?.expires_at && media.expires_at.getTime() <= now
  if (!isTheirs || isOver) return notFound('MEDIA_NOT_FOUND', parameter, key)
  if (media.status === 'ready') return undefined
  return unfit(
    'INVALID_MEDIA',
    parameter,
    media.status === 'failed' ? 'the upload failed' : 'the upload is not finished',
    key,
  )
}

/** Why an upload cannot be added to the library, if so. */
export function entryError(media: MediaFacts | undefined, key: string, users: MediaUsers): AdsError | undefined {
  const error = uploadError(media, 'media_key', key, users)
  if (error || !media) return error
  if (!POST_CATEGORIES.includes(media.category as MediaCategory))
    return unfit('INVALID_MEDIA', 'media_key', `must be of the category ${POST_CATEGORIES.join(', ')}`, key)
  // Formats and durations were checked when the file was uploaded.
  return media.type === 'video' && Number(media.byte_size) > VIDEO_BYTES
    ? unfit('INVALID_MEDIA', 'media_key', 'a video must not be larger than 500 MB', key)
    : undefined
}

/** Why a media item cannot be the poster of a video, if so. */
export function posterError(media: MediaFacts | undefined, key: string, users: MediaUsers): AdsError | undefined {
  const error = uploadError(media, 'poster_media_key', key, users)
  if (error || !media) return error
  return media.type === 'photo' && POSTER_FORMATS.includes(media.content_type ?? '')
    ? undefined
    : unfit('INVALID_IMAGE', 'poster_media_key', 'must be a PNG or JPG image', key)
}

/** The errors of members that the type of an item does not allow. A GIF may get title and description in an update only. */
export function memberErrors(given: Record<string, unknown>, type: LibraryMediaType, isUpdate: boolean): AdsError[] {
  const refused =
    type === 'VIDEO'
      ? []
      : type === 'GIF' && isUpdate
        ? ['poster_media_key']
        : ['title', 'description', 'poster_media_key']
  return refused
    .filter((name) => given[name] !== undefined && given[name] !== null)
    .map((name) => invalidParameter(name, 'is only allowed for videos'))
}
