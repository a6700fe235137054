import type { MediaFacts } from '../media/media.statements.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { oldEntities } from './old-style-entities.ts'
import { bothIds, type OldObject } from './old-style-json.ts'

/** What the author of a post said about its video. */
export interface VideoWords {
  title?: string
  description?: string
  call_to_actions?: { visit_site?: { url: string }; watch_now?: { url: string }; app_install?: Record<string, string> }
}

/**
 * The entities of a text in the old style with the media of its post: the first of several pictures stands among them, all in
 * the extended entities, and their links are not told again among the others.
 */
export function entitiesWithMedia(
  entities: WireEntities,
  shown: readonly MediaFacts[],
  users: ReadonlyMap<string, { name: string }>,
  words: VideoWords | null = null,
): OldObject {
  const media = mediaEntities(shown, entities, words)
  const urls = entities.urls?.filter((item) => item.media_key === undefined)
  const others = oldEntities({ ...entities, ...(urls ? { urls } : {}) }, users)
  if (media.length === 0) return { entities: others }
  return { entities: { ...others, media: media.slice(0, 1) }, extended_entities: { media } }
}

function mediaEntities(
  media: readonly MediaFacts[],
  { urls = [] }: WireEntities,
  words: VideoWords | null,
): OldObject[] {
  return media.map((item) => {
    // Posts that are not published have no link for their media yet.
    const link = urls.find((url) => url.media_key === item.media_key)
    const picture = (item.type === 'photo' ? item.url : item.preview_image_url) ?? undefined
    return {
      ...bothIds(item.media_id),
      media_key: item.media_key,
      indices: link && [link.start, link.end],
      media_url: picture,
      media_url_https: picture,
      url: link?.url,
      display_url: link?.display_url,
      expanded_url: link?.expanded_url,
      type: item.type,
      sizes: sizesOf(item.width ?? 0, item.height ?? 0),
      video_info: item.type === 'photo' || item.url === null ? undefined : { variants: [{ url: item.url }] },
      additional_media_info: item.type === 'video' && words ? infoOf(words) : undefined,
    }
  })
}

function infoOf({ title, description, call_to_actions: actions }: VideoWords): OldObject | undefined {
  const info = { title, description, call_to_actions: actions as OldObject | undefined }
  return Object.values(info).some((value) => value !== undefined) ? info : undefined
}

const THUMB = 150
const LONGEST_SIDES = { small: 680, medium: 1200, large: 2048 }

function sizesOf(width: number, height: number): OldObject {
  const within = (longest: number) => {
    const shrink = Math.min(1, longest / Math.max(width, height, 1))
    return { w: Math.round(width * shrink), h: Math.round(height * shrink), resize: 'fit' }
  }
  return {
    thumb: { w: Math.min(THUMB, width), h: Math.min(THUMB, height), resize: 'crop' },
    small: within(LONGEST_SIDES.small),
    medium: within(LONGEST_SIDES.medium),
    large: within(LONGEST_SIDES.large),
  }
}
