import { LOG_END } from '../events/log-end.ts'
import { type RowOf, statement } from '../storage/statement.ts'

const columns = {
  id: 'int8',
  event_type: 'text',
  filter: 'jsonb',
  tag: 'text?',
  webhook_id: 'int8?',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const names = Object.keys(columns).join(', ')

/** A subscription as answers show it. */
export type SubscriptionRow = RowOf<typeof columns>

/** Serializes changes to the subscriptions of one app, so caps and duplicate checks are exact. */
export const subscriptionLock = statement(
  'activity_subscription_lock',
  { id: 'int8' },
  'select id from client_app where id = $1 for no key update',
)
/** Prevents the removal of a webhook while a subscription is connected to it. */
export const subscriptionWebhookHold = statement(
  'activity_subscription_webhook_hold',
  { id: 'int8' },
  'select id from webhook where app_id = $1 and id = $2 for key share',
)
/** Finds a duplicate of a subscription: any name of the type, the same filter and webhook. */
export const subscriptionSame = statement(
  'activity_subscription_same',
  { id: 'int8' },
  `select id from activity_subscription
    where event_type = any($2::text[]) and (user_id = $3::bigint or (user_id is null and $3::bigint is null)) and app_id = $1
      and keyword is not distinct from $4 and direction is not distinct from $5 and webhook_id is not distinct from $6::bigint and id <> $7
    limit 1`,
)
export const subscriptionCount = statement(
  'activity_subscription_count',
  { count: 'int4' },
  'select count(*)::int as count from activity_subscription where app_id = $1',
)
export const activitySubscriptionAdd = statement(
  'activity_subscription_add',
  columns,
  `insert into activity_subscription (id, app_id, event_type, user_id, keyword, direction, filter, tag, webhook_id, naming, created_at, updated_at, begins_after)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $11, ${LOG_END}) returning ${names}`,
)
/** Reads what decides whether another subscription is a duplicate. */
export const subscriptionOfApp = statement(
  'activity_subscription_of_app',
  { id: 'int8', event_type: 'text', user_id: 'int8?', keyword: 'text?', direction: 'text?', webhook_id: 'int8?' },
  'select id, event_type, user_id, keyword, direction, webhook_id from activity_subscription where app_id = $1 and id = $2',
)
export const subscriptionUpdate = statement(
  'activity_subscription_update',
  columns,
  `update activity_subscription set tag = coalesce($3, tag), webhook_id = coalesce($4::bigint, webhook_id), updated_at = $5
    where app_id = $1 and id = $2 returning ${names}`,
)
export const subscriptionsRemove = statement(
  'activity_subscriptions_remove',
  { id: 'int8' },
  'delete from activity_subscription where app_id = $1 and id = any($2::bigint[]) returning id',
)

/** The subscriptions of an app before an id, newest first, and after an id, oldest first. */
export const subscriptionsOlder = statement(
  'activity_subscriptions_older',
  columns,
  `select ${names} from activity_subscription where app_id = $1 and id < $2 order by id desc limit $3`,
)
export const subscriptionsNewer = statement(
  'activity_subscriptions_newer',
  columns,
  `select ${names} from activity_subscription where app_id = $1 and id > $2 order by id limit $3`,
)

const candidateColumns = {
  id: 'int8',
  app_id: 'int8',
  event_type: 'text',
  user_id: 'int8?',
  keyword: 'text?',
  direction: 'text?',
  filter: 'jsonb',
  tag: 'text?',
  webhook_id: 'int8?',
  naming: 'text',
  begins_after: 'int8',
} as const
const candidateNames = Object.keys(candidateColumns)
  .map((name) => `s.${name}`)
  .join(', ')
// Without app ids: the subscriptions of every app that have a webhook.
const concerned = `join client_app a on a.id = s.app_id and not a.suspended
     where case when $6::bigint[] is null then s.webhook_id is not null else s.app_id = any($6) end`

/** What matching and delivery need of a subscription. */
export type CandidateSubscription = RowOf<typeof candidateColumns>

/**
 * The subscriptions that activities may concern. Activity of a user is found by name and user, and needs an active grant of
 * the scope, if the type has one. Activity about an app is found by name and app, and what concerns everyone by name.
 */
export const subscriptionCandidates = statement(
  'activity_subscription_candidates',
  candidateColumns,
  `select ${candidateNames} from unnest($1::text[], $2::bigint[], $3::text[]) as k (event_type, user_id, scope)
     join activity_subscription s on s.event_type = k.event_type and s.user_id = k.user_id
     ${concerned}
       and (k.scope is null or exists (
         select from oauth2_grant g where g.user_id = s.user_id and g.app_id = s.app_id and not g.revoked and k.scope = any(g.scopes)))
   union all
   select ${candidateNames} from unnest($4::text[], $5::bigint[]) as k (event_type, app_id)
     join activity_subscription s on s.event_type = any($4) and s.event_type = k.event_type and s.user_id is null and s.app_id = k.app_id
     ${concerned}
   union all
   select ${candidateNames} from activity_subscription s ${concerned} and s.event_type = any($7::text[]) and s.user_id is null`,
)
