import { OTHER_ENGAGEMENTS, type PostCount } from './facts.ts'

/** Counts of a post in a period; what is missing is zero. */
export type Counts<N extends string> = { readonly [K in N]?: number | null }

const sum = (counts: Counts<PostCount>, ...names: readonly PostCount[]): number =>
  names.reduce((total, name) => total + (counts[name] ?? 0), 0)

const one =
  (name: PostCount) =>
  (counts: Counts<PostCount>): number =>
    counts[name] ?? 0

// Everything that somebody did with a post. Seeing it, playing its video and undoing something are not among it.
const ENGAGEMENTS: readonly PostCount[] = [
  'likes',
  'replies',
  'reposts',
  'quote_posts',
  'bookmarks',
  'url_clicks',
  'user_profile_clicks',
  ...OTHER_ENGAGEMENTS,
]

/** The metrics of the analytics of a post. */
export const ANALYTICS_METRICS = {
  app_install_attempts: one('app_install_attempts'),
  app_opens: one('app_opens'),
  bookmarks: one('bookmarks'),
  detail_expands: one('detail_expands'),
  email_post: one('email_post'),
  engagements: (counts: Counts<PostCount>) => sum(counts, ...ENGAGEMENTS),
  follows: one('follows'),
  hashtag_clicks: one('hashtag_clicks'),
  impressions: one('impressions'),
  likes: one('likes'),
  // Links in the text, and the link of a video.
  link_clicks: (counts: Counts<PostCount>) => sum(counts, 'url_clicks', 'cta_url_clicks'),
  media_engagements: one('media_engagements'),
  media_views: one('media_views'),
  permalink_clicks: one('permalink_clicks'),
  profile_visits: one('user_profile_clicks'),
  quote_posts: one('quote_posts'),
  replies: one('replies'),
  reposts: one('reposts'),
  shares: one('shares'),
  unfollows: one('unfollows'),
  unlikes: one('unlikes'),
  url_clicks: one('url_clicks'),
  user_profile_clicks: one('user_profile_clicks'),
}

export type AnalyticsMetric = keyof typeof ANALYTICS_METRICS

/** The metrics of insights, in their own names. */
export const INSIGHT_METRICS = {
  AppInstallAttempts: ANALYTICS_METRICS.app_install_attempts,
  AppOpens: ANALYTICS_METRICS.app_opens,
  DetailExpands: ANALYTICS_METRICS.detail_expands,
  EmailPost: ANALYTICS_METRICS.email_post,
  Engagements: ANALYTICS_METRICS.engagements,
  Follows: ANALYTICS_METRICS.follows,
  HashtagClicks: ANALYTICS_METRICS.hashtag_clicks,
  Impressions: ANALYTICS_METRICS.impressions,
  Likes: ANALYTICS_METRICS.likes,
  LinkClicks: ANALYTICS_METRICS.link_clicks,
  MediaEngagements: ANALYTICS_METRICS.media_engagements,
  MediaViews: ANALYTICS_METRICS.media_views,
  PermalinkClicks: ANALYTICS_METRICS.permalink_clicks,
  ProfileVisits: ANALYTICS_METRICS.profile_visits,
  QuotePosts: ANALYTICS_METRICS.quote_posts,
  Replies: ANALYTICS_METRICS.replies,
  Reposts: ANALYTICS_METRICS.reposts,
  UniqueVideoViews: one('unique_video_views'),
  UrlClicks: ANALYTICS_METRICS.url_clicks,
  UserProfileClicks: ANALYTICS_METRICS.user_profile_clicks,
  VideoCompletions: one('video_completions'),
  VideoPlayed25Percent: one('video_played25'),
  VideoPlayed50Percent: one('video_played50'),
  VideoPlayed75Percent: one('video_played75'),
  VideoStarts: one('video_starts'),
  VideoViews: one('video_views'),
}

export type InsightMetric = keyof typeof INSIGHT_METRICS
