/** The ways to show media items other than in posts. */
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

/** Types that run before a video; the others are images. */
export const PREROLL_TYPES: readonly string[] = ['PREROLL', 'VAST_PREROLL'] satisfies CreativeType[]

// The platform does not document the sizes of BANNER and INTERSTITIAL: these are the sizes that are usual in the industry.
const SIZES: Record<string, CreativeType> = {
  '300x250': 'MEDIUM_RECTANGLE',
  '320x50': 'BANNER',
  '728x90': 'BANNER_TABLET',
  '320x480': 'INTERSTITIAL',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '768x1024': 'INTERSTITIAL_TABLET',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
}

/** The creative type that a media item can be shown as, if any. */
export function creativeTypeOf(media: {
  category: string
  type: string
  width: number | null
  height: number | null
}): CreativeType | undefined {
  if (media.category === 'amplify_video') return 'PREROLL'
  return media.type === 'photo' ? SIZES[`${media.width}x${media.height}`] : undefined
}
