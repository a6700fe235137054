import { Type } from '../../api-kit/declaring/schema.ts'
import { PLAYLIST } from '../../social/media/categories.ts'
import { jsonKind } from '../kit/values.ts'

/** What replies show of a media item of a card. */
export interface ShownMedia {
  media_key: string
  type: 'photo' | 'video' | 'animated_gif'
  url: string | null
  preview_image_url: string | null
  width: number | null
  height: number | null
  duration_ms: number | null
  owner_user_id: string
  variants: { content_type: string; url: string }[] | null
}

/** SQL that turns a row of `media` into a `ShownMedia`; null where there is no row. */
export const shownMediaSql = (row: string): string =>
  `case when ${row}.media_key is not null then jsonb_build_object('media_key', ${row}.media_key, 'type', ${row}.type, 'url', ${row}.url,
     'preview_image_url', ${row}.preview_image_url, 'width', ${row}.width, 'height', ${row}.height, 'duration_ms', ${row}.duration_ms,
     'owner_user_id', ${row}.owner_user_id::text, 'variants', ${row}.variants) end`

export const shownMediaKind = jsonKind<ShownMedia>(Type.Unknown())

const gcd = (left: number, right: number): number => (right === 0 ? left : gcd(right, left % right))
const COMMON_RATIOS = [
  [16, 9],
  [1, 1],
  [4, 3],
  [9, 16],
] as const

/** The two numbers of an aspect ratio: those of a common ratio when the pixels are close to it. */
export function ratioParts({ width, height }: Pick<ShownMedia, 'width' | 'height'>): readonly [number, number] {
  if (!width || !height) return [0, 0]
  const common = COMMON_RATIOS.find(([wide, high]) => Math.abs((width * high) / (height * wide) - 1) <= 0.02)
  const divisor = gcd(width, height)
  return common ?? [width / divisor, height / divisor]
}

/** An image of a card, as flat members. */
export const imageMembers = (media: ShownMedia | null): Record<string, string | undefined> =>
  media?.type !== 'photo'
    ? {}
    : {
        image: media.url ?? undefined,
        image_display_height: String(media.height),
        image_display_width: String(media.width),
      }

/** A video of a card, as flat members. Its width and height are the numbers of its aspect ratio. */
export function videoMembers(media: ShownMedia | null): Record<string, string | undefined> {
  if (media?.type !== 'video') return {}
  const [width, height] = ratioParts(media).map(String)
  return {
    video_url: media.url ?? undefined,
    video_hls_url: media.variants?.find((variant) => variant.content_type === PLAYLIST.contentType)?.url,
    video_width: width,
    video_height: height,
    video_poster_url: media.preview_image_url ?? undefined,
    video_poster_width: width,
    video_poster_height: height,
    content_duration_seconds: String(Math.max(1, Math.round((media.duration_ms ?? 0) / 1000))),
  }
}
