import { type Caller, CREDENTIAL_WORDS } from '../api-kit/declaring/caller.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import { tierTooLow } from '../api-kit/serving/gate.ts'
import {
  blank,
  clientForbidden,
  type Fault,
  invalidParameter,
  invalidRequest,
  unsupportedAuthentication,
} from '../api-kit/writing/problems.ts'
import { capOf } from '../identity/tier-caps.ts'
import { isStorableId } from '../process/ids.ts'
import { tokenize } from '../search/tokenize.ts'
import { checkOwnPath } from '../social/own-path.ts'
import { findUserToActOn } from '../social/users/find-readable-user.ts'
import type { Tx } from '../storage/database.ts'
import { type ActivityType, activityType } from './event-types.ts'
import type { SubscriptionFilter } from './subscription.schemas.ts'
import { subscriptionCount, subscriptionSame, subscriptionWebhookHold } from './subscription.statements.ts'

/** Refuses a caller whose tier, credentials or grant do not include the activity. */
export function checkActivityGrant(caller: Caller, name: string, filter: SubscriptionFilter): void {
  const { tiers, scope } = activityType(name)
  if (tiers && !tiers.includes(caller.app.tier)) throw tierTooLow(caller, tiers)
  if (scope === undefined) return
  // An app gets a user's private activity only with a grant of this user, and the token proves the grant.
  if (caller.kind !== 'oauth2')
    throw unsupportedAuthentication(CREDENTIAL_WORDS[caller.kind], [CREDENTIAL_WORDS.oauth2])
  if (!caller.scopes.has(scope)) throw blank(403, undefined, `the token lacks the scope ${scope}`)
  if (filter.user_id !== undefined) checkOwnPath(caller, filter.user_id, 'filter.user_id')
}

/** Refuses a filter that does not fit the activity or names an unknown user. */
export async function checkFilter(context: ReadContext, name: string, filter: SubscriptionFilter): Promise<void> {
  const faults = filterFaults(activityType(name), name, filter)
  if (faults.length > 0) throw invalidRequest(faults)
  if (filter.user_id !== undefined) await findUserToActOn(context, filter.user_id, 'filter.user_id')
}

/** What is wrong with a filter for a type of activity. */
export function filterFaults(type: ActivityType, name: string, filter: SubscriptionFilter): Fault[] {
  const rules: Record<keyof SubscriptionFilter, ActivityType['keyword']> = {
    user_id: type.user ? 'needed' : { refused: 'it is not about one user' },
    keyword: type.keyword,
    direction: type.direction ? 'taken' : { refused: 'its events have no direction' },
  }
  const faults: Fault[] = []
  for (const [member, rule] of Object.entries(rules) as [keyof SubscriptionFilter, ActivityType['keyword']][]) {
    const value = filter[member]
    const fault = (message: string) =>
      faults.push({
        parameters: { [`$.filter.${member}`]: value === undefined ? [] : [value] },
        message: `$.filter.${member}: ${message}`,
      })
    if (value === undefined && rule === 'needed') fault('is missing but it is required')
    if (value !== undefined && typeof rule === 'object')
      fault(`is not a filter of the event type ${name}: ${rule.refused}`)
    if (value !== undefined && member === 'keyword' && tokenize(value).length === 0) fault('must contain a word')
  }
  return faults
}

/** Refuses a webhook of another app, and locks the webhook until the transaction ends. */
export async function checkSubscriptionWebhook(tx: Tx, caller: Caller, webhookId: string | undefined): Promise<void> {
  if (webhookId === undefined) return
  const found = isStorableId(webhookId) ? await subscriptionWebhookHold.first(tx, caller.app.id, webhookId) : undefined
  if (!found)
    throw invalidParameter('webhook_id', webhookId, `WebhookIdInvalid: the app has no webhook [${webhookId}].`)
}

/** Two subscriptions of an app with the same key are duplicates. */
interface SubscriptionKey {
  event_type: string
  user_id: string | null
  keyword: string | null
  direction: string | null
  webhook_id: string | null
}

const NO_ID = '0'

/** Refuses a duplicate of another subscription of the app; `ownId` is the subscription that changes. */
export async function checkNotDuplicate(tx: Tx, caller: Caller, key: SubscriptionKey, ownId = NO_ID): Promise<void> {
  const same = await subscriptionSame.first(
    tx,
    caller.app.id,
    activityType(key.event_type).names,
    key.user_id,
    key.keyword,
    key.direction,
    key.webhook_id,
    ownId,
  )
  if (same)
    throw invalidParameter(
      'event_type',
      key.event_type,
      `DuplicateSubscriptionFailed: the app already has this subscription with the id [${same.id}].`,
    )
}

/** Refuses a subscription beyond the cap of the tier; returns how many the app has. */
export async function checkSubscriptionCap(tx: Tx, caller: Caller): Promise<number> {
  const count = await countSubscriptions(tx, caller)
  const most = capOf(caller, 'activity_subscriptions')
  if (count < most) return count
  throw clientForbidden({
    clientId: caller.app.id,
    detail: `SubscriptionLimitExceeded: the tier ${caller.app.tier} includes ${most} activity subscriptions.`,
    reason: 'client-not-enrolled',
  })
}

export const countSubscriptions = async (db: Parameters<typeof subscriptionCount.first>[0], caller: Caller) =>
  (await subscriptionCount.first(db, caller.app.id))!.count
