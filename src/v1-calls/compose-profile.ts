import type { UrlEntity } from '../social/text/wire-text.ts'
import type { RelationRow, UserMetricsRow, UserRow } from '../social/users/user.parts.ts'
import { composeV1User } from '../social/v1/compose-user.ts'
import { type V1Object, v1NumericId } from '../social/v1/v1-json.ts'

/** What nobody can choose any more; libraries still read it. */
const FIXED_APPEARANCE: V1Object = {
  utc_offset: null,
  time_zone: null,
  lang: null,
  contributors_enabled: false,
  is_translator: false,
  is_translation_enabled: false,
  translator_type: 'none',
  has_extended_profile: true,
  default_profile: true,
  profile_background_color: 'F5F8FA',
  profile_background_image_url: null,
  profile_background_image_url_https: null,
  profile_background_tile: false,
  profile_link_color: '1DA1F2',
  profile_sidebar_border_color: 'C0DEED',
  profile_sidebar_fill_color: 'DDEEF6',
  profile_text_color: '333333',
  profile_use_background_image: true,
}

/** A user as the calls of version 1.1 show them; without a viewer, what depends on the viewer is false. */
export function composeProfile(
  baseUrl: string,
  row: UserRow,
  counts: UserMetricsRow | undefined,
  viewer: RelationRow | undefined,
  { withEntities }: { withEntities: boolean },
): V1Object {
  return {
    ...composeV1User(baseUrl, row, counts, { unsetText: '' }),
    ...(withEntities ? { entities: composeEntities(row) } : {}),
    ...FIXED_APPEARANCE,
    following: viewer?.follows ?? false,
    follow_request_sent: viewer?.follow_pending ?? false,
    notifications: false,
    blocking: viewer?.blocks ?? false,
    blocked_by: viewer?.blocked_by ?? false,
    muting: viewer?.mutes ?? false,
    pinned_post_ids: row.pinned_post_id === null ? [] : [v1NumericId(row.pinned_post_id)!],
    pinned_post_ids_str: row.pinned_post_id === null ? [] : [row.pinned_post_id],
  }
}

type Links = { urls?: UrlEntity[] } | null

function composeEntities(row: UserRow): V1Object {
  const linksOf = (entities: Links): V1Object => ({
    urls: (entities?.urls ?? []).map((item) => ({
      url: item.url,
      expanded_url: item.expanded_url,
      display_url: item.display_url,
      indices: [item.start, item.end],
    })),
  })
  return {
    ...(row.url === '' ? {} : { url: linksOf(row.url_entities as Links) }),
    description: linksOf(row.description_entities as Links),
  }
}
