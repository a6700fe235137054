import type { Caller } from '../api-kit/declaring/caller.ts'
import { defineOperation, userOf } from '../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../api-kit/declaring/reply.ts'
import { component, Type } from '../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { blank, invalidParameter, oauth1Permissions } from '../api-kit/writing/problems.ts'
import { capOf } from '../identity/tier-caps.ts'
import { isStorableId } from '../process/ids.ts'
import { UserId } from '../social/ids.ts'
import type { Db } from '../storage/database.ts'
import { findWebhook, WebhookConfigId } from '../webhooks/configure-webhooks.ts'
import { developerLock } from '../webhooks/webhook.statements.ts'
import {
  signedLevel,
  subscriptionsOfAccount,
  subscriptionsOfWebhook,
  userSubscriptionAdd,
  userSubscriptionFind,
  userSubscriptionRemove,
} from './subscription.statements.ts'

const tag = 'Account Activity'
const optional = Type.Optional

// Deliveries include messages, so full access is required.
const FULL_ACCESS = 'read-write-messages'
const SCOPES = ['dm.read', 'dm.write', 'post.read', 'users.read'] as const
const byUser = { oauth1: true, oauth2: SCOPES, level: FULL_ACCESS, scopesByRequest: true } as const

const subscribedReply = (name: string) =>
  component(
    name,
    Type.Object({ data: optional(Type.Object({ subscribed: optional(Type.Boolean()) })), errors: ErrorsSchema }),
  )

/** 400 with one of the failure names of the interface, which programs can distinguish. */
const refused = (name: string, webhookId: string, message: string): Problem =>
  invalidParameter('webhook_id', webhookId, `${name}: ${message}`)

const getAccountActivitySubscriptionCount = defineOperation({
  id: 'getAccountActivitySubscriptionCount',
  route: 'GET /2/account_activity/subscriptions/count',
  tag,
  summary: 'Count the users whose activity the developer account receives',
  auth: { app: true },
  reply: component(
    'SubscriptionsCountGetResponse',
    Type.Object({
      data: optional(
        Type.Object({
          account_name: Type.String(),
          provisioned_count: Type.String(),
          subscriptions_count_all: Type.String(),
          subscriptions_count_direct_messages: Type.String(),
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ caller, runtime }) => {
    const account = (await subscriptionsOfAccount.first(runtime.database, caller.app.id, null, null))!
    return {
      data: {
        account_name: account.account_name,
        provisioned_count: String(capOf(caller, 'account_activity_users')),
        subscriptions_count_all: String(account.users),
        // Subscriptions only to messages can no longer be created.
        subscriptions_count_direct_messages: '0',
      },
    }
  },
})

/** OAuth 1.0a permissions, where the user granted the app some, replace the scopes of a token. */
async function checkAccess(runtime: Runtime, caller: Caller): Promise<void> {
  if (caller.kind !== 'oauth2') return
  const signed = await signedLevel.first(runtime.database, caller.app.id, userOf(caller).id)
  if (!signed) {
    const missing = SCOPES.filter((scope) => !caller.scopes.has(scope))
    if (missing.length > 0) throw blank(403, undefined, `the token lacks the scope ${missing.join(' and ')}`)
  } else if (signed.access_level !== FULL_ACCESS)
    throw oauth1Permissions(
      `the OAuth 1.0a token of the user has the level ${signed.access_level}, which overrides the scopes`,
    )
}

const validateAccountActivitySubscription = defineOperation({
  id: 'validateAccountActivitySubscription',
  route: 'GET /2/account_activity/webhooks/{webhook_id}/subscriptions/all',
  tag,
  summary: 'Check whether the user is subscribed to a webhook',
  auth: byUser,
  path: { webhook_id: WebhookConfigId },
  reply: subscribedReply('SubscriptionsGetResponse'),
  handle: async ({ path, caller, runtime }) => {
    await checkAccess(runtime, caller)
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    const found = await userSubscriptionFind.first(runtime.database, webhook.id, userOf(caller).id)
    return { data: { subscribed: found !== undefined } }
  },
})

/** Rejects a subscription that exists already, and more users than the tier includes. */
async function checkCapacity(db: Db, caller: Caller, webhookId: string): Promise<void> {
  const account = (await subscriptionsOfAccount.first(db, caller.app.id, webhookId, userOf(caller).id))!
  if (account.same)
    throw refused('DuplicateSubscriptionFailed', webhookId, 'the user is already subscribed to this webhook.')
  const max = capOf(caller, 'account_activity_users')
  // A user counts once, for any number of webhooks of the account.
  if (!account.known && account.users >= max)
    throw refused('SubscriptionLimitExceeded', webhookId, `the tier ${caller.app.tier} includes ${max} users.`)
}

const createAccountActivitySubscription = defineOperation({
  id: 'createAccountActivitySubscription',
  route: 'POST /2/account_activity/webhooks/{webhook_id}/subscriptions/all',
  tag,
  summary: 'Subscribe the user’s activity to a webhook',
  auth: byUser,
  path: { webhook_id: WebhookConfigId },
  body: component('SubscriptionsCreateRequest', Type.Object({})),
  bodyOptional: true,
  reply: subscribedReply('SubscriptionsCreateResponse'),
  handle: async ({ path, caller, runtime }) => {
    await checkAccess(runtime, caller)
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    const made = await change(runtime, async (tx) => {
      await developerLock.first(tx, caller.app.id)
      await checkCapacity(tx, caller, webhook.id)
      return userSubscriptionAdd.first(tx, caller.app.id, webhook.id, userOf(caller).id, new Date(runtime.clock.now()))
    })
    // The webhook was removed in between: looking it up again gives the right error.
    if (!made) await findWebhook(runtime, caller, webhook.id)
    return { data: { subscribed: true } }
  },
})

const getAccountActivitySubscriptions = defineOperation({
  id: 'getAccountActivitySubscriptions',
  route: 'GET /2/account_activity/webhooks/{webhook_id}/subscriptions/all/list',
  tag,
  summary: 'List the users subscribed to a webhook',
  auth: { app: true },
  path: { webhook_id: WebhookConfigId },
  reply: component(
    'SubscriptionsListGetResponse',
    Type.Object({
      data: optional(
        Type.Object({
          application_id: Type.String(),
          subscriptions: Type.Array(Type.Object({ user_id: optional(Type.String()) })),
          webhook_id: Type.String(),
          webhook_url: Type.String(),
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, caller, runtime }) => {
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    // The interface has no pages here; the tier limits the number.
    const subscriptions = await subscriptionsOfWebhook.all(runtime.database, webhook.id)
    return {
      data: { application_id: caller.app.id, webhook_id: webhook.id, webhook_url: webhook.url, subscriptions },
    }
  },
})

const deleteAccountActivitySubscription = defineOperation({
  id: 'deleteAccountActivitySubscription',
  route: 'DELETE /2/account_activity/webhooks/{webhook_id}/subscriptions/{user_id}/all',
  tag,
  summary: 'Unsubscribe a user from a webhook',
  auth: { app: true },
  path: { webhook_id: WebhookConfigId, user_id: UserId },
  reply: subscribedReply('SubscriptionsDeleteResponse'),
  handle: async ({ path, caller, runtime }) => {
    const webhook = await findWebhook(runtime, caller, path.webhook_id)
    const gone = isStorableId(path.user_id)
      ? await userSubscriptionRemove.count(runtime.database, webhook.id, path.user_id)
      : 0
    if (gone === 0)
      throw blank(
        404,
        `SubscriptionNotFound: the user [${path.user_id}] is not subscribed to the webhook [${webhook.id}].`,
      )
    return { data: { subscribed: false } }
  },
})

/** The operations of the Account Activity product. */
export const accountActivityOperations = [
  getAccountActivitySubscriptionCount,
  validateAccountActivitySubscription,
  createAccountActivitySubscription,
  getAccountActivitySubscriptions,
  deleteAccountActivitySubscription,
]
