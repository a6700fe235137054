/** How a criterion compares. */
export const CRITERION_OPERATORS = ['EQ', 'NE', 'GTE', 'LT'] as const
export type Operator = (typeof CRITERION_OPERATORS)[number]

/** What the value of a criterion is. */
type ValueKind =
  | 'age'
  | 'app category'
  | 'app list'
  | 'audience'
  | 'campaign'
  | 'content category'
  | 'conversation'
  | 'device'
  | 'engagement'
  | 'event'
  | 'full user'
  | 'gender'
  | 'interest'
  | 'keyword'
  | 'language'
  | 'location'
  | 'months'
  | 'network operator'
  | 'platform'
  | 'platform version'
  | 'promotable user'
  | 'publisher'
  | 'show'
  | 'user'
  | 'yes'

/** The facts about a targeting type that the rules use. */
export interface TypeFacts {
  value: ValueKind
  /** Criteria of primary types add users; criteria of the other types narrow the result. */
  primary?: boolean
  operators?: readonly Operator[]
  /** Maximum number of criteria of the type on a line item. */
  max?: number
  /** The account must have one of these features. */
  features?: readonly string[]
  /** Allowed when search is the only placement. */
  onSearch?: boolean
  batchOnly?: boolean
}

const ENGAGER = ['ENGAGER_RETARGETING']
const APP_CATEGORY = ['INSTALLED_APP_CATEGORY_TARGETING']

/** Every targeting type. */
const TARGETING_TYPES = {
  AGE: { value: 'age', max: 1, features: ['AGE_TARGETING', 'VALIDATED_AGE_TARGETING'], onSearch: true },
  DEVICE: { value: 'device', onSearch: true },
  EVENT: { value: 'event', max: 1, features: ['EVENT_TARGETING'], onSearch: true },
  CAMPAIGN_ENGAGEMENT: { value: 'campaign', features: ENGAGER },
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: { value: 'campaign', features: ENGAGER },
  CONVERSATION: { value: 'conversation' },
  ENGAGEMENT_TYPE: { value: 'engagement', features: ENGAGER },
  FOLLOWERS_OF_USER: { value: 'full user', primary: true },
  GENDER: { value: 'gender', onSearch: true },
  INTEREST: { value: 'interest', primary: true, max: 100 },
  LANGUAGE: { value: 'language', onSearch: true },
  LIVE_TV_EVENT: { value: 'event' },
  LOCATION: { value: 'location', max: 2_000, onSearch: true },
  NETWORK_ACTIVATION_DURATION: { value: 'months', operators: ['LT', 'GTE'], onSearch: true },
  NETWORK_OPERATOR: { value: 'network operator', onSearch: true },
  PLATFORM: { value: 'platform', onSearch: true },
  PLATFORM_VERSION: { value: 'platform version', operators: ['EQ', 'GTE', 'LT'], onSearch: true },
  SIMILAR_TO_FOLLOWERS_OF_USER: { value: 'user', primary: true, max: 100 },
  TV_SHOW: { value: 'show', primary: true },
  USER_ENGAGEMENT: { value: 'promotable user', features: ENGAGER },
  USER_ENGAGEMENT_LOOKALIKE: { value: 'promotable user', features: ENGAGER },
  WIFI_ONLY: { value: 'yes', operators: ['EQ'], max: 1, onSearch: true },
  BROAD_KEYWORD: { value: 'keyword', primary: true, onSearch: true },
  EXACT_KEYWORD: { value: 'keyword', primary: true, onSearch: true },
  PHRASE_KEYWORD: { value: 'keyword', primary: true, onSearch: true },
  UNORDERED_KEYWORD: { value: 'keyword', primary: true, onSearch: true },
  CUSTOM_AUDIENCE: { value: 'audience', primary: true, onSearch: true },
  // Lookalikes cannot be excluded.
  CUSTOM_AUDIENCE_EXPANDED: { value: 'audience', primary: true, operators: ['EQ'] },
  APP_STORE_CATEGORY: { value: 'app category', features: APP_CATEGORY },
  APP_STORE_CATEGORY_LOOKALIKE: { value: 'app category', features: APP_CATEGORY },
  APP_LIST: { value: 'app list', operators: ['NE'] },
  IAB_CATEGORY: { value: 'content category', batchOnly: true },
  CONTENT_PUBLISHER_USER: { value: 'publisher', operators: ['NE'], batchOnly: true },
} satisfies Record<string, TypeFacts>

type TargetingType = keyof typeof TARGETING_TYPES
export const TYPE_NAMES = Object.keys(TARGETING_TYPES) as TargetingType[]
export const factsOf = (type: string): TypeFacts => TARGETING_TYPES[type as TargetingType]

/** Types whose value is a word or phrase, and how many of them a line item can have. */
export const KEYWORD_TYPES: readonly string[] = TYPE_NAMES.filter((type) => TARGETING_TYPES[type].value === 'keyword')
export const MOST_KEYWORDS = 1_000

export const AGES = [
  'AGE_13_TO_24',
  'AGE_13_TO_34',
  'AGE_13_TO_49',
  'AGE_13_TO_54',
  'AGE_OVER_13',
  'AGE_18_TO_34',
  'AGE_18_TO_49',
  'AGE_18_TO_54',
  'AGE_OVER_18',
  'AGE_21_TO_34',
  'AGE_21_TO_49',
  'AGE_21_TO_54',
  'AGE_OVER_21',
  'AGE_25_TO_49',
  'AGE_25_TO_54',
  'AGE_OVER_25',
  'AGE_35_TO_49',
  'AGE_35_TO_54',
  'AGE_OVER_35',
  'AGE_OVER_50',
] as const

export const ENGAGEMENT_TYPES = [
  'IMPRESSION',
  'ENGAGEMENT',
  'VIDEO_VIEW',
  'VIDEO_VIEW_PARTIAL',
  'VIDEO_VIEW_COMPLETE',
] as const

export const CRITERION_GENDERS: Record<string, string> = { 1: 'Male', 2: 'Female' }
