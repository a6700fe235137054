import { defineObject, expands, relationField, staticField, viewerField } from '../../api-kit/declaring/object.ts'
import { Count, component, DateTime, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { userSuspended } from '../../api-kit/writing/partial-errors.ts'
import { wireTime } from '../../process/clock.ts'
import { CountryCode, PostId, UserId, UserName } from '../ids.ts'
import { messageRelation, receivesMessages } from '../messages/message-rules.ts'
import { post } from '../posts/post.object.ts'
import { FullTextEntities, UrlEntitySchema } from '../text/entity.schemas.ts'
import { defaultPictureUrl } from './default-picture.ts'
import { relation, userEmail, userMetrics, userRow } from './user.parts.ts'

const Text = Type.String()
const Uri = Type.String({ format: 'uri' })

const nonEmpty = (text: string | null) => (text === null || text === '' ? undefined : text)
const isSelf = (context: ReadContext, id: string) => context.caller?.user?.id === id

const ProfileEntities = Type.Object({
  description: Type.Optional(FullTextEntities),
  url: Type.Optional(Type.Object({ urls: Type.Optional(Type.Array(UrlEntitySchema, { minItems: 1 })) })),
})

/** The object `user` of the interface. */
export const user = defineObject({
  name: 'user',
  resource: 'user',
  plural: 'users',
  component: 'User',
  always: ['id', 'name', 'username'],
  existence: userRow,
  fields: {
    id: staticField(userRow, UserId, (row) => row.id),
    name: staticField(userRow, Text, (row) => row.name),
    username: staticField(userRow, UserName, (row) => row.username),
    created_at: staticField(userRow, DateTime, (row) => wireTime(row.created_at.getTime())),
    description: staticField(userRow, Text, (row) => nonEmpty(row.description)),
    location: staticField(userRow, Text, (row) => nonEmpty(row.location)),
    url: staticField(userRow, Text, (row) => nonEmpty(row.url)),
    entities: staticField(userRow, ProfileEntities, (row) =>
      row.description_entities || row.url_entities
        ? ({ description: row.description_entities ?? undefined, url: row.url_entities ?? undefined } as Static<
            typeof ProfileEntities
          >)
        : undefined,
    ),
    // The address of the default picture depends on how the caller reached the server.
    profile_image_url: viewerField(
      userRow,
      Uri,
      (row, context) => row.profile_image_url ?? defaultPictureUrl(context.baseUrl, row.id),
    ),
    profile_banner_url: staticField(userRow, Uri, (row) => row.profile_banner_url),
    protected: staticField(userRow, Type.Boolean(), (row) => row.protected),
    verified: staticField(userRow, Type.Boolean(), (row) => row.verified_type !== 'none'),
    verified_type: staticField(
      userRow,
      words(['blue', 'government', 'business', 'none']),
      (row) => row.verified_type as 'none',
    ),
    is_identity_verified: staticField(userRow, Type.Boolean(), (row) => row.identity_verified),
    parody: staticField(userRow, Type.Boolean(), (row) => row.parody),
    affiliation: staticField(
      userRow,
      Type.Object({
        badge_url: Type.Optional(Uri),
        description: Type.Optional(Text),
        url: Type.Optional(Uri),
        user_id: Type.Optional(Type.Array(UserId, { minItems: 1 })),
      }),
      (row) => row.affiliation as Affiliation | null,
    ),
    withheld: staticField(
      userRow,
      component(
        'UserWithheld',
        Type.Object({
          country_codes: Type.Array(CountryCode, { minItems: 1, uniqueItems: true }),
          scope: Type.Optional(words(['user'])),
        }),
      ),
      (row) =>
        row.withheld_countries.length === 0
          ? undefined
          : { country_codes: row.withheld_countries, scope: 'user' as const },
    ),
    pinned_post_id: staticField(userRow, PostId, (row) => row.pinned_post_id),
    most_recent_post_id: staticField(userMetrics, PostId, (metrics) => metrics.most_recent_post_id),
    public_metrics: staticField(
      userMetrics,
      Type.Object({
        followers_count: Count,
        following_count: Count,
        like_count: Type.Optional(Count),
        listed_count: Count,
        media_count: Type.Optional(Count),
        post_count: Count,
      }),
      (metrics) => metrics,
    ),
    verified_followers_count: staticField(userMetrics, Text, (metrics) => String(metrics.verified_followers_count)),
    subscription_type: viewerField(userRow, words(['Basic', 'Premium', 'PremiumPlus', 'None']), (row, context) =>
      isSelf(context, row.id) ? (row.subscription_type as 'None') : 'None',
    ),
    // Subscriptions between users do not exist here.
    subscription: staticField(userRow, Type.Object({}), () => undefined),
    confirmed_email: viewerField(userEmail, Text, (row, context) =>
      isSelf(context, row.user_id) && context.caller?.scopes.has('users.email') ? row.email : undefined,
    ),
    connection_status: relationField(
      userRow,
      relation,
      Type.Array(
        words(['follow_request_received', 'follow_request_sent', 'blocking', 'followed_by', 'following', 'muting']),
        { minItems: 0 },
      ),
      (found) => [
        ...(found.follower_pending ? (['follow_request_received'] as const) : []),
        ...(found.follow_pending ? (['follow_request_sent'] as const) : []),
        ...(found.blocks ? (['blocking'] as const) : []),
        ...(found.followed_by ? (['followed_by'] as const) : []),
        ...(found.follows ? (['following'] as const) : []),
        ...(found.mutes ? (['muting'] as const) : []),
      ],
    ),
    receives_your_dm: relationField(userRow, messageRelation, Type.Boolean(), receivesMessages),
  },
  expansions: {
    'affiliation.user_id': expands(
      userRow,
      () => user,
      (row) => (row.affiliation as Affiliation | null)?.user_id ?? [],
      'affiliation',
    ),
    most_recent_post_id: expands(
      userMetrics,
      () => post,
      (metrics) => present(metrics.most_recent_post_id),
      'most_recent_post_id',
    ),
    pinned_post_id: expands(
      userRow,
      () => post,
      (row) => present(row.pinned_post_id),
      'pinned_post_id',
    ),
  },
  judge: (_context, entries) => {
    if (!entries.some((entry) => partOf(entry, userRow)?.suspended)) return undefined
    return Promise.resolve(
      entries.map((entry) =>
        partOf(entry, userRow)?.suspended
          ? (reference) => userSuspended(reference.parameter, reference.value)
          : undefined,
      ),
    )
  },
})

/** The organisation that a user belongs to, as shown in their profile. */
export interface Affiliation {
  badge_url?: string
  description?: string
  url?: string
  user_id?: string[]
}

const present = (id: string | null): string[] => (id === null ? [] : [id])
