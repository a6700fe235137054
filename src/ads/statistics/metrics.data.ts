/** Ways to divide the people that statistics count. */
export const SEGMENTATION_TYPES = ['AGE', 'GENDER', 'METROS', 'PLATFORMS', 'CONVERSION_TAGS'] as const
export type SegmentationType = (typeof SEGMENTATION_TYPES)[number]

export const METRIC_GROUPS = [
  'ENGAGEMENT',
  'BILLING',
  'VIDEO',
  'WEB_CONVERSION',
  'MOBILE_CONVERSION',
  'LIFE_TIME_VALUE_MOBILE_CONVERSION',
] as const
export type MetricGroup = (typeof METRIC_GROUPS)[number]

export const STATS_ENTITIES = [
  'ACCOUNT',
  'CAMPAIGN',
  'FUNDING_INSTRUMENT',
  'LINE_ITEM',
  'PROMOTED_ACCOUNT',
  'PROMOTED_POST',
] as const
export type StatsEntity = (typeof STATS_ENTITIES)[number]

/** The metrics of accounts and funding instruments. */
export const BASE_METRICS = ['engagements', 'impressions', 'reposts', 'replies', 'likes', 'follows'] as const

/** Metrics that `ads_hour` has as columns, by group. The name of a column differs for charges. */
export const COUNTED_METRICS = {
  ENGAGEMENT: [
    ...BASE_METRICS,
    'card_engagements',
    'clicks',
    'app_clicks',
    'url_clicks',
    'qualified_impressions',
    'carousel_swipes',
  ],
  BILLING: ['billed_engagements', 'billed_charge_local_micro'],
  VIDEO: [
    'video_total_views',
    'video_views_25',
    'video_views_50',
    'video_views_75',
    'video_views_100',
    'video_cta_clicks',
    'video_content_starts',
    'video_3s100pct_views',
    'video_6s_views',
    'video_15s_views',
  ],
} as const
export type CountedGroup = keyof typeof COUNTED_METRICS
export const COUNTED_GROUPS = Object.keys(COUNTED_METRICS) as CountedGroup[]

/** Members of the sample answers that no ad here leads to: they are always null. */
export const UNCOUNTED_METRICS = ['posts_send', 'unfollows', 'poll_card_vote'] as const

const FIRST_WEB_CONVERSIONS = [
  'conversion_purchases',
  'conversion_sign_ups',
  'conversion_site_visits',
  'conversion_downloads',
  'conversion_custom',
] as const
/** The web conversions that are also divided by their tags. */
const TAGGED_WEB_CONVERSIONS = [
  'conversion_add_to_carts',
  'conversion_checkouts_initiated',
  'conversion_content_views',
  'conversion_payment_info_additions',
  'conversion_add_to_wishlists',
  'conversion_searches',
  'conversion_landing_page_views',
  'conversion_subscriptions',
] as const

const mobile = <const N extends string>(...names: N[]): `mobile_conversion_${N}`[] =>
  names.map((name) => `mobile_conversion_${name}` as const)

export const CONVERSION_METRICS = {
  WEB_CONVERSION: [...FIRST_WEB_CONVERSIONS, ...TAGGED_WEB_CONVERSIONS],
  MOBILE_CONVERSION: mobile(
    'spent_credits',
    'installs',
    'content_views',
    'add_to_wishlists',
    'checkouts_initiated',
    'reservations',
    'tutorials_completed',
    'achievements_unlocked',
    'searches',
    'add_to_carts',
    'payment_info_additions',
    're_engages',
    'shares',
    'rates',
    'logins',
    'updates',
    'levels_achieved',
    'invites',
    'key_page_views',
    'downloads',
    'purchases',
    'sign_ups',
    'site_visits',
  ),
  LIFE_TIME_VALUE_MOBILE_CONVERSION: mobile(
    'lifetime_value_purchases',
    'lifetime_value_sign_ups',
    'lifetime_value_updates',
    'lifetime_value_tutorials_completed',
    'lifetime_value_reservations',
    'lifetime_value_add_to_carts',
    'lifetime_value_add_to_wishlists',
    'lifetime_value_checkouts_initiated',
    'lifetime_value_levels_achieved',
    'lifetime_value_achievements_unlocked',
    'lifetime_value_shares',
    'lifetime_value_invites',
    'lifetime_value_payment_info_additions',
    'lifetime_value_spent_credits',
    'lifetime_value_rates',
  ),
} as const
export type ConversionGroup = keyof typeof CONVERSION_METRICS

export const isCountedGroup = (group: MetricGroup): group is CountedGroup => group in COUNTED_METRICS
export const isConversionGroup = (group: MetricGroup): group is ConversionGroup => group in CONVERSION_METRICS

/** The series of a web conversion, of a mobile one, and of those that have fewer. */
export const WEB_SERIES = [
  'metric',
  'post_view',
  'post_engagement',
  'assisted',
  'order_quantity',
  'order_quantity_view',
  'order_quantity_engagement',
  'sale_amount',
  'sale_amount_view',
  'sale_amount_engagement',
] as const
export const MOBILE_SERIES = ['post_view', 'post_engagement', 'assisted', 'order_quantity', 'sale_amount'] as const
export const KEY_PAGE_VIEW_SERIES = ['post_view', 'post_engagement'] as const

export const seriesOf = (metric: string): readonly string[] =>
  metric.startsWith('conversion_')
    ? WEB_SERIES
    : metric === 'mobile_conversion_key_page_views'
      ? KEY_PAGE_VIEW_SERIES
      : MOBILE_SERIES

/** The metric groups of each kind of record. The reference has none for promoted accounts; they have those of promoted posts. */
export const GROUPS_OF_ENTITY: Record<StatsEntity, readonly MetricGroup[]> = {
  ACCOUNT: ['ENGAGEMENT'],
  FUNDING_INSTRUMENT: ['ENGAGEMENT', 'BILLING'],
  CAMPAIGN: METRIC_GROUPS,
  LINE_ITEM: METRIC_GROUPS,
  PROMOTED_POST: METRIC_GROUPS,
  PROMOTED_ACCOUNT: METRIC_GROUPS,
}

export const hasBaseMetricsOnly = (entity: StatsEntity): boolean =>
  entity === 'ACCOUNT' || entity === 'FUNDING_INSTRUMENT'

const PEOPLE: readonly SegmentationType[] = ['AGE', 'GENDER', 'METROS', 'PLATFORMS']

/** How the metrics of a group can be divided. */
export const SEGMENTATIONS_OF_GROUP: Record<MetricGroup, readonly SegmentationType[]> = {
  ENGAGEMENT: PEOPLE,
  BILLING: PEOPLE,
  VIDEO: PEOPLE,
  WEB_CONVERSION: ['PLATFORMS', 'CONVERSION_TAGS'],
  MOBILE_CONVERSION: PEOPLE,
  LIFE_TIME_VALUE_MOBILE_CONVERSION: [],
}

/** The metrics of a group of conversions. By tag only the newer ones are told. */
export const conversionMetrics = (group: ConversionGroup, by: SegmentationType | null): readonly string[] =>
  by === 'CONVERSION_TAGS' ? TAGGED_WEB_CONVERSIONS : CONVERSION_METRICS[group]
