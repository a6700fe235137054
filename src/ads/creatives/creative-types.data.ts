/** How media can be shown beside posts. */
export const CREATIVE_TYPES = [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
] as const
export type CreativeType = (typeof CREATIVE_TYPES)[number]

/** Types that run before a video; the others are pictures. */
export const PREROLL_TYPES: readonly string[] = ['PREROLL', 'VAST_PREROLL'] satisfies CreativeType[]

// No source tells the sizes of the two phone types without a word behind them: these are what the industry takes them to be.
const SIZES: Record<string, CreativeType> = {
  '300x250': 'MEDIUM_RECTANGLE',
  '320x50': 'BANNER',
  '728x90': 'BANNER_TABLET',
  '320x480': 'INTERSTITIAL',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '768x1024': 'INTERSTITIAL_TABLET',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
}

/** What a media can be shown as besides in posts, if anything. */
export function creativeTypeOf(media: {
  category: string
  type: string
  width: number | null
  height: number | null
}): CreativeType | undefined {
  if (media.category === 'amplify_video') return 'PREROLL'
  return media.type === 'photo' ? SIZES[`${media.width}x${media.height}`] : undefined
}
