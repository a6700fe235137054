import { defaultPictureUrl } from '../users/default-picture.ts'
import type { UserMetricsRow, UserRow } from '../users/user.parts.ts'
import { type V1Object, v1Ids, v1Time } from './v1-json.ts'

export interface V1UserOptions {
  /** How a location or description that the user has not set is shown. */
  unsetText?: null | ''
}

/** A user in the shape of version 1.1. */
export const composeV1User = (
  baseUrl: string,
  row: UserRow,
  counts: UserMetricsRow | undefined,
  { unsetText = null }: V1UserOptions = {},
): V1Object => ({
  ...v1Ids(row.id),
  name: row.name,
  screen_name: row.username,
  location: row.location || unsetText,
  url: row.url || null,
  description: row.description || unsetText,
  protected: row.protected,
  verified: row.verified_type !== 'none',
  followers_count: counts?.followers_count ?? 0,
  friends_count: counts?.following_count ?? 0,
  listed_count: counts?.listed_count ?? 0,
  favourites_count: counts?.like_count ?? 0,
  statuses_count: counts?.post_count ?? 0,
  created_at: v1Time(row.created_at.getTime()),
  geo_enabled: row.geo_enabled,
  default_profile_image: row.profile_image_url === null,
  profile_image_url: row.profile_image_url ?? defaultPictureUrl(baseUrl, row.id),
  profile_image_url_https: row.profile_image_url ?? defaultPictureUrl(baseUrl, row.id),
  profile_banner_url: row.profile_banner_url ?? undefined,
  withheld_in_countries: row.withheld_countries,
})
