/** Where a query is used: search and counts of recent posts, the same of all posts, rules of the filtered stream and of the power stream. */
export type QueryScope = 'recent' | 'all' | 'stream' | 'power'

/** What an operator needs and where it exists. */
interface OperatorRule {
  /** Can be the only clause of a query. */
  standalone: boolean
  scopes: readonly QueryScope[]
  /** What is wrong with a value; undefined when it is valid. */
  fault(value: string, scope: QueryScope): string | undefined
  /** False for operators that cannot be negated. */
  negatable?: boolean
  /** The operator that this is another name of; `words` for one that stands for keywords. */
  means?: string
  /** True for operators that have one spelling in both namings. */
  oneSpelling?: boolean
}

const SEARCH: readonly QueryScope[] = ['recent', 'all']
const STREAM: readonly QueryScope[] = ['stream']
const SEARCH_AND_STREAM: readonly QueryScope[] = [...SEARCH, 'stream']
const STREAMS: readonly QueryScope[] = ['stream', 'power']
const EVERYWHERE: readonly QueryScope[] = [...SEARCH, ...STREAMS]

/** The languages that posts can be searched for. */
export const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu iw hi hu in it ja kn ko lv lt ml mr no fa pl pt ro ru sr zh-cn sk sl es sv ta te th ' +
    'zh-tw tr uk ur vi'
  ).split(' '),
)

const any = () => undefined
const digits = (value: string) => (/^[0-9]{1,19}$/.test(value) ? undefined : 'must be a number of up to 19 digits')
const account = (value: string) =>
  /^@?[A-Za-z0-9_]{1,15}$|^[0-9]{1,19}$/.test(value) ? undefined : 'must be a username or a user id'
const count = (value: string) => (/^[0-9]{1,9}$/.test(value) ? undefined : 'must be a whole number')
const range = (value: string) =>
  readRange(value) ? undefined : 'must be a whole number or a range such as 10..100 or 10..'
const percent = (value: string) =>
  /^([1-9][0-9]?|100)$/.test(value) ? undefined : 'must be a whole number from 1 to 100'
const oneOf =
  (allowed: readonly string[], ofPower: readonly string[] = allowed) =>
  (value: string, scope: QueryScope) => {
    const here = scope === 'power' ? ofPower : allowed
    return here.includes(value.toLowerCase()) ? undefined : `must be one of ${here.join(', ')}`
  }
const MAX_MILES = 25
const KM_OF_MILE = 1.609344
export const EARTH_RADIUS_KM = 6_371
const KM_OF_DEGREE = (2 * Math.PI * EARTH_RADIUS_KM) / 360

const isOnEarth = (lon: number, lat: number): boolean => Math.abs(lon) <= 180 && Math.abs(lat) <= 90
const OFF_EARTH = 'must have longitudes from -180 to 180 and latitudes from -90 to 90, the longitude first'

function circle(value: string): string | undefined {
  if (readNumbers(value)?.length !== 3) return 'must be 3 numbers in brackets'
  const { lon, lat, km } = readCircle(value)
  if (!isOnEarth(lon, lat)) return OFF_EARTH
  return km > 0 && km <= MAX_MILES * KM_OF_MILE ? undefined : `must have a radius above 0 and up to ${MAX_MILES}mi`
}

function box(value: string): string | undefined {
  const sides = readNumbers(value)
  if (sides?.length !== 4) return 'must be 4 numbers in brackets'
  const [west, south, east, north] = sides as [number, number, number, number]
  if (!isOnEarth(west, south) || !isOnEarth(east, north)) return OFF_EARTH
  if (west >= east || south >= north) return 'must be west, south, east and north, in this order'
  // Of the two sides along latitudes, the one nearer to the equator is longer.
  const nearest = south > 0 ? south : north < 0 ? north : 0
  const width = (east - west) * KM_OF_DEGREE * Math.cos((nearest * Math.PI) / 180)
  const longest = Math.max(width, (north - south) * KM_OF_DEGREE)
  return longest <= MAX_MILES * KM_OF_MILE ? undefined : `must have sides of up to ${MAX_MILES}mi`
}

/** The numbers of `[1 2 3]`, without the unit of length that may follow the last one. */
export function readNumbers(value: string): number[] | undefined {
  const match = /^\[\s*([^\]]*?)\s*(?:mi|km)?\s*\]$/i.exec(value)
  const parts = match?.[1]?.split(/[\s,]+/).map(Number)
  return parts?.every(Number.isFinite) ? parts : undefined
}

/** The circle of a checked `[lon lat radius]`; a radius without a unit is in kilometres. */
export function readCircle(value: string): { lon: number; lat: number; km: number } {
  const [lon, lat, radius] = readNumbers(value) as [number, number, number]
  return { lon, lat, km: /mi\s*\]$/i.test(value) ? radius * KM_OF_MILE : radius }
}

/** The bounds of `10..100`. `10..` and a single number have no upper bound. */
export function readRange(value: string): { min: number; max: number } | undefined {
  const match = /^([0-9]{1,9})(?:\.\.([0-9]{1,9})?)?$/.exec(value)
  if (!match) return undefined
  const min = Number(match[1])
  const max = match[2] === undefined ? Number.POSITIVE_INFINITY : Number(match[2])
  return min <= max ? { min, max } : undefined
}

const IS_VALUES = ['repost', 'reply', 'quote', 'verified', 'nullcast'] as const
const HAS_VALUES = [
  'hashtags',
  'cashtags',
  'links',
  'mentions',
  'media',
  'images',
  'video_link',
  'videos',
  'geo',
] as const
const POWER_IS_VALUES = ['repost', 'reply'] as const
const POWER_HAS_VALUES = ['mentions', 'geo', 'links', 'media', 'lang', 'symbols', 'images', 'videos'] as const

/** Operators whose value is a user, by name or id. */
export const ACCOUNT_OPERATORS: ReadonlySet<string> = new Set([
  'from',
  'to',
  'reposts_of',
  'from_affiliate_of',
  'to_affiliate_of',
])

const rule = (
  standalone: boolean,
  scopes: readonly QueryScope[],
  fault: OperatorRule['fault'],
  more: Pick<OperatorRule, 'negatable' | 'means' | 'oneSpelling'> = {},
): OperatorRule => ({ standalone, scopes, fault, ...more })

/** Every operator of the query language, by its neutral name. */
export const QUERY_OPERATORS: Readonly<Record<string, OperatorRule>> = {
  from: rule(true, EVERYWHERE, account),
  to: rule(true, EVERYWHERE, account),
  reposts_of: rule(true, EVERYWHERE, account),
  from_affiliate_of: rule(true, STREAM, account),
  to_affiliate_of: rule(true, STREAM, account),
  contains: rule(true, ['power'], any, { means: 'words' }),
  url: rule(true, SEARCH_AND_STREAM, any),
  url_title: rule(true, STREAM, any),
  url_description: rule(true, STREAM, any),
  url_contains: rule(true, STREAMS, any),
  context: rule(true, SEARCH_AND_STREAM, (value) =>
    /^(?:\d+\.(?:\d+|\*)|\*\.\d+)$/.test(value)
      ? undefined
      : 'must be a domain id, a full stop and an entity id, one of which may be *',
  ),
  entity: rule(true, ['recent', 'stream'], any),
  conversation_id: rule(true, SEARCH_AND_STREAM, digits),
  list: rule(true, SEARCH_AND_STREAM, digits),
  in_reply_to_post_id: rule(true, SEARCH_AND_STREAM, digits),
  in_reply_to_status_id: rule(true, EVERYWHERE, digits, { means: 'in_reply_to_post_id' }),
  reposts_of_post_id: rule(true, SEARCH_AND_STREAM, digits),
  reposts_of_status_id: rule(true, EVERYWHERE, digits, { means: 'reposts_of_post_id' }),
  quotes_of_post_id: rule(true, SEARCH, digits),
  place: rule(true, EVERYWHERE, any),
  place_country: rule(true, SEARCH_AND_STREAM, (value) =>
    /^[A-Za-z]{2}$/.test(value) ? undefined : 'must be a country code of two letters',
  ),
  point_radius: rule(true, EVERYWHERE, circle),
  bounding_box: rule(true, EVERYWHERE, box),
  bio: rule(true, STREAMS, any),
  bio_name: rule(true, STREAMS, any),
  bio_location: rule(true, STREAM, any),
  is: rule(false, EVERYWHERE, oneOf(IS_VALUES, POWER_IS_VALUES)),
  has: rule(false, EVERYWHERE, oneOf(HAS_VALUES, POWER_HAS_VALUES)),
  lang: rule(false, EVERYWHERE, (value) =>
    LANGUAGES.has(value.toLowerCase()) ? undefined : `must be one of ${[...LANGUAGES].join(', ')}`,
  ),
  source: rule(false, STREAM, any),
  sample: rule(false, STREAM, percent, { negatable: false }),
  min_likes: rule(true, SEARCH_AND_STREAM, count),
  min_replies: rule(true, SEARCH_AND_STREAM, count),
  min_reposts: rule(true, SEARCH_AND_STREAM, count, { oneSpelling: true }),
  min_followers: rule(true, STREAM, count),
  followers_count: rule(true, STREAM, range),
  following_count: rule(true, STREAM, range),
  posts_count: rule(true, STREAM, range),
  listed_count: rule(true, STREAM, range),
}
