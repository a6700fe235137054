/** Every kind of event that the log can hold, and what its payload has beyond actor, target and post. */
interface EventPayloads {
  'post.create': Record<string, never>
  /** The ids of all deleted versions. */
  'post.delete': { version_ids: string[] }
  'post.edit': { first_version_id: string }
  'post.hide': { hidden: boolean }
  'repost.create': { repost_id: string }
  'repost.delete': { repost_id: string }
  'like.create': { like_id: string }
  'like.delete': Record<string, never>
  /** `approved`: the target had to approve, and did. */
  'follow.follow': { approved?: true }
  'follow.request': Record<string, never>
  'follow.unfollow': Record<string, never>
  'mute.mute': Record<string, never>
  'mute.unmute': Record<string, never>
  'block.block': Record<string, never>
  'block.unblock': Record<string, never>
  'user.update': { field: string; before: string; after: string }
  'user.protect': Record<string, never>
  'user.unprotect': Record<string, never>
  'user.suspend': Record<string, never>
  'user.unsuspend': Record<string, never>
  /** The account was deleted: nobody finds it any more, and what it left is being removed. */
  'user.delete': Record<string, never>
  /** A space of the actor started or ended. */
  'space.start': { space_id: string; title: string }
  'space.end': { space_id: string; title: string }
  /** A direct message; the target is the receiver, unless it went to a group. */
  'message.create': { event_id: string; conversation_id: string; recipient_ids: string[] }
  /** The actor read the messages of a conversation. */
  'message.read': { last_read_event_id: string; conversation_id: string; recipient_ids: string[] }
  /** The actor is typing in a conversation. */
  'message.typing': { conversation_id: string; recipient_ids: string[] }
  /** The actor added the target to a public list. */
  'list.add': { list_id: string }
  /** A note of the actor is shown on a post of the target from now on. */
  'note.show': { note_id: string }
  /** The actor invited the target to a community. */
  'community.invite': { community_id: string }
  /** A user revoked an app's access; the actor is the user. */
  'oauth.revoke': { app_id: string }
  /** An encrypted message. The members are those of its moment, with the sender; the target is the other user of a direct one. */
  'chat.message': { conversation_id: string; sequence: string; member_ids: string[] }
  /** Users became members of a group; the actor added them. The sequence is that of the change of the group. */
  'chat.join': { conversation_id: string; sequence: string; joined_ids: string[] }
  /** A story was made from posts. Nobody acts; the payload is the story as it was. */
  'news.new': {
    id: string
    name: string
    headline: string
    category: string
    hook: string
    summary: string
    contexts: Record<string, unknown>
    keywords: string[]
    post_ids: string[]
    updated_at: string
    disclaimer: string
  }
  /** The rules of an app were changed: whatever matches posts with them reads them again before the next event. */
  'stream_rules.change': { app_id: string; product: 'filtered' | 'power' }
}

export type EventType = keyof EventPayloads

/** Something that happened, before it has a sequence in the log. */
export interface NewEvent<T extends EventType = EventType> {
  type: T
  /** Absent where an app acts for itself. */
  actorId?: string
  targetId?: string
  postId?: string
  payload: EventPayloads[T]
  /** The post is in a closed community: this user's part in the event is not public. */
  closedFor?: string
}

/** An event in the log. */
export interface LoggedEvent<T extends EventType = EventType> {
  /** The position in the log, counted from 1 without gaps. */
  sequence: string
  type: T
  actor_id: string | null
  target_id: string | null
  post_id: string | null
  payload: EventPayloads[T]
  happened_at: Date
  /** The users of the event whose accounts, or what they did, were not public when it happened; null where all were. */
  hidden_users: Readonly<Record<string, HiddenState>> | null
}

/** Why an account is not public, or that its post is in a closed community. */
export type HiddenState = 'protected' | 'suspended' | 'closed'

/** True for an event of one of these types. */
export const isEventOf = <T extends EventType>(event: LoggedEvent, ...types: T[]): event is LoggedEvent<T> =>
  (types as EventType[]).includes(event.type)

/** The id of the post that an event created: a new post, an edited version, or a repost. */
export function newPostOf(event: LoggedEvent): string | undefined {
  if (isEventOf(event, 'repost.create')) return event.payload.repost_id
  return isEventOf(event, 'post.create', 'post.edit') ? (event.post_id ?? undefined) : undefined
}
