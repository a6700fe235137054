import type { Caller } from '../api-kit/declaring/caller.ts'
import { defineOperation } from '../api-kit/declaring/operation.ts'
import { csv } from '../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../api-kit/declaring/reply.ts'
import { closed, component, fixedName, renamedWords, Type, words } from '../api-kit/declaring/schema.ts'
import { type PageRange, pages, readPage } from '../api-kit/reading/paging.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { Answer } from '../api-kit/writing/answer.ts'
import { renderBody } from '../api-kit/writing/problem.ts'
import { blank, invalidRequest } from '../api-kit/writing/problems.ts'
import { wireTime } from '../process/clock.ts'
import { isStorableId } from '../process/ids.ts'
import { WebhookConfigId } from '../webhooks/configure-webhooks.ts'
import {
  checkActivityGrant,
  checkFilter,
  checkNotDuplicate,
  checkSubscriptionCap,
  checkSubscriptionWebhook,
  countSubscriptions,
} from './check-subscription.ts'
import { ACTIVITY_NAMES, DIRECTIONS, FORMER_ACTIVITY_NAMES } from './event-types.ts'
import {
  SubscriptionFilterSchema,
  SubscriptionId,
  SubscriptionSchema,
  SubscriptionTag,
  SubscriptionTotal,
} from './subscription.schemas.ts'
import {
  activitySubscriptionAdd,
  type SubscriptionRow,
  subscriptionLock,
  subscriptionOfApp,
  subscriptionsNewer,
  subscriptionsOlder,
  subscriptionsRemove,
  subscriptionUpdate,
} from './subscription.statements.ts'

const optional = Type.Optional
const DeleteReply = component(
  'ActivitySubscriptionDeleteResponse',
  Type.Object({
    data: optional(Type.Object({ deleted: optional(Type.Boolean()) })),
    errors: ErrorsSchema,
    meta: optional(Type.Object({ total_subscriptions: optional(SubscriptionTotal) })),
  }),
)

const limit = { app: '500/15m' }

const show = ({ id, created_at, updated_at, ...row }: SubscriptionRow) => ({
  ...row,
  subscription_id: id,
  created_at: wireTime(created_at.getTime()),
  updated_at: wireTime(updated_at.getTime()),
})

const notFound = (id: string) => blank(404, `The app has no activity subscription [${id}].`)

const createActivitySubscription = defineOperation({
  id: 'createActivitySubscription',
  route: 'POST /2/activity/subscriptions',
  tag: 'Activity',
  summary: 'Subscribe to a type of activity',
  auth: { app: true, oauth1: true, oauth2: ['dm.read', 'like.read', 'post.read'], scopesByRequest: true },
  limit,
  body: component(
    'ActivitySubscriptionCreateRequest',
    closed({
      // Event types have the same name in both namings.
      event_type: fixedName(renamedWords(words(ACTIVITY_NAMES), FORMER_ACTIVITY_NAMES)),
      filter: SubscriptionFilterSchema,
      tag: optional(SubscriptionTag),
      webhook_id: optional(WebhookConfigId),
    }),
  ),
  reply: component(
    'ActivitySubscriptionCreateResponse',
    Type.Object({
      data: optional(
        Type.Object({
          subscription: optional(SubscriptionSchema),
          total_subscriptions_for_instance_id: optional(Type.Integer()),
        }),
      ),
      errors: ErrorsSchema,
      meta: optional(Type.Object({ total_subscriptions: optional(SubscriptionTotal) })),
    }),
  ),
  handle: async ({ body, caller, runtime, context, naming }) => {
    const { filter } = body
    checkActivityGrant(caller, body.event_type, filter)
    await checkFilter(context, body.event_type, filter)
    const key = {
      event_type: body.event_type,
      user_id: filter.user_id ?? null,
      keyword: filter.keyword ?? null,
      direction: (filter.direction && DIRECTIONS[filter.direction]) ?? null,
      webhook_id: body.webhook_id ?? null,
    }
    const { row, total } = await change(runtime, async (tx) => {
      await subscriptionLock.first(tx, caller.app.id)
      await checkSubscriptionWebhook(tx, caller, body.webhook_id)
      await checkNotDuplicate(tx, caller, key)
      const before = await checkSubscriptionCap(tx, caller)
      const made = await activitySubscriptionAdd.first(
        tx,
        runtime.ids.next(),
        caller.app.id,
        key.event_type,
        key.user_id,
        key.keyword,
        key.direction,
        JSON.stringify(filter),
        body.tag ?? null,
        key.webhook_id,
        naming.id,
        new Date(runtime.clock.now()),
      )
      return { row: made!, total: before + 1 }
    })
    return {
      data: { subscription: show(row), total_subscriptions_for_instance_id: total },
      meta: { total_subscriptions: total },
    }
  },
})

const getActivitySubscriptions = defineOperation({
  id: 'getActivitySubscriptions',
  route: 'GET /2/activity/subscriptions',
  tag: 'Activity',
  summary: 'List the activity subscriptions of the app, newest first',
  auth: { app: true, oauth1: true, oauth2: ['like.read', 'post.read'] },
  limit,
  query: pages({ min: 1, max: 1000, initial: 1000, token: 'base32' }),
  reply: component(
    'ActivitySubscriptionGetResponse',
    Type.Object({
      data: optional(Type.Array(SubscriptionSchema)),
      errors: ErrorsSchema,
      meta: optional(
        Type.Object({
          next_token: optional(Type.String()),
          result_count: optional(Type.Integer({ format: 'int32' })),
          total_subscriptions: optional(SubscriptionTotal),
        }),
      ),
    }),
  ),
  handle: async ({ query, caller, runtime }) => {
    const load = ({ direction, key, limit: most }: PageRange) =>
      (direction === 'older' ? subscriptionsOlder : subscriptionsNewer).all(runtime.database, caller.app.id, key, most)
    const [page, total] = await Promise.all([
      readPage(query.page, load, (row) => row.id),
      countSubscriptions(runtime.database, caller),
    ])
    return { data: page.items.map(show), meta: { ...page.meta, total_subscriptions: total } }
  },
})

const updateActivitySubscription = defineOperation({
  id: 'updateActivitySubscription',
  route: 'PUT /2/activity/subscriptions/{subscription_id}',
  tag: 'Activity',
  summary: 'Change the tag or webhook of an activity subscription',
  auth: { app: true },
  limit,
  path: { subscription_id: SubscriptionId },
  body: component(
    'ActivitySubscriptionUpdateRequest',
    closed({ tag: optional(SubscriptionTag), webhook_id: optional(WebhookConfigId) }),
  ),
  reply: component(
    'ActivitySubscriptionUpdateResponse',
    Type.Object({
      data: optional(
        Type.Object({ subscription: optional(SubscriptionSchema), total_subscriptions: optional(SubscriptionTotal) }),
      ),
    }),
  ),
  handle: async ({ path, body, caller, runtime }) => {
    if (body.tag === undefined && body.webhook_id === undefined)
      throw invalidRequest([{ parameters: { $: [] }, message: '$: must contain tag, webhook_id or both' }])
    const id = path.subscription_id
    if (!isStorableId(id)) throw notFound(id)
    const { row, total } = await change(runtime, async (tx) => {
      await subscriptionLock.first(tx, caller.app.id)
      const current = await subscriptionOfApp.first(tx, caller.app.id, id)
      if (!current) throw notFound(id)
      await checkSubscriptionWebhook(tx, caller, body.webhook_id)
      if (body.webhook_id !== undefined)
        await checkNotDuplicate(tx, caller, { ...current, webhook_id: body.webhook_id }, current.id)
      const changed = await subscriptionUpdate.first(
        tx,
        caller.app.id,
        current.id,
        body.tag ?? null,
        body.webhook_id ?? null,
        new Date(runtime.clock.now()),
      )
      return { row: changed!, total: await countSubscriptions(tx, caller) }
    })
    return { data: { subscription: show(row), total_subscriptions: total } }
  },
})

/** Removes subscriptions of the app; returns which existed and how many are left. */
function removeSubscriptions(runtime: Runtime, caller: Caller, ids: string[]) {
  return change(runtime, async (tx) => {
    const gone = await subscriptionsRemove.all(tx, caller.app.id, ids.filter(isStorableId))
    return { gone: new Set(gone.map((row) => row.id)), left: await countSubscriptions(tx, caller) }
  })
}

const deleteActivitySubscription = defineOperation({
  id: 'deleteActivitySubscription',
  route: 'DELETE /2/activity/subscriptions/{subscription_id}',
  tag: 'Activity',
  summary: 'Delete an activity subscription',
  auth: { app: true },
  limit,
  path: { subscription_id: SubscriptionId },
  reply: DeleteReply,
  handle: async ({ path, caller, runtime }) => {
    const { gone, left } = await removeSubscriptions(runtime, caller, [path.subscription_id])
    if (gone.size === 0) throw notFound(path.subscription_id)
    return { data: { deleted: true }, meta: { total_subscriptions: left } }
  },
})

const deleteActivitySubscriptionsByIds = defineOperation({
  id: 'deleteActivitySubscriptionsByIds',
  route: 'DELETE /2/activity/subscriptions',
  tag: 'Activity',
  summary: 'Delete several activity subscriptions',
  auth: { app: true },
  query: { ids: csv(SubscriptionId, { min: 1, max: 100 }) },
  reply: DeleteReply,
  handle: async ({ query, caller, runtime, context, naming }) => {
    const { gone, left } = await removeSubscriptions(runtime, caller, query.ids)
    // An id in the request may have leading zeros.
    const missing = query.ids.filter((id) => !gone.has(BigInt(id).toString()))
    const errors = [...new Set(missing)].map((id) => notFound(id).body)
    const answer = {
      ...(gone.size > 0 ? { data: { deleted: true } } : {}),
      ...(errors.length > 0 ? { errors } : {}),
      meta: { total_subscriptions: left },
    }
    return new Answer(JSON.stringify(renderBody(answer, naming, context.problemBase)))
  },
})

/** The operations on activity subscriptions. */
export const activitySubscriptionOperations = [
  createActivitySubscription,
  getActivitySubscriptions,
  updateActivitySubscription,
  deleteActivitySubscription,
  deleteActivitySubscriptionsByIds,
]
