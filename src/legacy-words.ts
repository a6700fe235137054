import { createIdentifierNaming, createLegacyNaming } from './api-kit/naming/naming.ts'
import type { PlatformAnswers } from './api-kit/serving/platform-links.ts'

// The only file of the product with the legacy brand words.

/** The spelling that existing client libraries use. */
export const legacyNaming = createLegacyNaming({
  words: {
    post: 'tweet',
    posts: 'tweets',
    repost: 'retweet',
    reposts: 'retweets',
    reposted: 'retweeted',
  },
  fixed: [
    'reposts_of_me',
    'posts_eligible_for_notes',
    'post_selection',
    'cluster_posts_results',
    'previous_post_id',
    'post.create',
    'post.delete',
    'post.mention.create',
  ],
})

/** The spelling of the advertising interface: whole identifiers, because its words follow no rule. */
export const adsLegacyNaming = createIdentifierNaming({
  DUPLICATE_POST: 'DUPLICATE_TWEET',
  GENERIC_POST_ERROR: 'GENERIC_TWEET_ERROR',
  INVALID_POST: 'INVALID_TWEET',
  ORGANIC_POST: 'ORGANIC_TWEET',
  PLATFORM_A: 'ANDROID',
  PLATFORM_B: 'IOS',
  PLATFORM_PROFILE: 'TWITTER_PROFILE',
  PLATFORM_REPLIES: 'TWITTER_REPLIES',
  PLATFORM_SEARCH: 'TWITTER_SEARCH',
  PLATFORM_TIMELINE: 'TWITTER_TIMELINE',
  POST_CANNOT_BE_BLANK: 'TWEET_CANNOT_BE_BLANK',
  POST_COMPOSER: 'TWEET_COMPOSER',
  POST_GIF: 'TWEET_GIF',
  POST_IMAGE: 'TWEET_IMAGE',
  POST_IS_SPAM: 'TWEET_IS_SPAM',
  POST_NOT_FOUND: 'TWEET_NOT_FOUND',
  POST_RATE_LIMIT_EXCEEDED: 'TWEET_RATE_LIMIT_EXCEEDED',
  POST_VIDEO: 'TWEET_VIDEO',
  PROMOTED_POST: 'PROMOTED_TWEET',
  PROMOTED_POSTS: 'PROMOTED_TWEETS',
  PROMOTED_POST_NOT_FOUND: 'PROMOTED_TWEET_NOT_FOUND',
  Platform_A: 'Android',
  Platform_B: 'iOS',
  REPOSTS_ONLY: 'RETWEETS_ONLY',
  SCHEDULED_POST_LIMIT_EXCEEDED: 'SCHEDULED_TWEET_LIMIT_EXCEEDED',
  draft_post_id: 'draft_tweet_id',
  draft_posts: 'draft_tweets',
  first_cta_post: 'first_cta_tweet',
  fourth_cta_post: 'fourth_cta_tweet',
  non_platform_engagement_time: 'non_twitter_engagement_time',
  non_platform_engagement_type: 'non_twitter_engagement_type',
  platform_a_app_id: 'googleplay_app_id',
  platform_a_app_store_identifier: 'android_app_store_identifier',
  platform_a_deep_link: 'googleplay_deep_link',
  platform_attribution: 'twitter_attribution',
  platform_b_app_store_identifier: 'ios_app_store_identifier',
  platform_b_deep_link: 'ios_deep_link',
  platform_id: 'twitter_id',
  post: 'tweet',
  post_id: 'tweet_id',
  post_ids: 'tweet_ids',
  post_mode: 'tweet_mode',
  post_previews: 'tweet_previews',
  post_volume: 'tweet_volume',
  posted: 'tweeted',
  posts: 'tweets',
  posts_send: 'tweets_send',
  promoted_post_id: 'promoted_tweet_id',
  promoted_post_ids: 'promoted_tweet_ids',
  promoted_posts: 'promoted_tweets',
  repost: 'retweet',
  repost_count: 'retweet_count',
  reposted: 'retweeted',
  reposts: 'retweets',
  scheduled_post_id: 'scheduled_tweet_id',
  scheduled_posts: 'scheduled_tweets',
  scheduled_promoted_post_id: 'scheduled_promoted_tweet_id',
  scheduled_promoted_post_ids: 'scheduled_promoted_tweet_ids',
  scheduled_promoted_posts: 'scheduled_promoted_tweets',
  second_cta_post: 'second_cta_tweet',
  taxonomy_product_category: 'google_product_category',
  third_cta_post: 'third_cta_tweet',
  top_posts: 'top_tweets',
})

/** Requests to these hosts use the sandbox of the advertising interface. */
export const LEGACY_ADS_SANDBOX_HOSTS: ReadonlySet<string> = new Set([
  'ads-api-sandbox.twitter.com',
  'ads-api-sandbox.x.com',
])

/** Links in posts are shortened to this address and ten characters: 23 in all. */
export const SHORT_LINK_BASE = 'https://t.co/'
export const SHORT_LINK_HOST = 't.co'

/** The name of the meta element that says how large the preview of a link is: the one that programs look for. */
export const PREVIEW_SIZE_META = 'twitter:card'

/** The header of webhook deliveries that receivers written for the platform check. */
export const LEGACY_SIGNATURE_HEADER = 'x-twitter-webhooks-signature'

/** Names of the advertising interface that keep a legacy word in both namings. */
export const ADS_KEPT_NAMES = {
  allPlacements: 'ALL_ON_TWITTER',
  automaticPromotion: 'automatic_tweet_promotion',
  postType: 'tweet_type',
  /** The identifier of a click: a parameter of links in ads, a cookie of websites, a member of conversions. */
  clickId: 'twclid',
} as const

/** What websites with a pixel call: existing pages have the name of the function and of their events. */
export const PIXEL_WORDS = { call: 'twq', eventPrefix: 'tw' } as const

/** The domains of the platform. The local certificate authority can sign for names below these, and for no others. */
export const PLATFORM_DOMAINS: readonly string[] = ['twitter.com', 'x.com', 'twimg.com', 't.co']

/** The names that are served over TLS to programs that have them built in. Every other name is left alone. */
export const PLATFORM_NAMES: readonly string[] = [
  ...['twitter.com', 'x.com'].flatMap((domain) => [
    domain,
    ...['www', 'mobile', 'api', 'upload', 'ads-api', 'ads-api-sandbox', 'stream'].map((name) => `${name}.${domain}`),
  ]),
  SHORT_LINK_HOST,
  'pbs.twimg.com',
  'video.twimg.com',
  'abs.twimg.com',
  'ton.twimg.com',
]

/** Requests to these hosts use the legacy naming. */
export const LEGACY_HOSTS: ReadonlySet<string> = new Set(PLATFORM_NAMES)

/** What answers at those hosts have as it was recorded there. */
export const LEGACY_PLATFORM: PlatformAnswers = {
  hosts: LEGACY_HOSTS,
  apiBase: 'https://api.twitter.com',
  siteBase: (host) => (host.endsWith('x.com') ? 'https://x.com' : 'https://twitter.com'),
  pictureBase: 'https://pbs.twimg.com',
  videoBase: 'https://video.twimg.com',
  shortLinkBase: SHORT_LINK_BASE,
  pictureLinkBase: (host) => (host.endsWith('x.com') ? 'pic.x.com/' : 'pic.twitter.com/'),
  alwaysAsked: { 'post.fields': 'edit_history_post_ids' },
}

/** For each variable of ours the names that libraries, their examples and common templates use for the same value. */
export const LIBRARY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  ROSTRA_API_KEY: [
    'TWITTER_API_KEY',
    'TWITTER_CONSUMER_KEY',
    'TWITTER_APP_KEY',
    'TWITTER_API_CONSUMER_KEY',
    'X_API_KEY',
    'X_CONSUMER_KEY',
  ],
  ROSTRA_API_KEY_SECRET: [
    'TWITTER_API_KEY_SECRET',
    'TWITTER_API_SECRET',
    'TWITTER_API_SECRET_KEY',
    'TWITTER_CONSUMER_SECRET',
    'TWITTER_APP_SECRET',
    'TWITTER_API_CONSUMER_SECRET',
    'X_API_KEY_SECRET',
    'X_API_SECRET',
    'X_API_SECRET_KEY',
    'X_CONSUMER_SECRET',
  ],
  ROSTRA_BEARER_TOKEN: ['TWITTER_BEARER_TOKEN', 'TWITTER_API_BEARER_TOKEN', 'X_BEARER_TOKEN', 'X_API_BEARER_TOKEN'],
  ROSTRA_CLIENT_ID: ['TWITTER_CLIENT_ID', 'TWITTER_OAUTH2_CLIENT_ID', 'X_CLIENT_ID', 'X_OAUTH2_CLIENT_ID'],
  ROSTRA_CLIENT_SECRET: [
    'TWITTER_CLIENT_SECRET',
    'TWITTER_OAUTH2_CLIENT_SECRET',
    'X_CLIENT_SECRET',
    'X_OAUTH2_CLIENT_SECRET',
  ],
  ROSTRA_ACCESS_TOKEN: [
    'TWITTER_ACCESS_TOKEN',
    'TWITTER_API_ACCESS_TOKEN',
    'TWITTER_ACCESS_TOKEN_KEY',
    'X_ACCESS_TOKEN',
  ],
  ROSTRA_ACCESS_TOKEN_SECRET: [
    'TWITTER_ACCESS_TOKEN_SECRET',
    'TWITTER_ACCESS_SECRET',
    'TWITTER_API_ACCESS_TOKEN_SECRET',
    'X_ACCESS_TOKEN_SECRET',
    'X_ACCESS_SECRET',
  ],
  ROSTRA_OAUTH2_ACCESS_TOKEN: ['TWITTER_OAUTH2_ACCESS_TOKEN', 'X_OAUTH2_ACCESS_TOKEN'],
  ROSTRA_OAUTH2_REFRESH_TOKEN: ['TWITTER_OAUTH2_REFRESH_TOKEN', 'X_OAUTH2_REFRESH_TOKEN'],
}

/** The parameter of version 1.1 that chooses between the whole text of a post and its beginning. */
export const LEGACY_TEXT_MODE = 'tweet_mode'

/** What examples for programs have: the address of the interface, and a client library of Node with its class. */
export const EXAMPLE_WORDS = { platform: 'https://api.x.com', library: 'twitter-api-v2', libraryClass: 'TwitterApi' }
