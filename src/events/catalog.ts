/** Every kind of event that the log can hold, and what its payload tells beyond actor, target and post. */
export interface EventPayloads {
  'post.create': Record<string, never>
  /** The ids of all versions that are gone. */
  'post.delete': { version_ids: string[] }
  'post.edit': { first_version_id: string }
  'post.hide': { hidden: boolean }
  'repost.create': { repost_id: string }
  'repost.delete': { repost_id: string }
  'like.create': { like_id: string }
  'like.delete': Record<string, never>
  'follow.follow': Record<string, never>
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
  /** A user took an app's access away; the actor is the user. */
  'oauth.revoke': { app_id: string }
  /** The rules of an app were changed: who matches by them reads them again before the next event. */
  'stream_rules.change': { app_id: string; product: 'filtered' | 'power' }
}

export type EventType = keyof EventPayloads

/** Something that happened, before it has a place in the log. */
export interface Happening<T extends EventType = EventType> {
  type: T
  /** Absent where an app acts for itself. */
  actorId?: string
  targetId?: string
  postId?: string
  payload: EventPayloads[T]
}

/** An event in the log. */
export interface LoggedEvent<T extends EventType = EventType> {
  place: string
  type: T
  actor_id: string | null
  target_id: string | null
  post_id: string | null
  payload: EventPayloads[T]
  happened_at: Date
}

/** True for an event of one of some types. */
export const isOf = <T extends EventType>(event: LoggedEvent, ...types: T[]): event is LoggedEvent<T> =>
  (types as EventType[]).includes(event.type)

/** The post that an event puts into the world: written, edited, or made by reposting. */
export function newPostOf(event: LoggedEvent): string | undefined {
  if (isOf(event, 'repost.create')) return event.payload.repost_id
  return isOf(event, 'post.create', 'post.edit') ? (event.post_id ?? undefined) : undefined
}
