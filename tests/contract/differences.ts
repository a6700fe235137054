import type { Difference } from './compare-interface.ts'

/** Where our description of the interface differs from the reference on purpose. */
export interface ListedDifference extends Difference {
  reason: string
}

const group = (reason: string, ours: string, reference: string, places: string[]): ListedDifference[] =>
  places.map((at) => ({ at, ours, reference, reason }))

const added = (reason: string, places: string[]) => group(reason, 'yes', 'no', places)
const missing = (reason: string, places: string[]) => group(reason, 'no', 'yes', places)

export const differences: ListedDifference[] = [
  ...added('the fields parameter offers it, so that the object describes it', [
    'Post.article',
    'Post.card_uri',
    'Post.media_metadata',
    'User.confirmed_email',
    'User.is_identity_verified',
    'User.parody',
    'User.subscription',
    'User.verified_followers_count',
  ]),
  ...added('the behaviour reference (fields, metrics) has these members', [
    'Post.non_public_metrics.engagements',
    'Post.non_public_metrics.url_link_clicks',
    'Post.non_public_metrics.user_profile_clicks',
    'Post.organic_metrics.url_link_clicks',
    'Post.organic_metrics.user_profile_clicks',
    'User.public_metrics.media_count',
  ]),
  ...added('the behaviour reference shows `attempted` (specification) and `valid` (quickstart); we answer with both', [
    'WebhookConfigPutResponse.data.valid',
  ]),
  ...added('the seed makes id and text the default members of a post, so that they are always there', [
    'Post.id required',
    'Post.text required',
  ]),
  ...added('our media objects always have their key; the reference does not promise it', ['Media.media_key required']),
  ...added('one Media object holds the members that the reference spreads over Photo, Video and AnimatedGif', [
    'Media.alt_text',
    'Media.duration_ms',
    'Media.non_public_metrics',
    'Media.organic_metrics',
    'Media.preview_image_url',
    'Media.promoted_metrics',
    'Media.public_metrics',
    'Media.url',
    'Media.variants',
  ]),
  ...missing('one Media object instead of one for each type', ['Media discriminator']),
  ...missing('each type of problem adds members of its own, which our schema does not describe yet', [
    'Problem discriminator',
  ]),
  ...missing('no fields parameter of the reference selects it, so that it could never be asked for', ['Post.username']),
  ...missing('places are stored as boxes; no place has a point', ['Geo.geometry']),
  ...missing('topics belong to spaces, which are not built', ['Expansions.topics']),
  ...added('the seed has a JSON object with `url` as the body; without one there is nothing to register', [
    'createWebhooks body required',
  ]),
  ...group('unknown members of a body are refused', 'false', 'not said', [
    'UsersLikesCreateRequest additionalProperties',
    'WebhookConfigCreateRequest additionalProperties',
  ]),
  ...group('the pattern of the reference excludes mentionedUsers, a value of its own list', 'no', '^[A-Za-z]{1,12}$', [
    'ReplySettingsWithVerifiedUsers pattern',
  ]),
  ...group(
    'the behaviour reference (webhook configuration) shows an empty list for an app without webhooks',
    'no',
    '1',
    ['Get2WebhooksResponse.data minItems'],
  ),
  ...group('an empty list is refused, as the reference does for the same parameter of a user’s posts', '1', 'no', [
    'getUsersTimeline query exclude minItems',
  ]),
  ...group('it is the id of a user, which has this pattern everywhere else', '^[0-9]{1,19}$', 'no', [
    'UserIdMatchesAuthenticatedUser pattern',
  ]),
  ...group('unknown members of a body are refused (bookmarks, hiding)', 'false', 'not said', [
    'BookmarkAddRequest additionalProperties',
    'PostHideRequest additionalProperties',
  ]),
  ...added('without a body there is no post to repost and nothing said about hiding: both have a required member', [
    'hidePostsReply body required',
    'likePost body required',
    'repostPost body required',
  ]),
  ...added('the answer of the reference has a next_token, which could not be used without these', [
    'getUsersBookmarksByFolderId query max_results',
    'getUsersBookmarksByFolderId query pagination_token',
  ]),
  ...added('the body names whom to follow or mute; without it there is nothing to do', [
    'followUser body required',
    'muteUser body required',
  ]),
  ...group('unknown members of these bodies are refused too', 'false', 'not said', [
    'UsersFollowingCreateRequest additionalProperties',
    'MuteUserRequest additionalProperties',
  ]),
  ...added('the documentation of the users search shows a result_count, as all other lists have it', [
    'Get2UsersSearchResponse.meta.result_count',
  ]),
]
