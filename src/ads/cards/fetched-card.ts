import { component, Type } from '../../api-kit/declaring/schema.ts'
import { shortLink } from '../../social/links/short-link.ts'
import { displayUrl } from '../../social/text/display-url.ts'
import { timeKind } from '../kit/values.ts'
import type { CardComponent, Destination } from './card-components.schemas.ts'
import { imageMembers, type ShownMedia, videoMembers } from './shown-media.ts'

const Text = Type.String()

const MEMBERS = [
  'title',
  'country_code',
  'app_cta',
  'platform_a_app_id',
  'platform_a_deep_link',
  'platform_b_app_store_identifier',
  'platform_b_deep_link',
  'wide_app_image',
  'image',
  'image_display_height',
  'image_display_width',
  'website_url',
  'website_dest_url',
  'website_display_url',
  'website_shortened_url',
  'video_url',
  'video_hls_url',
  'video_owner_id',
  'video_content_id',
  'video_width',
  'video_height',
  'video_poster_url',
  'video_poster_width',
  'video_poster_height',
  'content_duration_seconds',
  'first_choice',
  'second_choice',
  'third_choice',
  'fourth_choice',
  'duration_in_minutes',
  'first_cta',
  'second_cta',
  'third_cta',
  'fourth_cta',
  'first_cta_post',
  'second_cta_post',
  'third_cta_post',
  'fourth_cta_post',
  'thank_you_text',
  'thank_you_url',
  'unlocked_image_url',
] as const

/** A card of any type, as flat members; those that its type does not have are left out. */
export const FetchedCard = component(
  'FetchedCard',
  Type.Object({
    id: Text,
    name: Text,
    card_uri: Text,
    card_type: Text,
    ...Object.fromEntries(MEMBERS.map((name) => [name, Type.Optional(Text)])),
    start_time: Type.Optional(timeKind.schema),
    end_time: Type.Optional(timeKind.schema),
    created_at: timeKind.schema,
    updated_at: timeKind.schema,
    deleted: Type.Boolean(),
  }),
)

/** A typed card, with the members of its media item. */
export const fetchTypedCard = (
  { media }: { media: ShownMedia | null },
  shown: Record<string, unknown>,
): Record<string, unknown> => ({ ...mediaMembers(media), ...shown })

/** A component card with its media item and destination as flat members. */
export const fetchComponentCard = (
  { components, media }: { components: CardComponent[] | null; media: Record<string, ShownMedia> | null },
  shown: Record<string, unknown>,
): Record<string, unknown> => ({ ...shown, ...flattened(components ?? [], media ?? {}) })

function mediaMembers(media: ShownMedia | null | undefined): Record<string, string | undefined> {
  if (!media) return {}
  const owner = { video_owner_id: media.owner_user_id, video_content_id: media.media_key }
  return media.type === 'video' ? { ...videoMembers(media), ...owner } : imageMembers(media)
}

/** The single media item and destination of a card. What a carousel has several of is left out. */
function flattened(components: CardComponent[], media: Record<string, ShownMedia>): Record<string, unknown> {
  const key = components.find((item) => item.type === 'MEDIA')?.media_key
  const details = components.find((item) => item.type === 'DETAILS')
  const button = components.find((item) => item.type === 'BUTTON')
  const shown = key === undefined ? undefined : media[key]
  const members = mediaMembers(shown)
  if (button && shown?.type === 'photo') {
    members.wide_app_image = members.image
    delete members.image
  }
  return {
    ...members,
    ...(details ? { title: details.title, ...websiteMembers(details.destination!) } : {}),
    ...(button ? { app_cta: button.label!.value, ...appMembers(button.destination!) } : {}),
  }
}

const websiteMembers = ({ url }: Destination) => ({
  website_url: url,
  website_dest_url: url,
  website_display_url: displayUrl(url!),
  website_shortened_url: shortLink(url!),
})

const appMembers = ({ type: _, url: __, ...members }: Destination) => members
