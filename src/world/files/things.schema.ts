import { ACTIVITY_NAMES } from '../../activity/event-types.ts'
import { FEATURES } from '../../ads/accounts/features.data.ts'
import { PERMISSIONS } from '../../ads/kit/access.ts'
import { CURRENCIES } from '../../ads/money.ts'
import { closed, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { AppRef, described, Id, Key, list, Moment, optional, text, UserRef } from './schema-values.ts'

export const List = closed({
  key: optional(Key),
  id: optional(Id),
  owner: UserRef,
  name: text('The name of the list.', { minLength: 1, maxLength: 25 }),
  description: optional(Type.String({ maxLength: 100 })),
  private: optional(Type.Boolean()),
  members: optional(list(UserRef, 5_000, 'Who is in the list, in order.')),
  followers: optional(list(UserRef, 100_000, 'Who follows the list, in order.')),
})

export const Community = closed({
  key: optional(Key),
  id: optional(Id),
  name: text('The name of the community.', { minLength: 1, maxLength: 30 }),
  description: optional(Type.String({ maxLength: 160 })),
  access: optional(words(['Public', 'Closed'])),
  join_policy: optional(
    words([
      'Open',
      'RestrictedJoinRequestsDisabled',
      'RestrictedJoinRequestsRequireAdminApproval',
      'RestrictedJoinRequestsRequireModeratorApproval',
      'SuperFollowRequired',
    ]),
  ),
  admin: UserRef,
  members: optional(list(UserRef, 10_000, 'The other members.')),
})

export const Webhook = closed({
  key: optional(Key),
  id: optional(Id),
  app: AppRef,
  url: Type.String({ minLength: 1, maxLength: 200 }),
  challenge: optional(
    described(
      Type.Boolean(),
      'Whether a new webhook must pass the challenge now. Default: it counts as valid without.',
    ),
  ),
})

export const Rule = closed({
  id: optional(Id),
  app: AppRef,
  value: text('A rule of the filtered stream.', { minLength: 1, maxLength: 2_048 }),
  tag: optional(Type.String({ minLength: 1, maxLength: 200 })),
})

export const ActivitySubscription = closed({
  id: optional(Id),
  app: AppRef,
  event_type: words(ACTIVITY_NAMES),
  user: optional(UserRef),
  keyword: optional(Type.String({ minLength: 1, maxLength: 200 })),
  direction: optional(words(['inbound', 'outbound'])),
  tag: optional(Type.String({ minLength: 1, maxLength: 200 })),
  webhook: optional(text('A webhook of the app: its key, id or url.', { minLength: 1, maxLength: 200 })),
})

export const Message = closed({
  key: optional(Key),
  id: optional(Id),
  from: UserRef,
  to: Type.Union([UserRef, Type.Array(UserRef, { minItems: 1, maxItems: 49 })], {
    description: 'One user, or the other members of a group.',
  }),
  group: optional(
    text('Names a group conversation; messages with the same name are in one.', { minLength: 1, maxLength: 200 }),
  ),
  text: text('The text of the message.', { minLength: 1, maxLength: 10_000 }),
  at: optional(Moment),
})

const AdsId = Type.String({ pattern: '^[0-9a-z]{1,13}$', description: 'A fixed id in base 36.' })
const Micros = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const FundingInstrument = closed({
  id: optional(AdsId),
  key: optional(Key),
  type: words(['AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED']),
  currency: words(CURRENCIES),
  amount_local_micro: optional(Micros('The limit of the credit, or the amount funded. Default: there is no limit.')),
  spent_local_micro: optional(
    Micros('What was spent of it before, by all who share it. An instrument that exists already keeps what it spent.'),
  ),
  shares: optional(
    text(
      'A CREDIT_LINE of another account whose credit line this one uses: its key in this file, or its id. The limit is that of the line.',
      { minLength: 1, maxLength: 200 },
    ),
  ),
  description: optional(Type.String({ minLength: 1, maxLength: 255 })),
  paused: optional(Type.Boolean()),
  start_time: optional(Moment),
  end_time: optional(Moment),
  created_at: optional(
    described(Moment, 'When it was created. Default: now. An instrument that exists already keeps its own.'),
  ),
})

export const AdsAccount = closed({
  id: optional(AdsId),
  key: optional(Key),
  name: text('The name of the account.', { minLength: 1, maxLength: 255 }),
  owner: UserRef,
  sandbox: optional(Type.Boolean()),
  timezone: optional(text('A time zone such as Europe/Lisbon.', { minLength: 1, maxLength: 255 })),
  business_name: optional(Type.String({ minLength: 1, maxLength: 255 })),
  industry_type: optional(Type.String({ minLength: 1, maxLength: 255 })),
  features: optional(Type.Array(words(FEATURES), { description: 'Default: all features.' })),
  users: optional(
    Type.Array(closed({ user: UserRef, permissions: Type.Array(words(PERMISSIONS), { minItems: 1 }) }), {
      maxItems: 1_000,
    }),
  ),
  funding_instruments: optional(Type.Array(FundingInstrument, { maxItems: 100 })),
})

export type WorldList = Static<typeof List>
export type WorldCommunity = Static<typeof Community>
export type WorldWebhook = Static<typeof Webhook>
export type WorldRule = Static<typeof Rule>
export type WorldSubscription = Static<typeof ActivitySubscription>
export type WorldMessage = Static<typeof Message>
export type WorldAdsAccount = Static<typeof AdsAccount>
export type WorldFunding = Static<typeof FundingInstrument>
