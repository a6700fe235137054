import { added, group, type ListedDifference, missing } from './list-differences.ts'

const activityNames = (...names: string[]) =>
  names.map((name) => `ActivitySubscriptionCreateRequest.event_type enum ${name}`)

const linkLists = (bound: string) =>
  ['expansions', 'media.fields', 'place.fields', 'poll.fields', 'post.fields', 'user.fields'].map(
    (name) => `createWebhooksStreamLink query ${name} ${bound}`,
  )

/** Where our description of version 2 differs from the reference on purpose. */
export const differences: ListedDifference[] = [
  ...added('client libraries have the calls from an earlier version; the documentation still names their scope', [
    'POST /2/users/{id}/blocking',
    'DELETE /2/users/{source_user_id}/blocking/{target_user_id}',
  ]),
  ...added('recorded from the platform, and shown at its host names', [
    'PostCreateResponse.data.edit_history_post_ids',
  ]),
  ...added('the fields parameter offers it, so the object describes it', [
    'Post.article',
    'Post.card_uri',
    'Post.media_metadata',
    'User.confirmed_email',
    'User.is_identity_verified',
    'User.parody',
    'User.subscription',
    'User.verified_followers_count',
  ]),
  ...added('the fields parameter offers it, so the answer has it', [
    'Metrics.bookmarks',
    'Metrics.shares',
    'Metrics.unfollows',
    'Metrics.unlikes',
  ]),
  ...added('the behaviour reference (fields, metrics) has these members', [
    'Post.non_public_metrics.engagements',
    'Post.non_public_metrics.url_link_clicks',
    'Post.non_public_metrics.user_profile_clicks',
    'Post.organic_metrics.url_link_clicks',
    'Post.organic_metrics.user_profile_clicks',
    'Post.promoted_metrics.url_link_clicks',
    'Post.promoted_metrics.user_profile_clicks',
    'User.public_metrics.media_count',
  ]),
  ...added('the behaviour reference shows `attempted` (specification) and `valid` (quickstart); we answer with both', [
    'WebhookConfigPutResponse.data.valid',
  ]),
  ...added('the documentation shows `id` where the specification has `rest_id`; we answer with both', ['News.id']),
  ...added('the seed has this name for what the specification calls `updated_at`; both are accepted', [
    'NewsFieldsParameter[] enum last_updated_at_ms',
  ]),
  ...added('an answer without trends says so, as other empty lists do', [
    'Get2TrendsByWoeidWoeidResponse.meta',
    'Get2UsersPersonalizedTrendsResponse.meta',
  ]),
  ...added('the seed makes id and text the default members of a post, so they are always there', [
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
  ...missing('the type of the event stands beside the payload, where no discriminator of a schema can point', [
    'ActivityStreamingResponsePayload discriminator',
  ]),
  ...group('the same lists as on the stream, described as the lists they are', 'array', 'string', linkLists('type')),
  ...group('the same lists as on the stream', '1', 'no', linkLists('minItems')),
  ...added('the same lists as on the stream', linkLists('uniqueItems')),
  ...missing('no fields parameter of the reference selects it, so no client could ask for it', ['Post.username']),
  ...missing('places are stored as boxes; no place has a point', ['Geo.geometry']),
  ...added('the fields parameter and the expansion call it `topic_ids`, and so does the object', ['Space.topic_ids']),
  ...added('the fields parameter offers it, so the object describes it', [
    'Community.access',
    'Community.description',
    'Community.join_policy',
    'Community.member_count',
  ]),
  ...missing('the object has `topic_ids`, and the topics themselves are expanded', ['Space.topics']),
  ...added('the seed has a JSON object with `url` as the body; without one there is nothing to register', [
    'createWebhookReplayJob body required',
    'createWebhooks body required',
  ]),
  ...group('unknown members of a body are refused', 'false', 'not said', [
    'UsersLikesCreateRequest additionalProperties',
    'WebhookConfigCreateRequest additionalProperties',
    'WebhookReplayCreateRequest additionalProperties',
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
  ...added('each body has a required member: without one there is nothing to like, to repost or to hide', [
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
  ...added('the fields parameter offers `entities`, which posts have too: the kinds of entities stand in it', [
    'DmEvent.entities',
  ]),
  ...missing('they stand in `entities`, the name by which clients ask for them', [
    'DmEvent.cashtags',
    'DmEvent.hashtags',
    'DmEvent.mentions',
    'DmEvent.urls',
  ]),
  ...added('the body is the message; without it there is nothing to send', [
    'createDirectMessagesByConversationId body required',
    'createDirectMessagesByParticipantId body required',
    'createDirectMessagesConversation body required',
  ]),
  ...group('unknown members of a message are refused', 'false', 'not said', [
    'CreateAttachmentsMessageRequest additionalProperties',
    'CreateTextMessageRequest additionalProperties',
    'DmMediaAttachment additionalProperties',
  ]),
  ...group(
    'it is the id of a conversation, which has this pattern everywhere else',
    '^([0-9]{1,19}-[0-9]{1,19}|[0-9]{15,19})$',
    'no',
    ['createDirectMessagesByConversationId path dm_conversation_id pattern'],
  ),
  ...added('the body says what to make, to change, to add, or to follow; without it there is nothing to do', [
    'addListsMember body required',
    'createLists body required',
    'followList body required',
    'updateLists body required',
  ]),
  ...group('unknown members of a body are refused (lists)', 'false', 'not said', [
    'ListAddUserRequest additionalProperties',
    'ListCreateRequest additionalProperties',
    'ListFollowedRequest additionalProperties',
    'ListPinnedRequest additionalProperties',
    'ListUpdateRequest additionalProperties',
  ]),
  ...added('the documentation of the users search shows a result_count, as all other lists have it', [
    'Get2UsersSearchResponse.meta.result_count',
  ]),
  ...added('the power stream is not in the specification; the seed and the behaviour reference have its rules', [
    'DELETE /2/powerstream/rules',
    'GET /2/powerstream/rules',
    'POST /2/powerstream/rules',
  ]),
  ...added('the older replay is not in the specification; the seed lists it as deprecated', [
    'POST /2/account_activity/replay/webhooks/{webhook_id}/subscriptions/all',
  ]),
  ...added('the fields parameter offers it, so the job shows it', ['ComplianceJob.resumable']),
  ...group('unknown members of the body of a compliance job are refused', 'false', 'not said', [
    'CreateComplianceJobRequest additionalProperties',
  ]),
  ...group('the id of an article is that of the schema ArticleId', '^[0-9]{1,19}$', 'no', [
    'articlePublish path article_id pattern',
  ]),
  ...added('version 2.167 adds it; clients of that version may call it', [
    'POST /2/notes/evaluate',
    'POST /2/users/{id}/bookmarks/folders',
  ]),
  ...added('the body is the note; without it there is nothing to write or to evaluate', [
    'createCommunityNotes body required',
    'evaluateCommunityNotes body required',
  ]),
  ...group('an empty token is not one that was given out', '1', 'no', [
    'searchCommunityNotesWritten query pagination_token minLength',
  ]),
  ...missing('delete_all excludes every other member: the request is complete without a body', [
    'updateRules body required',
  ]),
  ...group('unknown members of a rule or of a change of rules are refused', 'false', 'not said', [
    'AddRulesRequest additionalProperties',
    'DeleteRulesRequest additionalProperties',
    'DeleteRulesRequest.delete additionalProperties',
    'RuleNoId additionalProperties',
  ]),
  ...group('an empty list of rule ids is refused, as the reference does for other lists of ids', '1', 'no', [
    'getRules query ids minItems',
  ]),
  ...added(
    'the seed has these names of activity, besides those of the specification',
    activityNames('profile.update.affiliate', 'profile.update.verified'),
  ),
  ...added(
    'the behaviour reference (activity subscriptions) documents these activities beyond the specification',
    activityNames(
      'block.block',
      'block.unblock',
      'broadcast.chat',
      'broadcast.end',
      'broadcast.start',
      'mute.mute',
      'mute.unmute',
      'oauth.revoke',
      'post.quote.create',
      'post.reply.create',
      'post.repost.create',
    ),
  ),
  ...added('the seed calls the directions sent, received and both; both pairs of words are accepted', [
    'ActivitySubscriptionFilter.direction enum both',
    'ActivitySubscriptionFilter.direction enum received',
    'ActivitySubscriptionFilter.direction enum sent',
  ]),
  ...added('the activity stream has a name too, so its connections can be found and ended', [
    'deleteConnectionsByEndpoint path endpoint_id enum activity_stream',
    'getConnectionHistory query endpoints[] enum activity_stream',
  ]),
  ...added('the documentation shows the total in the list of activity subscriptions as well', [
    'ActivitySubscriptionGetResponse.meta.total_subscriptions',
  ]),
  ...added('the body says what to subscribe to, and what to change of a subscription', [
    'createActivitySubscription body required',
    'updateActivitySubscription body required',
  ]),
  ...added('the fields parameters offer them, so likes and connections describe them', [
    'Connection.id',
    'LikeWithPostAuthor.attachments_media_keys',
    'LikeWithPostAuthor.liked_post_author_id',
  ]),
  ...added('the reference promises no member of a like; one that does not say of what it is would be of no use', [
    'LikeWithPostAuthor.id required',
    'LikeWithPostAuthor.liked_post_id required',
    'LikeWithPostAuthor.post_author_id required',
  ]),
  ...added(
    'the author has two names in the reference, one in the object and one in the parameter; both can be asked for',
    ['LikeWithPostAuthorFieldsParameter[] enum post_author_id'],
  ),
  ...group('milliseconds since 1970 do not fit in 32 bits', 'int64', 'int32', [
    'LikeWithPostAuthor.timestamp_ms format',
  ]),
  ...group('an id does not fit in 32 bits', 'no', 'int32', ['Usage.daily_project_usage.project_id format']),
  ...group('unknown members of the body that ends connections are refused', 'false', 'not said', [
    'KillConnectionsByUuidsRequest additionalProperties',
  ]),
  ...group('an empty list of streams is refused, as the reference does for most other lists', '1', 'no', [
    'getConnectionHistory query endpoints minItems',
  ]),
  ...added('the old form of this route, a step of an upload in segments for each `command`, is still sent by clients', [
    ...['amplify_video', 'dm_gif', 'dm_video', 'post_gif', 'post_video'].map(
      (name) => `MediaCategoryOneShot enum ${name}`,
    ),
    ...['image/gif', 'model/gltf-binary', 'model/vnd.usdz+zip'].map(
      (name) => `MediaUploadRequestOneShot.media_type enum ${name}`,
    ),
    ...['mp2t', 'mp4', 'quicktime', 'webm'].map((name) => `MediaUploadRequestOneShot.media_type enum video/${name}`),
    ...['command', 'media_id', 'segment_index', 'total_bytes'].map((name) => `MediaUploadRequestOneShot.${name}`),
    ...['command', 'media_id', 'media_type', 'media_category'].map((name) => `mediaUpload query ${name}`),
    ...['additional_owners', 'segment_index', 'shared', 'total_bytes'].map((name) => `mediaUpload query ${name}`),
  ]),
  ...missing('a `command` needs other members; the behaviour reference guesses a category that is not said', [
    'MediaUploadRequestOneShot.media required',
    'MediaUploadRequestOneShot.media_category required',
  ]),
  ...group('one object whose media is bytes or base64, instead of an object for each', 'no', '2', [
    'MediaUploadAppendRequest anyOf',
  ]),
  ...group('one object whose media is bytes or base64', 'object', 'no', ['MediaUploadAppendRequest type']),
  ...added('members of the one object whose media is bytes or base64', [
    'MediaUploadAppendRequest.media',
    'MediaUploadAppendRequest.segment_index',
  ]),
  ...group('unknown members of what is said about media are refused', 'false', 'not said', [
    'MediaUploadAppendRequest additionalProperties',
    'MetadataCreateRequest additionalProperties',
    'MetadataCreateRequest.metadata additionalProperties',
    'Subtitles additionalProperties',
    'SubtitlesCreateRequest additionalProperties',
    'SubtitlesDeleteRequest additionalProperties',
  ]),
  ...added('without these there is nothing to upload, to describe or to take away', [
    'MediaUploadConfigRequest.media_type required',
    'MediaUploadConfigRequest.total_bytes required',
    'Subtitles.id required',
    'Subtitles.language_code required',
    'SubtitlesCreateRequest.id required',
    'SubtitlesCreateRequest.media_category required',
    'SubtitlesCreateRequest.subtitles required',
    'SubtitlesDeleteRequest.id required',
    'SubtitlesDeleteRequest.language_code required',
    'SubtitlesDeleteRequest.media_category required',
    'appendMediaUpload body required',
    'createMediaMetadata body required',
    'createMediaSubtitles body required',
    'deleteMediaSubtitles body required',
    'initializeMediaUpload body required',
  ]),
  ...added('the behaviour reference (media upload) shows why an upload failed', ['ProcessingInfo.error']),
  ...group('there is one value, which needs no default', 'no', 'PostImage', [
    'PreviewImage.media_key.media_category default',
  ]),
  ...added('version 2.167 adds it; official libraries have it already', [
    'POST /2/chat/conversations/{id}/messages/delete',
  ]),
  ...group('official libraries read an object, and fail on an array', 'object', 'array', [
    'ChatGetConversationsResponse.data type',
  ]),
  ...added(
    'the members of the one conversation',
    [
      ...[
        'admin_ids',
        'created_at',
        'group_avatar_url',
        'group_name',
        'id',
        'is_muted',
        'member_ids',
        'message_ttl_msec',
      ],
      ...[
        'participant_ids',
        'screen_capture_blocking_enabled',
        'screen_capture_detection_enabled',
        'type',
        'updated_at',
      ],
    ].map((name) => `ChatGetConversationsResponse.data.${name}`),
  ),
  ...missing('one conversation has no pages', ['ChatGetConversationsResponse.meta']),
  ...group('official libraries read an array of the keys of several users, and fail on an object', 'array', 'object', [
    'PublicKey type',
  ]),
  ...missing(
    'the members of the keys in the array of the keys of several users',
    ['identity_public_key_signature', 'juicebox_config', 'public_key', 'public_key_version', 'signing_public_key'].map(
      (name) => `PublicKey.${name}`,
    ),
  ),
  ...added('clients skip keys of several users that do not say whose they are', ['PublicKey.user_id']),
  ...group('a user without keys has an empty list, which clients read as such', 'no', '1', [
    'Get2UsersIdPublicKeysResponse.data minItems',
  ]),
  ...added('the fields parameter has this name for the previous event', ['ChatMessageEvent.previous_id']),
  ...group('one object whose media is bytes or base64, for chat', 'no', '2', ['ChatMediaUploadAppendRequest anyOf']),
  ...group('one object whose media is bytes or base64, for chat', 'object', 'no', [
    'ChatMediaUploadAppendRequest type',
  ]),
  ...added(
    'members of the one object whose media is bytes or base64, for chat',
    ['conversation_id', 'media', 'media_hash_key', 'segment_index'].map(
      (name) => `ChatMediaUploadAppendRequest.${name}`,
    ),
  ),
  ...group('the id of an upload is one of ours', '^[0-9]{1,19}$', 'no', [
    'chatMediaUploadAppend path id pattern',
    'chatMediaUploadFinalize path id pattern',
  ]),
  ...group(
    'the other operations on a conversation have this pattern',
    '^([0-9]{1,19}|[0-9]{1,19}-[0-9]{1,19}|g[0-9]{1,19})$',
    'no',
    ['getChatConversation path id pattern'],
  ),
  ...group('an empty token is refused, as in other lists', '1', 'no', [
    'getChatConversationEvents query pagination_token minLength',
    'getChatConversations query pagination_token minLength',
  ]),
  ...group(
    'unknown members of what is sent to a conversation are refused',
    'false',
    'not said',
    [
      'ChatActionMessageEventSignature',
      'ChatActionSignature',
      'ChatAddGroupMembersRequest',
      'ChatAddPublicKeyRequest',
      'ChatAddPublicKeyRequest.public_key',
      'ChatConversationParticipantKey',
      'ChatCreateConversationRequest',
      'ChatInitializeConversationKeysRequest',
      'ChatMarkConversationReadRequest',
      'ChatMediaUploadAppendRequest',
      'ChatMediaUploadFinalizeRequest',
      'ChatMediaUploadInitializeRequest',
      'ChatMessageSigningKeyInfo',
      'ChatSendMessageRequest',
    ].map((name) => `${name} additionalProperties`),
  ),
]
