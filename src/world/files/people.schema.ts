import { ALLOWLISTS } from '../../ads/kit/access.ts'
import { closed, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { SCOPES } from '../../identity/oauth2/scopes.ts'
import {
  AppRef,
  described,
  Id,
  Key,
  list,
  Moment,
  optional,
  PostRef,
  Secret,
  text,
  UserRef,
  WebAddress,
} from './schema-values.ts'

export const App = closed({
  key: optional(Key),
  id: optional(Id),
  name: text('The name of the app.', { minLength: 1, maxLength: 50 }),
  owner: UserRef,
  tier: optional(words(['free', 'self-serve', 'enterprise', 'partner'])),
  permission_level: optional(words(['read', 'read-write', 'read-write-messages'])),
  client_type: optional(words(['confidential', 'public'])),
  callback_urls: optional(Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 10 })),
  description: optional(text('What the consent page shows.', { maxLength: 200 })),
  website_url: optional(WebAddress),
  sign_in_enabled: optional(Type.Boolean()),
  naming: optional(words(['auto', 'legacy'])),
  suspended: optional(Type.Boolean()),
  api_key: optional(Secret('The API key')),
  api_key_secret: optional(Secret('The API key secret')),
  bearer_token: optional(Secret('The app-only bearer token')),
  client_id: optional(Secret('The OAuth 2.0 client id')),
  client_secret: optional(Secret('The OAuth 2.0 client secret')),
  ads: optional(
    closed({ level: words(['standard', 'conversion-only']), allowlists: optional(Type.Array(words(ALLOWLISTS))) }),
  ),
})

const Token = closed({
  app: AppRef,
  access_token: optional(Secret('The OAuth 1.0a access token')),
  access_token_secret: optional(Secret('Its secret')),
  access_level: optional(words(['read', 'read-write', 'read-write-messages'])),
  oauth2_access_token: optional(Secret('An OAuth 2.0 access token, valid for ten years')),
  oauth2_refresh_token: optional(Secret('Its refresh token')),
  scopes: optional(Type.Array(words([...SCOPES]), { description: 'The scopes of the OAuth 2.0 tokens; default all.' })),
})

export const User = closed({
  username: Type.String({ pattern: '^[A-Za-z0-9_]{1,15}$', description: '1 to 15 letters, digits and underscores.' }),
  id: optional(Id),
  name: optional(text('The display name.', { minLength: 1, maxLength: 50 })),
  password: optional(text('The password; without one the user cannot sign in.', { minLength: 8, maxLength: 500 })),
  email: optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 200, description: 'An e-mail address.' })),
  description: optional(text('The bio.', { maxLength: 160 })),
  location: optional(text('Where they are.', { maxLength: 150 })),
  url: optional(text('Their web address.', { maxLength: 200 })),
  profile_image_url: optional(WebAddress),
  profile_banner_url: optional(WebAddress),
  protected: optional(Type.Boolean()),
  suspended: optional(Type.Boolean()),
  verified_type: optional(words(['none', 'blue', 'business', 'government'])),
  subscription_type: optional(words(['None', 'Basic', 'Premium', 'PremiumPlus'])),
  geo_enabled: optional(Type.Boolean()),
  receives_messages_from_everyone: optional(Type.Boolean()),
  created_at: optional(Moment),
  pinned_post: optional(PostRef),
  tokens: optional(list(Token, 100, 'Access tokens of the user, one entry per app.')),
  follows: optional(list(UserRef, 100_000, 'Whom the user follows. A protected account has approved.')),
  blocks: optional(list(UserRef, 10_000, 'Whom the user blocks.')),
  mutes: optional(list(UserRef, 10_000, 'Whom the user mutes.')),
})

const Media = closed({
  file: optional(text('A picture, GIF or video: a path beside the world file.', { minLength: 1, maxLength: 1_000 })),
  data: optional(
    Type.String({ format: 'byte', description: 'The bytes of the file in base64. `rostra apply` fills it in.' }),
  ),
  draw: optional(described(words(['rings', 'stripes', 'squares', 'hills']), 'A drawn picture instead of a file.')),
  id: optional(Id),
  alt_text: optional(text('A description for people who do not see it.', { maxLength: 1_000 })),
})

export const Post = closed({
  key: optional(Key),
  id: optional(Id),
  author: UserRef,
  text: optional(text('The text as the author typed it.', { maxLength: 25_000 })),
  at: optional(described(Moment, 'When it was written. A post with a fixed id has the time of its id.')),
  app: optional(described(AppRef, 'The app that wrote it.')),
  source: optional(text('The name of what wrote it, where that is none of the apps.', { maxLength: 200 })),
  reply_to: optional(PostRef),
  quotes: optional(PostRef),
  community: optional(text('A community: its key or id.', { minLength: 1, maxLength: 200 })),
  place: optional(text('The id of a place.', { minLength: 1, maxLength: 100 })),
  poll: optional(
    closed({
      options: Type.Array(Type.String({ minLength: 1, maxLength: 25 }), { minItems: 2, maxItems: 4 }),
      duration_minutes: Type.Integer({ minimum: 5, maximum: 10_080 }),
      votes: optional(Type.Array(Type.Integer({ minimum: 0, maximum: 2_000_000_000 }), { maxItems: 4 })),
    }),
  ),
  media: optional(list(Media, 4, 'Up to four pictures, or one GIF, or one video.')),
  reply_settings: optional(words(['everyone', 'following', 'mentionedUsers', 'subscribers', 'verified'])),
  possibly_sensitive: optional(Type.Boolean()),
  made_with_ai: optional(Type.Boolean()),
  paid_partnership: optional(Type.Boolean()),
  likes: optional(list(UserRef, 100_000, 'Who liked it, in order.')),
  bookmarks: optional(list(UserRef, 100_000, 'Who bookmarked it, in order.')),
  reposts: optional(
    list(
      Type.Union([UserRef, closed({ user: UserRef, id: optional(Id), at: optional(Moment) })]),
      100_000,
      'Who reposted it, in order.',
    ),
  ),
})

export type WorldUser = Static<typeof User>
export type WorldToken = Static<typeof Token>
export type WorldApp = Static<typeof App>
export type WorldPost = Static<typeof Post>
export type WorldMedia = Static<typeof Media>
