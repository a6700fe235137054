import { neutral } from '../api-kit/naming/naming.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent, newPostOf } from '../events/catalog.ts'
import { legacyNaming } from '../legacy-words.ts'
import { type EventReaders, eventReaders } from '../social/event-parts.ts'
import {
  allRequired,
  POST_IS_GONE,
  type RequiredAccounts,
  reasonToWithhold,
  wasHidden,
} from '../social/event-visibility.ts'
import { storeLinks } from '../social/links/short-link.ts'
import { userRow } from '../social/users/user.parts.ts'
import { readNestedPosts } from '../social/v1/read-v1-objects.ts'
import { writeV1Json } from '../social/v1/v1-json.ts'
import { isTooLong } from '../social/v1/v1-text.ts'
import type { Db } from '../storage/database.ts'
import type { DeliverySource } from '../webhooks/dispatch.ts'
import type { PlannedDelivery } from '../webhooks/planned-delivery.ts'
import { concernedUsers, isPostEvent, shownPost } from './concerned-users.ts'
import { eventBody, isMention, requiredAccounts } from './event-body.ts'
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

/** An event and a subscription that gets it. */
interface Match {
  event: LoggedEvent
  subscription: Subscription
}

/**
 * The deliveries to webhooks for events, in their order: one body for each subscribed user whom an event concerns. Planning
 * changes nothing, so events can be planned again; `endRevokedSubscriptions` belongs to storing the plan.
 */
export async function planAccountActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
): Promise<PlannedDelivery[]> {
  if (events.length === 0) return []
  const readers = eventReaders(runtime, events)
  const written = events.filter(isPostEvent).flatMap((event) => shownPost(event) ?? [])
  const posts = await readNestedPosts(readers.of(events[0]!), written)
  const concerned = events.map((event) => concernedUsers(event, posts))
  const users = [...new Set(concerned.flat())]
  if (users.length === 0) return []
  const subscriptions = byUser(await subscriptionsOfUsers.all(runtime.database, users))
  const matches = pairEvents(events, concerned, subscriptions)
  if (matches.length === 0) return []

  const pairs = matches
    .filter(({ event, subscription }) => isMention(event, { posts }, subscription.user_id))
    .map(({ event, subscription }) => `${subscription.user_id}:${event.actor_id}`)
  const objects = await readObjectsOf(runtime, readers, new Set(matches.map((match) => match.event)), pairs)
  const found = matches.map((match) => {
    const shown = objects.get(match.event)!
    return { ...match, shown, required: requiredAccounts(match.event, match.subscription.user_id, shown) }
  })
  const accounts = await runtime.parts.many(userRow, allRequired(found.flatMap(({ required }) => required ?? [])))
  return found.flatMap(({ event, subscription, shown, required = NONE_REQUIRED }) => {
    if (wasHidden(event, required)) return []
    const reason = reasonToWithhold(accounts, required)
    const body = reason === undefined ? eventBody(event, subscription.user_id, shown) : undefined
    const naming = subscription.naming === 'legacy' ? legacyNaming : neutral
    return {
      webhookId: subscription.webhook_id,
      appId: subscription.app_id,
      kind: 'account-activity',
      sequence: event.sequence,
      body: body ? writeV1Json(body, naming) : '',
      postId: newPostOf(event),
      required,
      withheld: body ? undefined : (reason ?? POST_IS_GONE),
    }
  })
}

const NONE_REQUIRED: RequiredAccounts = { public: [], active: [] }

/** What the bodies of each event show. */
async function readObjectsOf(
  runtime: Runtime,
  { groups }: EventReaders,
  wanted: ReadonlySet<LoggedEvent>,
  pairs: readonly string[],
): Promise<Map<LoggedEvent, EventObjects>> {
  const objects = new Map<LoggedEvent, EventObjects>()
  for (const { parts, events } of groups) {
    const shown = events.filter((event) => wanted.has(event))
    if (shown.length === 0) continue
    const read = await readEventObjects(runtime, parts, shown, pairs)
    await storeOwnLinks(runtime, read)
    for (const event of shown) objects.set(event, read)
  }
  return objects
}

/**
 * Ends the subscriptions of users who revoked the access of an app. Call it in the transaction that stores the plan of the
 * same events: after an earlier call, a repeated plan would lack the last event to the webhook.
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
    const group = grouped.get(subscription.user_id)
    if (group) group.push(subscription)
    else grouped.set(subscription.user_id, [subscription])
  }
  return grouped
}

/** Each event with the subscriptions that get it. A subscription gets what comes after its creation and, if it ends in this batch, up to its end. */
function pairEvents(
  events: readonly LoggedEvent[],
  concerned: readonly string[][],
  subscriptions: ReadonlyMap<string, Subscription[]>,
): Match[] {
  const ended = new Set<Subscription>()
  return events.flatMap((event, index) => {
    const sequence = BigInt(event.sequence)
    const active = concerned[index]!.flatMap((id) => subscriptions.get(id) ?? []).filter(
      (item) => sequence > BigInt(item.begins_after) && !ended.has(item),
    )
    const receivers = isEventOf(event, 'oauth.revoke') ? active.filter((item) => isEndedBy(item, event)) : active
    if (isEventOf(event, 'oauth.revoke')) for (const subscription of receivers) ended.add(subscription)
    return receivers.map((subscription) => ({ event, subscription }))
  })
}

// A subscription that was created after the access was granted again is not ended by the event.
const isEndedBy = (subscription: Subscription, event: LoggedEvent<'oauth.revoke'>): boolean =>
  subscription.app_id === event.payload.app_id && subscription.created_at <= event.happened_at

/** Stores the links to long posts, which their cut texts end with. */
async function storeOwnLinks(runtime: Runtime, objects: EventObjects): Promise<void> {
  const long = [...objects.posts.values()].filter(isTooLong)
  if (long.length === 0) return
  const urls = long.map((row) => urlOfPost(row, objects))
  await change(runtime, (tx) => storeLinks(tx, urls))
}

/** The deliveries to webhooks for their subscribed users. */
export const accountActivityDeliveries: DeliverySource = {
  plan: planAccountActivity,
  stored: endRevokedSubscriptions,
}
