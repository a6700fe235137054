import { closed, component, DateTime, idSchema, type Static, Type, words } from '../api-kit/declaring/schema.ts'
import { UserId } from '../social/ids.ts'
import { WebhookConfigId } from '../webhooks/configure-webhooks.ts'
import { DIRECTIONS } from './event-types.ts'

const optional = Type.Optional
export const SubscriptionId = idSchema('ActivitySubscriptionId')
export const SubscriptionTag = Type.String({ minLength: 1, maxLength: 200 })
export const SubscriptionTotal = Type.Integer({ format: 'int32' })

export const SubscriptionFilterSchema = component(
  'ActivitySubscriptionFilter',
  closed({
    direction: optional(words(Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[])),
    keyword: optional(component('Keyword', Type.String({ minLength: 1, maxLength: 150 }))),
    user_id: optional(UserId),
  }),
)

/** A filter as a client writes it. */
export type SubscriptionFilter = Static<typeof SubscriptionFilterSchema>

export const SubscriptionSchema = component(
  'ActivitySubscription',
  Type.Object({
    created_at: DateTime,
    event_type: Type.String(),
    filter: SubscriptionFilterSchema,
    subscription_id: SubscriptionId,
    tag: optional(Type.String()),
    updated_at: DateTime,
    webhook_id: optional(WebhookConfigId),
  }),
)
