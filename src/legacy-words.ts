import { createLegacyNaming } from './api-kit/naming.ts'

// The only file of the product that holds the legacy brand words.

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

/** A request for one of these hosts speaks the legacy naming. */
export const LEGACY_HOSTS: ReadonlySet<string> = new Set([
  'api.twitter.com',
  'api.x.com',
  'twitter.com',
  'x.com',
  'upload.twitter.com',
  'upload.x.com',
  'ads-api.twitter.com',
  'ads-api.x.com',
])

/** Links in posts are shortened to this address and ten characters, 23 in all. */
export const SHORT_LINK_BASE = 'https://t.co/'
export const SHORT_LINK_HOST = 't.co'

/** The header of webhook deliveries that receivers written for the platform look at. */
export const LEGACY_SIGNATURE_HEADER = 'x-twitter-webhooks-signature'
