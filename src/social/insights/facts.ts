/** What is counted of a post, in the names of its columns. */
export const POST_COUNTS = [
  'impressions',
  'likes',
  'unlikes',
  'replies',
  'reposts',
  'quote_posts',
  'bookmarks',
  'follows',
  'unfollows',
  'shares',
  'detail_expands',
  'url_clicks',
  'cta_url_clicks',
  'hashtag_clicks',
  'permalink_clicks',
  'user_profile_clicks',
  'email_post',
  'app_opens',
  'app_install_attempts',
  'media_views',
  'media_engagements',
  'video_views',
  'unique_video_views',
  'video_starts',
  'video_played25',
  'video_played50',
  'video_played75',
  'video_completions',
] as const

/** What is counted of a media item. */
export const MEDIA_COUNTS = [
  'video_views',
  'playback_start',
  'playback25',
  'playback50',
  'playback75',
  'playback_complete',
  'play_from_tap',
  'cta_url_clicks',
  'cta_watch_clicks',
  'watch_time_ms',
] as const

export type PostCount = (typeof POST_COUNTS)[number]
export type MediaCount = (typeof MEDIA_COUNTS)[number]

/** Clicks, shares and follows: engagements that the metrics of a post do not name. */
export const OTHER_ENGAGEMENTS = [
  'follows',
  'shares',
  'detail_expands',
  'hashtag_clicks',
  'permalink_clicks',
  'email_post',
  'app_opens',
  'app_install_attempts',
  'media_engagements',
] as const satisfies readonly PostCount[]

interface KindRule {
  post: readonly PostCount[]
  /** Set for what happens to a media item of the post. */
  media?: readonly MediaCount[]
}

/** What a viewer can do with a post without an operation of the interface, and what it counts as. */
export const FACT_KINDS = {
  view: { post: ['impressions'] },
  detail_expand: { post: ['detail_expands'] },
  link_click: { post: ['url_clicks'] },
  profile_click: { post: ['user_profile_clicks'] },
  hashtag_click: { post: ['hashtag_clicks'] },
  permalink_click: { post: ['permalink_clicks'] },
  share: { post: ['shares'] },
  email: { post: ['email_post'] },
  app_open: { post: ['app_opens'] },
  app_install: { post: ['app_install_attempts'] },
  media_view: { post: ['media_views'] },
  media_click: { post: ['media_engagements'] },
  video_view: { post: ['video_views', 'media_views'], media: ['video_views'] },
  video_start: { post: ['video_starts'], media: ['playback_start'] },
  video_25: { post: ['video_played25'], media: ['playback25'] },
  video_50: { post: ['video_played50'], media: ['playback50'] },
  video_75: { post: ['video_played75'], media: ['playback75'] },
  video_complete: { post: ['video_completions'], media: ['playback_complete'] },
  video_tap: { post: ['media_engagements'], media: ['play_from_tap'] },
  video_link_click: { post: ['media_engagements', 'cta_url_clicks'], media: ['cta_url_clicks'] },
  video_watch_click: { post: ['media_engagements'], media: ['cta_watch_clicks'] },
} as const satisfies Record<string, KindRule>

export type FactKind = keyof typeof FACT_KINDS

export const factRule = (kind: FactKind): KindRule => FACT_KINDS[kind]

/** Something that happened to a post. */
export interface Fact {
  postId: string
  kind: FactKind
  /** How often it happened. */
  count: number
  atMs: number
  /** The post was shown because somebody paid for it. */
  promoted: boolean
  /** Who saw it, if that is known. */
  viewerId?: string
  /** The media item of the post that it happened to; required for the kinds with `media`. */
  mediaKey?: string
  /** For how long the media item was played since the last fact of the same viewer. */
  watchMs?: number
}

export const HOUR_MS = 3600_000
export const DAY_MS = 24 * HOUR_MS

/** The beginning of the hour that a moment is in. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS
