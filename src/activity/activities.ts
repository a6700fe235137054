import type { PartReader } from '../api-kit/reading/part-cache.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { EventType, LoggedEvent } from '../events/catalog.ts'
import { type EventParts, eventReaders } from '../social/event-parts.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { typedText } from '../social/text/typed-text.ts'
import type { Direction } from './event-types.ts'
import { type MessageSubject, messageActivities, readMessageTexts } from './message-activities.ts'

/** What an activity is about, as far as its payload needs it. */
export type Subject =
  | { kind: 'post'; id: string /** The text that keywords are compared with. */; text: string }
  | { kind: 'removed-post'; id: string; authorId: string }
  | { kind: 'like'; id: string; postId: string; likerId: string; authorId: string }
  | { kind: 'pair'; sourceId: string; targetId: string }
  | { kind: 'profile'; userId: string; before: string; after: string }
  | { kind: 'revoke'; userId: string; appId: string }
  | MessageSubject
  | { kind: 'news'; story: LoggedEvent<'news.new'>['payload'] }
  | { kind: 'space'; id: string; userId: string; title: string; change: 'start' | 'end' }
  | { kind: 'chat'; conversationId: string; sequence: string; senderId: string; viewerId: string }

/** One activity that an event causes, for the subscriptions of one user, of the app that it is about, or of every app. */
export interface Activity {
  event: LoggedEvent
  /** Reads what the activity shows, as it was. */
  parts: EventParts
  /** The main name of the type. */
  type: string
  concerns: { userId: string } | { appId: string } | 'everyone'
  direction?: Direction
  /** Who acted on the user. If one of the two blocks the other, the activity is not delivered. */
  by?: string
  subject: Subject
}

/** A key that identifies an activity. */
export const activityKey = ({ event, type, subject }: Activity): string =>
  `${event.sequence} ${type} ${distinctionOf(subject)}`

/** What distinguishes activities of one type that one event causes. */
function distinctionOf(subject: Subject): string {
  if (subject.kind === 'removed-post') return subject.id
  if (subject.kind === 'chat') return subject.viewerId
  return subject.kind === 'message' ? subject.userId : ''
}

type Posts = ReadonlyMap<string, PostRow>
type Texts = ReadonlyMap<string, string>
type ActivityFacts = Omit<Activity, 'event' | 'parts'>

/** The activities of events, in the order of the events. */
export async function activitiesOf(runtime: Runtime, events: readonly LoggedEvent[]): Promise<Activity[]> {
  if (events.length === 0) return []
  const readers = eventReaders(runtime, events)
  const posts = await readPosts(readers.of(events[0]!), events)
  const texts = await readMessageTexts(runtime.parts, events)
  return events.flatMap((event) => {
    const create = ACTIVITIES_OF_EVENT[event.type] as
      | ((event: LoggedEvent, posts: Posts, texts: Texts) => ActivityFacts[])
      | undefined
    return (create?.(event, posts, texts) ?? []).map((facts) => ({ ...facts, event, parts: readers.of(event) }))
  })
}

/** The posts of the events, and the posts that these quote. */
async function readPosts(parts: PartReader, events: readonly LoggedEvent[]): Promise<Posts> {
  const ids = new Set(
    events.flatMap((event) =>
      event.post_id !== null && ['post.create', 'post.edit', 'repost.create'].includes(event.type)
        ? [event.post_id]
        : [],
    ),
  )
  if (ids.size === 0) return new Map()
  const posts = await parts.many(postRow, [...ids])
  const quoted = new Set([...posts.values()].flatMap((row) => row.quoted_post_id ?? []))
  return quoted.size === 0 ? posts : new Map([...posts, ...(await parts.many(postRow, [...quoted]))])
}

const ACTIVITIES_OF_EVENT: {
  [T in EventType]?: (event: LoggedEvent<T>, posts: Posts, texts: Texts) => ActivityFacts[]
} = {
  'post.create': (event, posts) => {
    const row = posts.get(event.post_id!)
    if (!row) return []
    const subject = { kind: 'post' as const, id: row.id, text: typedText(row) }
    const toOther = (type: string, userId: string | null | undefined): ActivityFacts[] =>
      userId && userId !== row.author_id ? [{ type, concerns: { userId }, by: row.author_id, subject }] : []
    return [
      { type: 'post.create', concerns: { userId: row.author_id }, subject },
      ...typedMentions(row).flatMap((id) => toOther('post.mention.create', id)),
      ...toOther('post.reply.create', row.in_reply_to_user_id),
      ...toOther('post.quote.create', row.quoted_post_id && posts.get(row.quoted_post_id)?.author_id),
    ]
  },
  'post.edit': (event, posts) => {
    const row = posts.get(event.post_id!)
    if (!row) return []
    const subject = { kind: 'post' as const, id: row.id, text: typedText(row) }
    return [{ type: 'post.create', concerns: { userId: row.author_id }, subject }]
  },
  'post.delete': (event) =>
    // Each version was reported as a post, so each needs a deletion.
    event.payload.version_ids.map((id) => removedPost(event.actor_id!, id)),
  'repost.create': (event, posts) => {
    const original = posts.get(event.post_id!)
    if (!original) return []
    const { actor_id: actorId } = event
    const subject = { kind: 'post' as const, id: event.payload.repost_id, text: typedText(original) }
    const own = { type: 'post.create', concerns: { userId: actorId! }, subject }
    if (original.author_id === actorId) return [own]
    return [own, { type: 'post.repost.create', concerns: { userId: original.author_id }, by: actorId!, subject }]
  },
  'repost.delete': (event) => [removedPost(event.actor_id!, event.payload.repost_id)],
  'like.create': (event) => {
    const [likerId, authorId] = [event.actor_id!, event.target_id!]
    const subject = { kind: 'like' as const, id: event.payload.like_id, postId: event.post_id!, likerId, authorId }
    return [
      { type: 'like.create', concerns: { userId: likerId }, direction: 'outbound', subject },
      { type: 'like.create', concerns: { userId: authorId }, direction: 'inbound', by: likerId, subject },
    ]
  },
  'follow.follow': (event) => bothSides('follow.follow', event),
  'follow.unfollow': (event) => bothSides('follow.unfollow', event),
  'mute.mute': (event) => ownSide('mute.mute', event),
  'mute.unmute': (event) => ownSide('mute.unmute', event),
  'block.block': (event) => ownSide('block.block', event),
  'block.unblock': (event) => ownSide('block.unblock', event),
  'user.update': (event) => {
    const { field, before, after } = event.payload
    const userId = event.actor_id!
    const subject = { kind: 'profile' as const, userId, before, after }
    return (PROFILE_TYPES[field] ?? []).map((type) => ({ type, concerns: { userId }, subject }))
  },
  'chat.message': (event) => {
    const { conversation_id: conversationId, sequence, member_ids: memberIds } = event.payload
    const senderId = event.actor_id!
    return memberIds.map((userId) => {
      const isSender = userId === senderId
      return {
        type: isSender ? 'chat.sent' : 'chat.received',
        concerns: { userId },
        direction: isSender ? 'outbound' : 'inbound',
        subject: { kind: 'chat', conversationId, sequence, senderId, viewerId: userId },
      }
    })
  },
  'chat.join': (event) => {
    const { conversation_id: conversationId, sequence, joined_ids: joinedIds } = event.payload
    const senderId = event.actor_id!
    return joinedIds.map((userId) => ({
      type: 'chat.conversation_join',
      concerns: { userId },
      direction: userId === senderId ? 'outbound' : 'inbound',
      subject: { kind: 'chat', conversationId, sequence, senderId, viewerId: userId },
    }))
  },
  'news.new': (event) => [{ type: 'news.new', concerns: 'everyone', subject: { kind: 'news', story: event.payload } }],
  'oauth.revoke': (event) => {
    const { app_id: appId } = event.payload
    return [{ type: 'oauth.revoke', concerns: { appId }, subject: { kind: 'revoke', userId: event.actor_id!, appId } }]
  },
  // Who gets a message was decided when it was sent: a later block does not withhold it.
  'message.create': (event, _posts, texts) => messageActivities(event, texts),
  'message.read': (event, _posts, texts) => messageActivities(event, texts),
  'message.typing': (event, _posts, texts) => messageActivities(event, texts),
  'space.start': (event) => ofSpace(event, 'start'),
  'space.end': (event) => ofSpace(event, 'end'),
}

/** The activity types of a change to each profile member. The display name has none. */
const PROFILE_TYPES: Record<string, readonly string[]> = {
  description: ['profile.update.bio'],
  location: ['profile.update.geo'],
  url: ['profile.update.url'],
  username: ['profile.update.screenname', 'profile.update.handle'],
  profile_image_url: ['profile.update.profile_picture'],
  profile_banner_url: ['profile.update.banner_picture'],
  verified_type: ['profile.update.verified'],
  affiliation: ['profile.update.affiliate'],
}

const removedPost = (authorId: string, id: string): ActivityFacts => ({
  type: 'post.delete',
  concerns: { userId: authorId },
  subject: { kind: 'removed-post', id, authorId },
})

function ofSpace(event: LoggedEvent<'space.start' | 'space.end'>, change: 'start' | 'end'): ActivityFacts[] {
  const userId = event.actor_id!
  const { space_id: id, title } = event.payload
  return [{ type: `spaces.${change}`, concerns: { userId }, subject: { kind: 'space', id, userId, title, change } }]
}

const pairOf = (event: LoggedEvent) => ({
  kind: 'pair' as const,
  sourceId: event.actor_id!,
  targetId: event.target_id!,
})

const ownSide = (type: string, event: LoggedEvent): ActivityFacts[] => [
  { type, concerns: { userId: event.actor_id! }, subject: pairOf(event) },
]

const bothSides = (type: string, event: LoggedEvent): ActivityFacts[] => [
  { type, concerns: { userId: event.actor_id! }, direction: 'outbound', subject: pairOf(event) },
  { type, concerns: { userId: event.target_id! }, direction: 'inbound', subject: pairOf(event) },
]

/**
 * The users whom the author mentioned. The server adds mentions of the answered users before the displayed part of a reply.
 * `mentioned_user_ids` has both kinds, so the position in the text decides.
 */
function typedMentions(row: PostRow): string[] {
  const entities = (row.note_entities ?? row.entities ?? {}) as { mentions?: { id: string; start: number }[] }
  const typed = (entities.mentions ?? []).filter((mention) => mention.start >= row.display_start)
  return [...new Set(typed.map((mention) => mention.id))]
}
