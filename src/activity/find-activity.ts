import type { Runtime } from '../api-kit/runtime.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { textWords } from '../search/post-terms.ts'
import { tokenize } from '../search/tokenize.ts'
import { relation } from '../social/users/user.parts.ts'
import { type Activity, activitiesOf, activityKey, type Subject } from './activities.ts'
import { activityType } from './event-types.ts'
import { type ActivityMatch, type ActivityMessage, renderActivity } from './payloads.ts'
import { type CandidateSubscription, subscriptionCandidates } from './subscription.statements.ts'

export type { ActivityMessage } from './payloads.ts'
export { renderActivity } from './payloads.ts'

/** Which subscriptions: all of some apps, for streams, or those of every app that have a webhook. */
export type ActivityAudience = { appIds: readonly string[] } | { withWebhook: true }

/** Messages for the subscriptions that events concern, in the order of the events and in the naming of each subscription. */
export async function findActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  which: ActivityAudience,
): Promise<ActivityMessage[]> {
  return renderActivity(runtime, await matchActivity(runtime, events, which))
}

/** The same without the text. `renderActivity` writes it, where the caller chooses the naming. */
export async function matchActivity(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  which: ActivityAudience,
): Promise<ActivityMatch[]> {
  const activities = await activitiesOf(runtime, events)
  if (activities.length === 0) return []
  const found = await readSubscriptions(runtime, activities, which)
  if (found.size === 0) return []
  const matches = activities.flatMap((activity) => {
    const holds = keywordTest(activity)
    return keysOf(activity)
      .flatMap((key) => found.get(key) ?? [])
      .filter((subscription) => fits(subscription, activity, holds))
      .map((subscription) => ({ activity, subscription }))
  })
  return withholdBlocked(runtime, onceEach(matches))
}

// Activity that is not about a user or an app. The keyword of a subscription selects it.
const EVERYONE = 'everyone'

const keyOf = (name: string, owner: string) => `${name} ${owner}`

function keysOf({ type, concerns }: Activity): string[] {
  const owner = concerns === 'everyone' ? EVERYONE : 'userId' in concerns ? concerns.userId : `app ${concerns.appId}`
  return activityType(type).names.map((name) => keyOf(name, owner))
}

/** The subscriptions that activities may concern, by name and owner. */
async function readSubscriptions(
  runtime: Runtime,
  activities: readonly Activity[],
  which: ActivityAudience,
): Promise<Map<string, CandidateSubscription[]>> {
  const users = new Map<string, [name: string, userId: string, scope: string | null]>()
  const apps = new Map<string, [name: string, appId: string]>()
  const everyone = new Set<string>()
  for (const { type, concerns } of activities) {
    const { names, scope } = activityType(type)
    for (const name of names) {
      if (concerns === 'everyone') everyone.add(name)
      else if ('userId' in concerns) users.set(keyOf(name, concerns.userId), [name, concerns.userId, scope ?? null])
      else apps.set(keyOf(name, concerns.appId), [name, concerns.appId])
    }
  }
  const [ofUsers, ofApps] = [[...users.values()], [...apps.values()]]
  const rows = await subscriptionCandidates.all(
    runtime.database,
    ofUsers.map(([name]) => name),
    ofUsers.map(([, userId]) => userId),
    ofUsers.map(([, , scope]) => scope),
    ofApps.map(([name]) => name),
    ofApps.map(([, appId]) => appId),
    'appIds' in which ? which.appIds : null,
    [...everyone],
  )
  const found = new Map<string, CandidateSubscription[]>()
  for (const row of rows) {
    const owner = everyone.has(row.event_type) ? EVERYONE : (row.user_id ?? `app ${row.app_id}`)
    const key = keyOf(row.event_type, owner)
    const same = found.get(key)
    if (same) same.push(row)
    else found.set(key, [row])
  }
  return found
}

/** Returns a function that tests whether a text of an activity contains all words of a keyword. Without a text it is false. */
function keywordTest({ subject }: Activity): (keyword: string) => boolean {
  let texts: Set<string>[] | undefined
  return (keyword) => {
    // Split only if a subscription has a keyword.
    texts ??= textsOf(subject).map((words) => new Set(words))
    const wanted = tokenize(keyword)
    return texts.some((words) => wanted.every((word) => words.has(word)))
  }
}

/** The words of each text of an activity: a profile has the text before and the text after. */
function textsOf(subject: Subject): string[][] {
  if (subject.kind === 'post' || subject.kind === 'message') return [textWords(subject.text)]
  if (subject.kind === 'space') return [textWords(subject.title)]
  if (subject.kind === 'news') {
    const { name, summary, hook, keywords } = subject.story
    return [tokenize([name, summary, hook, ...keywords].join(' '))]
  }
  if (subject.kind === 'profile') return [tokenize(subject.after), tokenize(subject.before)]
  return []
}

const fits = (subscription: CandidateSubscription, activity: Activity, holds: (keyword: string) => boolean): boolean =>
  BigInt(activity.event.sequence) > BigInt(subscription.begins_after) &&
  (subscription.direction === null || subscription.direction === activity.direction) &&
  (subscription.keyword === null || holds(subscription.keyword))

// A user who likes their own post is on both sides of the activity, but gets it once.
function onceEach(matches: readonly ActivityMatch[]): ActivityMatch[] {
  const seen = new Set<string>()
  return matches.filter(({ activity, subscription }) => {
    const key = `${activityKey(activity)} ${subscription.id}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Withholds activity between two users where one blocks the other. */
async function withholdBlocked(runtime: Runtime, matches: ActivityMatch[]): Promise<ActivityMatch[]> {
  const pairOf = ({ activity }: ActivityMatch): string | undefined =>
    activity.by !== undefined &&
    activity.concerns !== 'everyone' &&
    'userId' in activity.concerns &&
    activity.by !== activity.concerns.userId
      ? `${activity.concerns.userId}:${activity.by}`
      : undefined
  const pairs = new Set(matches.flatMap((match) => pairOf(match) ?? []))
  if (pairs.size === 0) return matches
  const relations = await runtime.parts.many(relation, [...pairs])
  return matches.map((match) => {
    const pair = pairOf(match)
    const between = pair === undefined ? undefined : relations.get(pair)
    if (!between?.blocks && !between?.blocked_by) return match
    return { ...match, withheld: `one of the users ${pair!.replace(':', ' and ')} blocks the other` }
  })
}
