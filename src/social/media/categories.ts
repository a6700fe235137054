/** What an upload is for. */
export const MEDIA_CATEGORIES = [
  'amplify_video',
  'post_gif',
  'post_image',
  'post_video',
  'dm_gif',
  'dm_image',
  'dm_video',
  'subtitles',
] as const
export type MediaCategory = (typeof MEDIA_CATEGORIES)[number]

/** The categories of uploads in one request. */
export const ONE_SHOT_CATEGORIES: readonly MediaCategory[] = ['post_image', 'dm_image', 'subtitles']

/** The media types that a client may declare. */
export const UPLOAD_MEDIA_TYPES = [
  'video/mp4',
  'video/webm',
  'video/mp2t',
  'video/quicktime',
  'text/srt',
  'text/vtt',
  'image/jpeg',
  'image/gif',
  'image/bmp',
  'image/png',
  'image/webp',
  'image/pjpeg',
  'image/tiff',
  'model/gltf-binary',
  'model/vnd.usdz+zip',
] as const

export type StoredType = 'photo' | 'video' | 'animated_gif' | 'subtitles'

interface CategoryRule {
  /** The number before the underscore of its media keys. */
  number: number
  type: StoredType
  accepts: readonly string[]
  maxBytes: number
}

const MB = 1024 * 1024
const IMAGE_BYTES = 5 * MB
const IMAGES = ['image/jpeg', 'image/pjpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif']
const VIDEOS = ['video/mp4', 'video/quicktime', 'video/webm', 'video/mp2t']

const image = (number: number): CategoryRule => ({ number, type: 'photo', accepts: IMAGES, maxBytes: IMAGE_BYTES })
const gif = (number: number): CategoryRule => ({
  number,
  type: 'animated_gif',
  accepts: ['image/gif'],
  maxBytes: 15 * MB,
})
const video = (number: number): CategoryRule => ({ number, type: 'video', accepts: VIDEOS, maxBytes: 512 * MB })

export const CATEGORY_RULES: Record<MediaCategory, CategoryRule> = {
  post_image: image(3),
  post_video: video(7),
  amplify_video: video(13),
  post_gif: gif(16),
  dm_image: image(5),
  dm_video: video(15),
  dm_gif: gif(17),
  subtitles: { number: 18, type: 'subtitles', accepts: ['text/srt', 'text/vtt'], maxBytes: IMAGE_BYTES },
}

/** Categories of media items in posts. */
export const POST_CATEGORIES: readonly MediaCategory[] = ['post_image', 'post_gif', 'post_video', 'amplify_video']

/** Categories of media items in direct messages. */
export const MESSAGE_CATEGORIES: readonly MediaCategory[] = ['dm_image', 'dm_gif', 'dm_video']

/** Types that are processed after the upload. The others are ready at its end. */
export const isProcessed = (type: StoredType): boolean => type === 'video' || type === 'animated_gif'

/** The category of a media type where none is given. */
export function guessCategory(mediaType: string): MediaCategory | undefined {
  if (mediaType === 'image/gif') return 'post_gif'
  if (mediaType.startsWith('image/')) return 'post_image'
  if (mediaType.startsWith('video/')) return 'post_video'
  return mediaType.startsWith('text/') ? 'subtitles' : undefined
}

export const mediaKeyOf = (category: MediaCategory, id: string): string => `${CATEGORY_RULES[category].number}_${id}`

const TYPE_BY_NUMBER = new Map(Object.values(CATEGORY_RULES).map((rule) => [String(rule.number), rule.type]))

/** The type of a media item, by its key. */
export const typeOfKey = (key: string): StoredType | undefined => TYPE_BY_NUMBER.get(key.slice(0, key.indexOf('_')))

const MESSAGE_NUMBERS = new Set(MESSAGE_CATEGORIES.map((category) => String(CATEGORY_RULES[category].number)))

/** Whether a media item was uploaded for a message, by its key. */
export const isMessageMedia = (key: string): boolean => MESSAGE_NUMBERS.has(key.slice(0, key.indexOf('_')))

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'text/srt': 'srt',
  'text/vtt': 'vtt',
}

/** The playlist of a video, for players that read segments. */
export const PLAYLIST = { contentType: 'application/x-mpegURL', extension: 'm3u8' } as const

export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? 'bin'
