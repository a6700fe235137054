import { createHash } from 'node:crypto'
import { type Naming, neutral } from '../api-kit/naming/naming.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { legacyNaming } from '../legacy-words.ts'
import { wireTime } from '../process/clock.ts'
import { timeOfId } from '../process/ids.ts'
import { MESSAGE_IS_GONE, showChatEvent } from '../social/chat/chat-activity.ts'
import type { EventParts } from '../social/event-parts.ts'
import {
  allRequired,
  POST_IS_GONE,
  type RequiredAccounts,
  reasonToWithhold,
  wasHidden,
} from '../social/event-visibility.ts'
import { likeHex } from '../social/likes/like-hex.ts'
import { userRow } from '../social/users/user.parts.ts'
import { readV1Messages, type V1Message } from '../social/v1/compose-message.ts'
import { type Activity, activityKey } from './activities.ts'
import { type ActivityRows, readRows, referredIds, requiredOf, shownUserIds } from './activity-rows.ts'
import { messagePayload } from './message-activities.ts'
import { readShown, type ShownObjects } from './shown-objects.ts'
import type { CandidateSubscription } from './subscription.statements.ts'

/** An activity and a subscription that it concerns. */
export interface ActivityMatch {
  activity: Activity
  subscription: CandidateSubscription
  /** Why it may not be delivered, although it concerns the subscription. */
  withheld?: string
}

/** An activity as a client gets it. */
export interface ActivityMessage {
  /** The sequence of the event in the log. */
  sequence: string
  appId: string
  webhookId: string | null
  subscriptionId: string
  /** The name in the subscription. */
  eventType: string
  naming: 'neutral' | 'legacy'
  /** The post that it delivers, which counts as usage. */
  postId?: string
  /** JSON text `{"data":{...}}`; empty when the message is withheld. */
  envelope: string
  /** Why it is not delivered: what it shows became hidden after the event. */
  withheld?: string
  /** The accounts that must still be visible when it is sent. */
  required: RequiredAccounts
}

/**
 * Writes the messages of matches, each in the naming of its subscription or all in the given one. Activity that the public could
 * not see when it happened has no message: posts of protected accounts, suspended users. What became hidden since is withheld.
 */
export async function renderActivity(
  runtime: Runtime,
  matches: readonly ActivityMatch[],
  naming?: Naming,
): Promise<ActivityMessage[]> {
  const byReader = new Map<EventParts, ActivityMatch[]>()
  for (const match of matches) {
    const group = byReader.get(match.activity.parts)
    if (group) group.push(match)
    else byReader.set(match.activity.parts, [match])
  }
  const groups = await Promise.all([...byReader].map(([parts, group]) => renderGroup(runtime, parts, group, naming)))
  const messages = new Map(groups.flat())
  return matches.flatMap((match) => messages.get(match) ?? [])
}

async function renderGroup(
  runtime: Runtime,
  parts: EventParts,
  matches: readonly ActivityMatch[],
  naming: Naming | undefined,
): Promise<(readonly [ActivityMatch, ActivityMessage])[]> {
  const namingOf = ({ subscription }: ActivityMatch) =>
    naming ?? (subscription.naming === 'legacy' ? legacyNaming : neutral)
  const activities = [...new Set(matches.map((match) => match.activity))]
  const rows = await readRows(
    runtime,
    parts,
    activities.map((activity) => activity.subject),
  )
  const messages = await readV1Messages(
    runtime,
    parts,
    activities.flatMap(({ subject }) =>
      subject.kind === 'message' && subject.change === 'create' ? subject.eventId! : [],
    ),
  )
  const required = new Map(activities.map((activity) => [activity, requiredOf(activity.subject, rows.posts)]))
  const users = await runtime.parts.many(userRow, allRequired([...required.values()].flatMap((item) => item ?? [])))
  const shown = new Map(
    await Promise.all(
      [...new Set(matches.map(namingOf))].map(
        async (used) => [used, await readShown(runtime, parts, rows, used)] as const,
      ),
    ),
  )
  const texts = new Map<string, string | undefined>()
  const textOf = (activity: Activity, used: Naming): string | undefined => {
    const key = `${used.id} ${activityKey(activity)}`
    if (!texts.has(key)) texts.set(key, writePayload(runtime, activity, rows, shown.get(used)!, used, messages))
    return texts.get(key)
  }
  return matches.flatMap((match) => {
    const { activity } = match
    const accounts = required.get(activity)
    if (accounts && wasHidden(activity.event, accounts)) return []
    const used = namingOf(match)
    const reason = match.withheld ?? (accounts ? reasonToWithhold(users, accounts) : POST_IS_GONE)
    const text = reason === undefined ? textOf(activity, used) : undefined
    const gone = activity.subject.kind === 'chat' ? MESSAGE_IS_GONE : POST_IS_GONE
    const withheld = text === undefined ? (reason ?? gone) : undefined
    return [[match, messageOf(match, used, { text, withheld, required: accounts ?? NONE_REQUIRED })] as const]
  })
}

const NONE_REQUIRED: RequiredAccounts = { public: [], active: [] }

function messageOf(
  { activity, subscription }: ActivityMatch,
  naming: Naming,
  { text, withheld, required }: { text: string | undefined; withheld: string | undefined; required: RequiredAccounts },
): ActivityMessage {
  const { tag } = subscription
  const head = [
    `"event_uuid":"${eventUuid(activity, subscription.id)}"`,
    `"filter":${JSON.stringify(subscription.filter)}`,
    `"event_type":${JSON.stringify(subscription.event_type)}`,
    ...(tag === null ? [] : [`"tag":${JSON.stringify(tag)}`]),
  ]
  return {
    sequence: activity.event.sequence,
    appId: subscription.app_id,
    webhookId: subscription.webhook_id,
    subscriptionId: subscription.id,
    eventType: subscription.event_type,
    naming: naming.id,
    envelope: text === undefined ? '' : `{"data":{${head.join()},${text}}}`,
    required,
    ...(activity.subject.kind === 'post' ? { postId: activity.subject.id } : {}),
    ...(withheld === undefined ? {} : { withheld }),
  }
}

/** A number of 63 bits. It is the same for every message about this activity to this subscription. */
function eventUuid(activity: Activity, subscriptionId: string): string {
  const hash = createHash('sha256')
    .update(`${activityKey(activity)} ${subscriptionId}`)
    .digest()
  return BigInt.asUintN(63, hash.readBigUInt64BE()).toString()
}

/** Writes the members `payload` and `includes` of an activity; undefined when the public may not see it. */
function writePayload(
  runtime: Runtime,
  activity: Activity,
  rows: ActivityRows,
  objects: ShownObjects,
  naming: Naming,
  messages: ReadonlyMap<string, V1Message>,
): string | undefined {
  const { subject, event } = activity
  const userIds = shownUserIds(subject, rows.posts)
  switch (subject.kind) {
    case 'post': {
      const shownPost = objects.posts.get(subject.id)
      const row = rows.posts.get(subject.id)
      if (shownPost === undefined || !row) return undefined
      const answered =
        row.in_reply_to_post_id === null
          ? ''
          : `,"${naming.rename('in_reply_to_post_id')}":"${row.in_reply_to_post_id}"`
      const payload = `${shownPost.slice(0, -1)}${answered}}`
      return withIncludes(payload, { posts: referredIds(row), users: userIds }, objects, naming)
    }
    case 'removed-post':
      return withIncludes(
        write({ id: subject.id, author_id: subject.authorId }, naming),
        { posts: [], users: userIds },
        objects,
        naming,
      )
    case 'like': {
      if (!objects.posts.has(subject.postId) || !objects.users.has(subject.likerId)) return undefined
      // The event came a moment later, which can be the next second.
      const likedAt = timeOfId(subject.id)
      const like = {
        id: likeHex(subject.id),
        created_at: wireTime(likedAt),
        timestamp_ms: likedAt,
        liked_post_id: subject.postId,
        // The reference has one name for it in the schema and another in the list of fields.
        post_author_id: subject.authorId,
        liked_post_author_id: subject.authorId,
      }
      return withIncludes(write(like, naming), { posts: [subject.postId], users: userIds }, objects, naming)
    }
    case 'pair': {
      const [source, target] = [objects.users.get(subject.sourceId), objects.users.get(subject.targetId)]
      return source && target && `"payload":{"source":${source},"target":${target}}`
    }
    case 'profile':
      if (!objects.users.has(subject.userId)) return undefined
      return `"payload":${write({ before: subject.before, after: subject.after }, naming)}`
    case 'message':
      return messagePayload(subject, event, messages, objects.users, naming)
    case 'space': {
      const creator = objects.users.get(subject.userId)
      const facts = { broadcast_id: subject.id, event_type: `spaces_${subject.change}` }
      return creator && `"payload":{"user":{"data":${creator}},${write(facts, naming).slice(1)}`
    }
    case 'chat': {
      const payload = showChatEvent(runtime, rows.chatEvents, subject)
      return payload && `"payload":${JSON.stringify(payload)}`
    }
    case 'news': {
      const { post_ids: postIds, contexts, keywords, ...facts } = subject.story
      const posts = postIds.map((id) => `{"post_id":"${id}"}`)
      const lists = `"contexts":${JSON.stringify(contexts)},"keywords":${JSON.stringify(keywords)}`
      return `"payload":${write(facts, naming).slice(0, -1)},${lists},"cluster_posts_results":[${posts.join()}]}`
    }
    case 'revoke': {
      const dateTime = `${event.happened_at.toISOString().slice(0, 19)}+00:00`
      return `"payload":${write({ date_time: dateTime, user_id: subject.userId, app_id: subject.appId }, naming)}`
    }
  }
}

const write = (members: Record<string, string | number>, naming: Naming): string =>
  JSON.stringify(Object.fromEntries(Object.entries(members).map(([name, value]) => [naming.rename(name), value])))

function withIncludes(
  payload: string,
  ids: { posts: string[]; users: string[] },
  objects: ShownObjects,
  naming: Naming,
): string {
  const groups = (['posts', 'users'] as const).flatMap((group) => {
    const found = [...new Set(ids[group])].flatMap((id) => objects[group].get(id) ?? [])
    return found.length === 0 ? [] : [`"${naming.rename(group)}":[${found.join()}]`]
  })
  return `"payload":${payload}${groups.length === 0 ? '' : `,"includes":{${groups.join()}}`}`
}
