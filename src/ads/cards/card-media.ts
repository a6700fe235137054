import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { AdsError, notFound } from '../kit/errors.ts'

const columns = {
  media_key: 'text',
  media_id: 'int8',
  type: 'text',
  width: 'int4?',
  height: 'int4?',
  byte_size: 'int8',
  content_type: 'text?',
} as const

/** A media item of an account's library. */
export type LibraryMedia = RowOf<typeof columns>

const libraryMedia = statement(
  'ads_card_library_media',
  columns,
  `select m.media_key, m.id as media_id, m.type, m.width, m.height, m.received_bytes as byte_size, m.content_type
     from ads_media_library l join media m on m.media_key = l.media_key
    where l.account_id = $1 and not l.deleted and m.status = 'ready' and (m.media_key = any($2::text[]) or m.id = any($3::bigint[]))`,
)

/** The media items of an account's library with these keys or ids, each under both its key and its id. */
export async function findLibraryMedia(
  tx: Tx,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, LibraryMedia>> {
  if (names.length === 0) return new Map()
  const ids = names.filter(isStorableId)
  const found = await libraryMedia.all(tx, accountId, names, ids)
  return new Map(found.flatMap((media) => [[media.media_key, media] as const, [media.media_id, media] as const]))
}

const RATIOS = { '1:1': 1, '1.91:1': 1.91, '16:9': 16 / 9, '5:2': 2.5 } as const
type Ratio = keyof typeof RATIOS

/** The kinds of media that a member of a card takes, each with its ratios; an empty list takes every ratio. */
export interface Fit {
  image?: readonly Ratio[]
  video?: readonly Ratio[]
  /** An image of any size that is shown before a video plays. */
  poster?: true
}

// Sizes are whole pixels, so 1.91:1 is never exact: 800 by 418 and the common 1200 by 630 are both meant.
const TOLERANCE = 0.02
const MIN_WIDTH = 800
const MAX_BYTES = 3 * 1024 * 1024
const FORMATS = ['image/bmp', 'image/jpeg', 'image/png']
const POSTER_FORMATS = ['image/jpeg', 'image/png']

const isNear = (media: LibraryMedia, ratio: Ratio): boolean =>
  media.width !== null && media.height !== null && Math.abs(media.width / media.height / RATIOS[ratio] - 1) <= TOLERANCE

/** Why a media item cannot be used for a member of a card. */
export function mediaErrors(media: LibraryMedia | undefined, fit: Fit, parameter: string, value: string): AdsError[] {
  if (!media) return [notFound('MEDIA_NOT_FOUND', parameter, value).with({ details: MISSING })]
  if (media.type === 'photo' && fit.poster)
    return POSTER_FORMATS.includes(media.content_type ?? '') ? [] : [invalidImage(parameter, 'must be a jpeg or png')]
  if (media.type === 'photo' && fit.image) return imageErrors(media, fit.image, parameter)
  if (media.type === 'video' && fit.video) return videoErrors(media, fit.video, parameter)
  const wanted = [...(fit.image || fit.poster ? ['an image'] : []), ...(fit.video ? ['a video'] : [])].join(' or ')
  return [
    new AdsError('INVALID_MEDIA', 'The media item cannot be used here', { parameter, details: `must be ${wanted}` }),
  ]
}

const MISSING = "is not in the account's media library"

function imageErrors(media: LibraryMedia, ratios: readonly Ratio[], parameter: string): AdsError[] {
  const details = !FORMATS.includes(media.content_type ?? '')
    ? 'must be a bmp, jpeg or png'
    : Number(media.byte_size) > MAX_BYTES
      ? 'must be at most 3 MB'
      : (media.width ?? 0) < MIN_WIDTH
        ? `must be at least ${MIN_WIDTH} pixels wide`
        : ratioError(media, ratios)
  return details === undefined ? [] : [invalidImage(parameter, details)]
}

const invalidImage = (parameter: string, details: string): AdsError =>
  new AdsError('INVALID_IMAGE', 'The image does not fit', { parameter, details })

function videoErrors(media: LibraryMedia, ratios: readonly Ratio[], parameter: string): AdsError[] {
  const details = ratioError(media, ratios)
  return details === undefined ? [] : [new AdsError('INVALID_MEDIA', 'The video does not fit', { parameter, details })]
}

const ratioError = (media: LibraryMedia, ratios: readonly Ratio[]): string | undefined =>
  ratios.length === 0 || ratios.some((ratio) => isNear(media, ratio))
    ? undefined
    : `must have the ratio ${ratios.join(' or ')}`
