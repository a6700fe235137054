import type { MediaFacts } from '../media/media.statements.ts'
import type { UrlEntity } from '../text/wire-text.ts'
import { type V1Object, v1Ids } from './v1-json.ts'

/** What the author of a post says about its video. */
export interface VideoDetails {
  title?: string
  description?: string
  call_to_actions?: { visit_site?: { url: string }; watch_now?: { url: string }; app_install?: Record<string, string> }
}

/** A media item of a post in the shape of version 1.1. A post that is not published has no link to its media yet. */
export function composeV1Media(item: MediaFacts, link: UrlEntity | undefined, details: VideoDetails | null): V1Object {
  const picture = (item.type === 'photo' ? item.url : item.preview_image_url) ?? undefined
  return {
    ...v1Ids(item.media_id),
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
    additional_media_info: item.type === 'video' && details ? additionalInfo(details) : undefined,
  }
}

function additionalInfo({ title, description, call_to_actions: actions }: VideoDetails): V1Object | undefined {
  const info = { title, description, call_to_actions: actions as V1Object | undefined }
  return Object.values(info).some((value) => value !== undefined) ? info : undefined
}

const THUMB_SIDE = 150
const LONGEST_SIDES = { small: 680, medium: 1200, large: 2048 }

function sizesOf(width: number, height: number): V1Object {
  const within = (longest: number) => {
    const shrink = Math.min(1, longest / Math.max(width, height, 1))
    return { w: Math.round(width * shrink), h: Math.round(height * shrink), resize: 'fit' }
  }
  return {
    thumb: { w: Math.min(THUMB_SIDE, width), h: Math.min(THUMB_SIDE, height), resize: 'crop' },
    small: within(LONGEST_SIDES.small),
    medium: within(LONGEST_SIDES.medium),
    large: within(LONGEST_SIDES.large),
  }
}
