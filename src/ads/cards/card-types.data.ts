/** Types of cards that consist of components. */
export const COMPONENT_CARD_TYPES = [
  'IMAGE_APP',
  'IMAGE_CAROUSEL_APP',
  'IMAGE_CAROUSEL_WEBSITE',
  'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE',
  'IMAGE_WEBSITE',
  'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP',
  'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE',
  'VIDEO_APP',
  'VIDEO_CAROUSEL_APP',
  'VIDEO_CAROUSEL_WEBSITE',
  'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE',
  'VIDEO_WEBSITE',
] as const
export type ComponentCardType = (typeof COMPONENT_CARD_TYPES)[number]

export const POLL_CARD_TYPES = ['TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS'] as const

/** Types of cards that have a path of their own. */
export const TYPED_CARD_TYPES = [...POLL_CARD_TYPES, 'IMAGE_CONVERSATION', 'VIDEO_CONVERSATION'] as const

export const CARD_TYPES = [...COMPONENT_CARD_TYPES, ...TYPED_CARD_TYPES] as const

const typed: ReadonlySet<string> = new Set(TYPED_CARD_TYPES)
export const isTypedCard = (cardType: string): boolean => typed.has(cardType)

/** Card types of the typed paths that can no longer be created. */
export const OLDER_CARD_TYPES = ['website', 'video_website', 'image_app_download', 'video_app_download'] as const

export const BUTTON_LABELS = ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP'] as const
