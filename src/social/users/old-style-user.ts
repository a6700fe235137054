import type { Part } from '../../api-kit/declaring/part.ts'
import { bothIds, type OldObject, oldTime } from '../posts/old-style-json.ts'
import type { userMetrics, userRow } from './user.parts.ts'

type ValueOf<P> = P extends Part<infer V> ? V : never
type UserRow = ValueOf<typeof userRow>
type UserCounts = ValueOf<typeof userMetrics>

const orNull = (text: string): string | null => (text === '' ? null : text)

/** A user in the style of version 1.1. */
export const oldUser = (row: UserRow, counts: UserCounts | undefined): OldObject => ({
  ...bothIds(row.id),
  name: row.name,
  screen_name: row.username,
  location: orNull(row.location),
  url: orNull(row.url),
  description: orNull(row.description),
  protected: row.protected,
  verified: row.verified_type !== 'none',
  followers_count: counts?.followers_count ?? 0,
  friends_count: counts?.following_count ?? 0,
  listed_count: counts?.listed_count ?? 0,
  favourites_count: counts?.like_count ?? 0,
  statuses_count: counts?.post_count ?? 0,
  created_at: oldTime(row.created_at.getTime()),
  geo_enabled: row.geo_enabled,
  default_profile_image: row.profile_image_url === null,
  profile_image_url: row.profile_image_url,
  profile_image_url_https: row.profile_image_url,
  profile_banner_url: row.profile_banner_url ?? undefined,
  withheld_in_countries: row.withheld_countries,
})
