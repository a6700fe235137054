/**
 * What can follow from showing an ad, as bits of `ads_event.outcomes`. The names are the columns of `ads_hour` that count them;
 * several bits may be set at once.
 */
export const OUTCOME = {
  impressions: 1 << 0,
  /** Any billable engagement: of a click, like, repost, reply or follow, counted once each event. */
  engagements: 1 << 1,
  reposts: 1 << 2,
  replies: 1 << 3,
  likes: 1 << 4,
  follows: 1 << 5,
  card_engagements: 1 << 6,
  clicks: 1 << 7,
  app_clicks: 1 << 8,
  url_clicks: 1 << 9,
  qualified_impressions: 1 << 10,
  carousel_swipes: 1 << 11,
  billed_engagements: 1 << 12,
  video_total_views: 1 << 13,
  video_views_25: 1 << 14,
  video_views_50: 1 << 15,
  video_views_75: 1 << 16,
  video_views_100: 1 << 17,
  video_cta_clicks: 1 << 18,
  video_content_starts: 1 << 19,
  video_3s100pct_views: 1 << 20,
  video_6s_views: 1 << 21,
  video_15s_views: 1 << 22,
} as const

export type OutcomeName = keyof typeof OUTCOME
export const OUTCOME_NAMES = Object.keys(OUTCOME) as OutcomeName[]

export const hasOutcome = (outcomes: number, name: OutcomeName): boolean => (outcomes & OUTCOME[name]) !== 0
