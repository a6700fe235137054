import type { Runtime } from '../api-kit/runtime.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { textWords } from '../search/post-terms.ts'
import { tokenize } from '../search/tokenize.ts'
import { relation } from '../social/users/user.parts.ts'
import { activityType } from './event-types.ts'
import { type Firing, firingKey, firingsOf } from './firings.ts'
import { type ActivityHit, type ActivityMatch, renderActivity } from './payloads.ts'
import { type FiredSubscription, subscriptionsFired } from './subscription.statements.ts'

export type { ActivityHit, ActivityMatch } from './payloads.ts'
export { renderActivity } from './payloads.ts'

/** Whose subscriptions: all of some apps, as a stream tells them, or those of every app that have a webhook. */
export type ActivityAudience = { appIds: readonly string[] } | { withWebhook: true }

/** What events are to subscriptions, ready to be sent, in the order of the events and in the naming of each subscription. */
export async function findActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  which: ActivityAudience,
): Promise<ActivityHit[]> {
  return renderActivity(runtime, await matchActivity(runtime, events, which))
}

/** The same without the text, which `renderActivity` makes: for who needs it in a naming of their own. */
export async function matchActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  which: ActivityAudience,
): Promise<ActivityMatch[]> {
  const firings = await firingsOf(runtime, events)
  if (firings.length === 0) return []
  const found = await readSubscriptions(runtime, firings, which)
  if (found.size === 0) return []
  const matches = firings.flatMap((firing) => {
    const holds = keywordTest(firing)
    return keysOf(firing)
      .flatMap((key) => found.get(key) ?? [])
      .filter((subscription) => fits(subscription, firing, holds))
      .map((subscription) => ({ firing, subscription }))
  })
  return withoutBlocks(runtime, onceEach(matches))
}

const keyOf = (name: string, owner: string) => `${name} ${owner}`

function keysOf({ type, concerns }: Firing): string[] {
  const owner = 'userId' in concerns ? concerns.userId : `app ${concerns.appId}`
  return activityType(type).names.map((name) => keyOf(name, owner))
}

/** The subscriptions that firings may be for, by name and owner. */
async function readSubscriptions(
  runtime: Runtime,
  firings: readonly Firing[],
  which: ActivityAudience,
): Promise<Map<string, FiredSubscription[]>> {
  const users = new Map<string, [name: string, userId: string, scope: string | null]>()
  const apps = new Map<string, [name: string, appId: string]>()
  for (const { type, concerns } of firings) {
    const { names, scope } = activityType(type)
    for (const name of names) {
      if ('userId' in concerns) users.set(keyOf(name, concerns.userId), [name, concerns.userId, scope ?? null])
      else apps.set(keyOf(name, concerns.appId), [name, concerns.appId])
    }
  }
  const [ofUsers, ofApps] = [[...users.values()], [...apps.values()]]
  const rows = await subscriptionsFired.all(
    runtime.database,
    ofUsers.map(([name]) => name),
    ofUsers.map(([, userId]) => userId),
    ofUsers.map(([, , scope]) => scope),
    ofApps.map(([name]) => name),
    ofApps.map(([, appId]) => appId),
    'appIds' in which ? which.appIds : null,
  )
  const found = new Map<string, FiredSubscription[]>()
  for (const row of rows) {
    const key = keyOf(row.event_type, row.user_id ?? `app ${row.app_id}`)
    const known = found.get(key)
    if (known) known.push(row)
    else found.set(key, [row])
  }
  return found
}

/** Tells whether all words of a keyword are in the post that a firing tells of; what is no post holds none. */
function keywordTest({ subject }: Firing): (keyword: string) => boolean {
  let words: Set<string> | undefined
  return (keyword) => {
    // Found when the first keyword asks for them.
    words ??= new Set(subject.kind === 'post' ? textWords(subject.text) : [])
    const known = words
    return tokenize(keyword).every((word) => known.has(word))
  }
}

const fits = (subscription: FiredSubscription, firing: Firing, holds: (keyword: string) => boolean): boolean =>
  BigInt(firing.event.sequence) > BigInt(subscription.begins_after) &&
  (subscription.direction === null || subscription.direction === firing.direction) &&
  (subscription.keyword === null || holds(subscription.keyword))

// Who likes their own post is on both sides of it, and is told once.
function onceEach(matches: readonly ActivityMatch[]): ActivityMatch[] {
  const seen = new Set<string>()
  return matches.filter(({ firing, subscription }) => {
    const key = `${firingKey(firing)} ${subscription.id}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Leaves out what users are not told because one of the two blocks the other. */
async function withoutBlocks(runtime: Runtime, matches: ActivityMatch[]): Promise<ActivityMatch[]> {
  const pairOf = ({ firing }: ActivityMatch): string | undefined =>
    firing.by !== undefined && 'userId' in firing.concerns && firing.by !== firing.concerns.userId
      ? `${firing.concerns.userId}:${firing.by}`
      : undefined
  const pairs = new Set(matches.flatMap((match) => pairOf(match) ?? []))
  if (pairs.size === 0) return matches
  const relations = await runtime.parts.many(relation, [...pairs])
  return matches.filter((match) => {
    const pair = pairOf(match)
    const known = pair === undefined ? undefined : relations.get(pair)
    return !known?.blocks && !known?.blocked_by
  })
}
