import { closed, component, fixedName, ownBound, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { CommunityId, MediaId, PostId, UserId } from '../ids.ts'

const ReplySettings = words(['following', 'mentionedUsers', 'subscribers', 'verified'])
const optional = Type.Optional

// The longest text that can be a post: any address in it counts as 23 characters. Finding them takes time, so this is checked first.
const LONGEST_TYPED = 50_000

/** The body of POST /2/posts. */
export const PostCreateRequest = component(
  'PostCreateRequest',
  closed({
    card_uri: optional(Type.String()),
    community_id: optional(CommunityId),
    direct_message_deep_link: optional(Type.String()),
    edit_options: optional(closed({ previous_post_id: fixedName(PostId) })),
    for_super_followers_only: optional(Type.Boolean({ default: false })),
    geo: optional(closed({ place_id: optional(Type.String()) })),
    made_with_ai: optional(Type.Boolean()),
    media: optional(
      closed({
        call_to_actions: optional(
          closed({
            app_install: optional(
              closed({
                app_store_id: optional(Type.String()),
                ipad_app_store_id: optional(Type.String()),
                play_store_id: optional(Type.String()),
              }),
            ),
            visit_site: optional(closed({ url: Type.String() })),
            watch_now: optional(closed({ url: Type.String() })),
          }),
        ),
        description: optional(Type.String()),
        embeddable: optional(Type.Boolean()),
        media_ids: Type.Array(MediaId, { minItems: 1, maxItems: 4 }),
        preview_media_id: optional(MediaId),
        tagged_user_ids: optional(Type.Array(UserId, { minItems: 0, maxItems: 10 })),
        title: optional(Type.String()),
      }),
    ),
    nullcast: optional(Type.Boolean({ default: false })),
    paid_partnership: optional(Type.Boolean()),
    poll: optional(
      closed({
        duration_minutes: Type.Integer({ minimum: 5, maximum: 10_080, format: 'int32' }),
        options: Type.Array(Type.String({ minLength: 1, maxLength: 25 }), { minItems: 2, maxItems: 4 }),
        reply_settings: optional(ReplySettings),
      }),
    ),
    quote_post_id: optional(PostId),
    reply: optional(
      closed({
        auto_populate_reply_metadata: optional(Type.Boolean()),
        exclude_reply_user_ids: optional(ownBound(Type.Array(UserId), 1_000)),
        in_reply_to_post_id: PostId,
      }),
    ),
    reply_settings: optional(ReplySettings),
    share_with_followers: optional(Type.Boolean({ default: false })),
    text: optional(ownBound(component('PostText', Type.String()), LONGEST_TYPED)),
  }),
)

export type PostDraft = Static<typeof PostCreateRequest>
