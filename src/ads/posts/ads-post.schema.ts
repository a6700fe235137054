import { component, nullable, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { POST_STATES } from './post-kinds.ts'

const optional = Type.Optional
const Text = Type.String()
const Flag = Type.Boolean()
// Written with all digits: its values are bigint.
const Long = Type.Integer({ format: 'int64' })
const NumericId = Type.String({ pattern: '^[0-9]{1,20}$' })
const PostTime = Type.String({
  pattern: '^[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} \\+0000 [0-9]{4}$',
})
const Indices = Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })

const Size = Type.Object({ w: Type.Integer(), h: Type.Integer(), resize: words(['crop', 'fit']) })
const Action = optional(Type.Object({ url: Text }))
const MediaInfo = Type.Object({
  title: optional(Text),
  description: optional(Text),
  call_to_actions: optional(
    Type.Object({
      visit_site: Action,
      watch_now: Action,
      app_install: optional(
        Type.Object({
          app_store_id: optional(Text),
          ipad_app_store_id: optional(Text),
          play_store_id: optional(Text),
        }),
      ),
    }),
  ),
})
const MediaEntity = component(
  'PostMediaEntity',
  Type.Object({
    id: Long,
    id_str: NumericId,
    media_key: Text,
    indices: optional(Indices),
    media_url: optional(Text),
    media_url_https: optional(Text),
    url: optional(Text),
    display_url: optional(Text),
    expanded_url: optional(Text),
    type: Text,
    sizes: Type.Object({ thumb: Size, small: Size, medium: Size, large: Size }),
    video_info: optional(Type.Object({ variants: Type.Array(Type.Object({ url: Text })) })),
    additional_media_info: optional(MediaInfo),
  }),
)

const Tags = Type.Array(Type.Object({ text: Text, indices: Indices }))
const Entities = component(
  'PostEntities',
  Type.Object({
    hashtags: Tags,
    symbols: Tags,
    user_mentions: Type.Array(
      Type.Object({ screen_name: Text, name: Text, id: Long, id_str: NumericId, indices: Indices }),
    ),
    urls: Type.Array(Type.Object({ url: Text, expanded_url: Text, display_url: Text, indices: Indices })),
    media: optional(Type.Array(MediaEntity)),
  }),
)

const User = component(
  'PostUser',
  Type.Object({
    id: Long,
    id_str: NumericId,
    name: optional(Text),
    screen_name: optional(Text),
    location: optional(Text),
    description: optional(Text),
    url: optional(Text),
    protected: optional(Flag),
    verified: optional(Flag),
    followers_count: optional(Type.Integer()),
    friends_count: optional(Type.Integer()),
    listed_count: optional(Type.Integer()),
    favourites_count: optional(Type.Integer()),
    statuses_count: optional(Type.Integer()),
    created_at: optional(PostTime),
    geo_enabled: optional(Flag),
    withheld_in_countries: optional(Type.Array(Text)),
    default_profile_image: optional(Flag),
    profile_image_url: optional(Text),
    profile_image_url_https: optional(Text),
    profile_banner_url: optional(Text),
  }),
)

const NoObject = nullable(Type.Object({}))

/** A post in the style of version 1.1, as this interface shows it. */
export const AdsPostSchema: TSchema = component(
  'AdsPost',
  Type.Object({
    id: Long,
    id_str: NumericId,
    post_id: NumericId,
    name: nullable(Type.String({ maxLength: 80 })),
    text: optional(Text),
    full_text: optional(Text),
    display_text_range: optional(Indices),
    truncated: Flag,
    created_at: PostTime,
    source: optional(Text),
    lang: optional(Text),
    entities: Entities,
    extended_entities: optional(Type.Object({ media: Type.Array(MediaEntity) })),
    user: User,
    nullcast: Flag,
    [ADS_KEPT_NAMES.postType]: words(POST_STATES),
    scheduled_at: nullable(Text),
    scheduled_status: nullable(words(['SCHEDULED', 'FAILED'])),
    conversation_settings: optional(words(['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS'])),
    card_uri: optional(nullable(Type.String({ pattern: '^card://[0-9]+$' }))),
    possibly_sensitive: optional(Flag),
    scopes: optional(Type.Object({ followers: Flag })),
    in_reply_to_status_id: nullable(Long),
    in_reply_to_status_id_str: nullable(Text),
    in_reply_to_user_id: nullable(Long),
    in_reply_to_user_id_str: nullable(Text),
    in_reply_to_screen_name: nullable(Text),
    geo: NoObject,
    coordinates: NoObject,
    place: nullable(Type.Unsafe<object>({ type: 'object' })),
    contributors: nullable(Type.Array(Long)),
    repost_count: Type.Integer(),
    favorite_count: Type.Integer(),
    favorited: Flag,
    reposted: Flag,
  }),
)
