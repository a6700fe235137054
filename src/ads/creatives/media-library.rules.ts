import { type MediaCategory, POST_CATEGORIES } from '../../social/media/categories.ts'
import type { MediaFacts } from '../../social/media/media.statements.ts'
import { AdsError, invalidParameter, notFound } from '../kit/errors.ts'
import type { MediaType } from './media-library.object.ts'

const VIDEO_BYTES = 500 * 1024 * 1024
const POSTER_FORMATS = ['image/png', 'image/jpeg']

const unfit = (code: string, parameter: string, details: string, value: string): AdsError =>
  new AdsError(code, 'The media can not be used here', { parameter, details, value })

/** Who asks, and whose uploads may be used. */
export interface MediaUsers {
  userIds: readonly string[]
  now: number
}

/** Why an upload can not be used, if so: it is not there for these users, or it is not ready. */
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

/** Why an upload can not enter the library, if so. */
export function entryError(media: MediaFacts | undefined, key: string, users: MediaUsers): AdsError | undefined {
  const error = uploadError(media, 'media_key', key, users)
  if (error || !media) return error
  if (!POST_CATEGORIES.includes(media.category as MediaCategory))
    return unfit('INVALID_MEDIA', 'media_key', `must be of the category ${POST_CATEGORIES.join(', ')}`, key)
  // Formats and lengths are those that uploads have anyway.
  return media.type === 'video' && Number(media.byte_size) > VIDEO_BYTES
    ? unfit('INVALID_MEDIA', 'media_key', 'a video must be at most 500 MB large', key)
    : undefined
}

/** Why a media can not stand before a video, if so. */
export function posterError(media: MediaFacts | undefined, key: string, users: MediaUsers): AdsError | undefined {
  const error = uploadError(media, 'poster_media_key', key, users)
  if (error || !media) return error
  return media.type === 'photo' && POSTER_FORMATS.includes(media.content_type ?? '')
    ? undefined
    : unfit('INVALID_IMAGE', 'poster_media_key', 'must be a png or jpg picture', key)
}

/** Members that do not go with the type of a media. What a GIF is called may be said later, though not at once. */
export function memberErrors(given: Record<string, unknown>, type: MediaType, isUpdate: boolean): AdsError[] {
  const refused =
    type === 'VIDEO'
      ? []
      : type === 'GIF' && isUpdate
        ? ['poster_media_key']
        : ['title', 'description', 'poster_media_key']
  return refused
    .filter((name) => given[name] !== undefined && given[name] !== null)
    .map((name) => invalidParameter(name, 'is for videos only'))
}
