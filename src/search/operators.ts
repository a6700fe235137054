/** Where a query is used: recent search and counts, search of everything, rules of the filtered and of the power stream. */
export type Place = 'recent' | 'all' | 'stream' | 'power'

/** What an operator needs and where it exists. */
export interface OperatorRule {
  /** May stand without another standalone clause. */
  standalone: boolean
  places: readonly Place[]
  /** Why a value can not be used; undefined when it can. */
  fault(value: string, place: Place): string | undefined
  /** False for operators that can not be negated. */
  negatable?: boolean
  /** The operator of which this is another name; `words` for one that stands for keywords. */
  means?: string
  /** True for operators that have one spelling in both namings. */
  oneSpelling?: boolean
}

const SEARCH: readonly Place[] = ['recent', 'all']
const STREAM: readonly Place[] = ['stream']
const SEARCH_AND_STREAM: readonly Place[] = [...SEARCH, 'stream']
const STREAMS: readonly Place[] = ['stream', 'power']
const EVERYWHERE: readonly Place[] = [...SEARCH, ...STREAMS]

const LANGUAGES = new Set(
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
  (value: string, place: Place) => {
    const here = place === 'power' ? ofPower : allowed
    return here.includes(value.toLowerCase()) ? undefined : `must be one of ${here.join(', ')}`
  }
const numbers = (amount: number) => (value: string) =>
  readNumbers(value)?.length === amount ? undefined : `must be ${amount} numbers in brackets`

/** The numbers of `[1 2 3]`; a distance unit at the end is kept apart. */
export function readNumbers(value: string): number[] | undefined {
  const match = /^\[\s*([^\]]*?)\s*(?:mi|km)?\s*\]$/i.exec(value)
  const parts = match?.[1]?.split(/[\s,]+/).map(Number)
  return parts?.every(Number.isFinite) ? parts : undefined
}

/** The circle of a checked `[lon lat radius]`; a radius without a unit is in kilometres. */
export function readCircle(value: string): { lon: number; lat: number; km: number } {
  const [lon, lat, radius] = readNumbers(value) as [number, number, number]
  return { lon, lat, km: /mi\s*\]$/i.test(value) ? radius * 1.609344 : radius }
}

/** The bounds of `10..100`; of `10..` and of a single number, which asks for as many or more, there is no upper one. */
export function readRange(value: string): { least: number; most: number } | undefined {
  const match = /^([0-9]{1,9})(?:\.\.([0-9]{1,9})?)?$/.exec(value)
  if (!match) return undefined
  const least = Number(match[1])
  const most = match[2] === undefined ? Number.POSITIVE_INFINITY : Number(match[2])
  return least <= most ? { least, most } : undefined
}

export const IS_VALUES = ['repost', 'reply', 'quote', 'verified', 'nullcast'] as const
export const HAS_VALUES = [
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
  places: readonly Place[],
  fault: OperatorRule['fault'],
  more: Pick<OperatorRule, 'negatable' | 'means' | 'oneSpelling'> = {},
): OperatorRule => ({ standalone, places, fault, ...more })

/** Every operator of the query language, neutral names. */
export const OPERATORS: Readonly<Record<string, OperatorRule>> = {
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
    /^(\d+|\*)\.(\d+|\*)$/.test(value) ? undefined : 'must be a domain id, a full stop and an entity id',
  ),
  entity: rule(true, ['recent', 'stream'], any),
  conversation_id: rule(true, SEARCH_AND_STREAM, digits),
  list: rule(true, SEARCH, digits),
  in_reply_to_post_id: rule(true, SEARCH_AND_STREAM, digits),
  in_reply_to_status_id: rule(true, EVERYWHERE, digits, { means: 'in_reply_to_post_id' }),
  reposts_of_post_id: rule(true, SEARCH_AND_STREAM, digits),
  reposts_of_status_id: rule(true, EVERYWHERE, digits, { means: 'reposts_of_post_id' }),
  quotes_of_post_id: rule(true, SEARCH, digits),
  place: rule(true, EVERYWHERE, any),
  place_country: rule(true, SEARCH_AND_STREAM, (value) =>
    /^[A-Za-z]{2}$/.test(value) ? undefined : 'must be a country code of two letters',
  ),
  point_radius: rule(true, EVERYWHERE, numbers(3)),
  bounding_box: rule(true, EVERYWHERE, numbers(4)),
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
