/** Where a query is used: recent search and counts, search of everything, stream rules. */
export type Place = 'recent' | 'all' | 'stream'

/** What an operator needs and where it exists. */
export interface OperatorRule {
  /** May stand without another standalone clause. */
  standalone: boolean
  places: readonly Place[]
  /** Why a value can not be used; undefined when it can. */
  fault(value: string): string | undefined
  /** False for operators that can only stand negated. */
  positive?: boolean
}

const EVERYWHERE: readonly Place[] = ['recent', 'all', 'stream']
const SEARCH: readonly Place[] = ['recent', 'all']

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
const oneOf = (allowed: readonly string[]) => (value: string) =>
  allowed.includes(value.toLowerCase()) ? undefined : `must be one of ${allowed.join(', ')}`
const numbers = (amount: number) => (value: string) =>
  readNumbers(value)?.length === amount ? undefined : `must be ${amount} numbers in brackets`

/** The numbers of `[1 2 3]`; a distance unit at the end is kept apart. */
export function readNumbers(value: string): number[] | undefined {
  const match = /^\[\s*([^\]]*?)\s*(?:mi|km)?\s*\]$/i.exec(value)
  const parts = match?.[1]?.split(/[\s,]+/).map(Number)
  return parts?.every(Number.isFinite) ? parts : undefined
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

const rule = (standalone: boolean, places: readonly Place[], fault: OperatorRule['fault']): OperatorRule => ({
  standalone,
  places,
  fault,
})

/** Every operator of the query language, neutral names. */
export const OPERATORS: Readonly<Record<string, OperatorRule>> = {
  from: rule(true, EVERYWHERE, account),
  to: rule(true, EVERYWHERE, account),
  reposts_of: rule(true, EVERYWHERE, account),
  url: rule(true, EVERYWHERE, any),
  context: rule(true, EVERYWHERE, (value) =>
    /^(\d+|\*)\.(\d+|\*)$/.test(value) ? undefined : 'must be a domain id, a full stop and an entity id',
  ),
  entity: rule(true, ['recent', 'stream'], any),
  conversation_id: rule(true, EVERYWHERE, digits),
  list: rule(true, SEARCH, digits),
  in_reply_to_post_id: rule(true, EVERYWHERE, digits),
  reposts_of_post_id: rule(true, EVERYWHERE, digits),
  quotes_of_post_id: rule(true, SEARCH, digits),
  place: rule(true, EVERYWHERE, any),
  place_country: rule(true, EVERYWHERE, (value) =>
    /^[A-Za-z]{2}$/.test(value) ? undefined : 'must be a country code of two letters',
  ),
  point_radius: rule(true, EVERYWHERE, numbers(3)),
  bounding_box: rule(true, EVERYWHERE, numbers(4)),
  is: rule(false, EVERYWHERE, oneOf(IS_VALUES)),
  has: rule(false, EVERYWHERE, oneOf(HAS_VALUES)),
  lang: rule(false, EVERYWHERE, (value) =>
    LANGUAGES.has(value.toLowerCase()) ? undefined : `must be one of ${[...LANGUAGES].join(', ')}`,
  ),
  min_likes: rule(true, SEARCH, count),
  min_replies: rule(true, SEARCH, count),
  min_reposts: rule(true, SEARCH, count),
}
