import { neutral } from '../api-kit/naming/naming.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../events/catalog.ts'
import { legacyNaming } from '../legacy-words.ts'
import { storeLinks } from '../social/links/short-link.ts'
import { readNestedPosts } from '../social/v1/read-v1-objects.ts'
import { writeV1Json } from '../social/v1/v1-json.ts'
import { isTooLong } from '../social/v1/v1-text.ts'
import type { Db } from '../storage/database.ts'
import type { DeliverySource } from '../webhooks/dispatch.ts'
import type { PlannedDelivery } from '../webhooks/planned-delivery.ts'
import { concernedUsers, shownPost, tellsOfPost } from './concerned-users.ts'
import { eventBody, isMention } from './event-body.ts'
import { type EventObjects, readEventObjects, urlOfPost } from './event-objects.ts'
import { subscriptionsOfUsers, subscriptionsRevoke } from './subscription.statements.ts'

interface Subscription {
  user_id: string
  webhook_id: string
  app_id: string
  naming: string
  created_at: Date
  begins_after: string
}

/** An event that a subscription is told of. */
interface Told {
  event: LoggedEvent
  subscription: Subscription
}

/**
 * What webhooks get because of events, in their order: one body for each subscribed user whom an event concerns. Nothing is
 * changed, so that events can be planned again; `endRevokedSubscriptions` belongs to storing the plan.
 */
export async function planAccountActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
): Promise<PlannedDelivery[]> {
  const written = events.filter(tellsOfPost).flatMap((event) => shownPost(event) ?? [])
  const posts = await readNestedPosts(runtime.parts, written)
  const concerned = events.map((event) => concernedUsers(event, posts))
  const users = [...new Set(concerned.flat())]
  if (users.length === 0) return []
  const subscriptions = byUser(await subscriptionsOfUsers.all(runtime.database, users))
  const told = pair(events, concerned, subscriptions)
  if (told.length === 0) return []

  const pairs = told
    .filter(({ event, subscription }) => isMention(event, { posts }, subscription.user_id))
    .map(({ event, subscription }) => `${subscription.user_id}:${event.actor_id}`)
  const shown = [...new Set(told.map((item) => item.event))]
  const objects = await readEventObjects(runtime, shown, pairs)
  await storeOwnLinks(runtime, objects)
  return told.flatMap(({ event, subscription }) => {
    const body = eventBody(event, subscription.user_id, objects)
    if (!body) return []
    const naming = subscription.naming === 'legacy' ? legacyNaming : neutral
    return {
      webhookId: subscription.webhook_id,
      appId: subscription.app_id,
      kind: 'account-activity',
      sequence: event.sequence,
      body: writeV1Json(body, naming),
    }
  })
}

/**
 * Ends the subscriptions of users who took the access of an app away. It is to be called in the transaction that stores the
 * plan of the same events: earlier, a plan made again would miss the last word to the webhook.
 */
export async function endRevokedSubscriptions(db: Db, events: readonly LoggedEvent[]): Promise<void> {
  const revoked = events.filter((event) => isEventOf(event, 'oauth.revoke')) as LoggedEvent<'oauth.revoke'>[]
  if (revoked.length === 0) return
  await subscriptionsRevoke.count(
    db,
    revoked.map((event) => event.actor_id),
    revoked.map((event) => event.payload.app_id),
    revoked.map((event) => event.happened_at.toISOString()),
  )
}

function byUser(subscriptions: Subscription[]): Map<string, Subscription[]> {
  const grouped = new Map<string, Subscription[]>()
  for (const subscription of subscriptions) {
    const known = grouped.get(subscription.user_id)
    if (known) known.push(subscription)
    else grouped.set(subscription.user_id, [subscription])
  }
  return grouped
}

/** Each event with the subscriptions that are told of it. Each is told of what came after it was made; one that ended in this batch, of nothing behind its end. */
function pair(
  events: readonly LoggedEvent[],
  concerned: readonly string[][],
  subscriptions: ReadonlyMap<string, Subscription[]>,
): Told[] {
  const ended = new Set<Subscription>()
  return events.flatMap((event, index) => {
    const sequence = BigInt(event.sequence)
    const standing = concerned[index]!.flatMap((id) => subscriptions.get(id) ?? []).filter(
      (item) => sequence > BigInt(item.begins_after) && !ended.has(item),
    )
    const told = isEventOf(event, 'oauth.revoke') ? standing.filter((item) => isEndedBy(item, event)) : standing
    if (isEventOf(event, 'oauth.revoke')) for (const subscription of told) ended.add(subscription)
    return told.map((subscription) => ({ event, subscription }))
  })
}

// A subscription that was made after the access was given anew outlives the event.
const isEndedBy = (subscription: Subscription, event: LoggedEvent<'oauth.revoke'>): boolean =>
  subscription.app_id === event.payload.app_id && subscription.created_at <= event.happened_at

/** Long posts are cut and link to themselves: the links must lead somewhere. */
async function storeOwnLinks(runtime: Runtime, objects: EventObjects): Promise<void> {
  const long = [...objects.posts.values()].filter(isTooLong)
  if (long.length === 0) return
  const urls = long.map((row) => urlOfPost(row, objects))
  await change(runtime, (tx) => storeLinks(tx, urls))
}

/** What webhooks get for the users who are subscribed to them. */
export const accountActivityDeliveries: DeliverySource = {
  plan: planAccountActivity,
  stored: endRevokedSubscriptions,
}
