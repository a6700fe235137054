import { isEventOf, type LoggedEvent, newPostOf } from '../events/catalog.ts'
import type { PostRow } from '../social/posts/post.parts.ts'

/** True for an event that is delivered as a new post. The post determines whom it concerns. */
export const isPostEvent = (event: LoggedEvent): event is LoggedEvent<'post.create' | 'post.edit' | 'repost.create'> =>
  isEventOf(event, 'post.create', 'post.edit', 'repost.create')

/** The post that an event shows. */
export const shownPost = (event: LoggedEvent): string | null =>
  newPostOf(event) ?? (isEventOf(event, 'like.create') ? event.post_id : null)

/** The events between two users. */
export const RELATION_EVENTS = [
  'follow.follow',
  'follow.unfollow',
  'block.block',
  'block.unblock',
  'mute.mute',
  'mute.unmute',
] as const

export const present = (...ids: (string | null | undefined)[]): string[] =>
  ids.filter((id) => id !== null && id !== undefined)

/** True for an event about direct messages. */
export const isMessageEvent = (
  event: LoggedEvent,
): event is LoggedEvent<'message.create' | 'message.read' | 'message.typing'> =>
  isEventOf(event, 'message.create', 'message.read', 'message.typing')

/** The users whose subscriptions get an event, each once. `posts` has the posts that new posts refer to. */
export function concernedUsers(event: LoggedEvent, posts: ReadonlyMap<string, PostRow>): string[] {
  if (isPostEvent(event)) return [...new Set(concernedByPost(posts.get(shownPost(event) ?? ''), posts))]
  if (isEventOf(event, 'like.create', 'follow.follow', 'follow.unfollow'))
    return [...new Set(present(event.actor_id, event.target_id))]
  if (isEventOf(event, 'message.create')) return present(event.actor_id, ...event.payload.recipient_ids)
  // Only the other side is told that somebody reads or types.
  if (isMessageEvent(event)) return event.payload.recipient_ids
  // Users who are blocked or muted are not notified.
  const own = isEventOf(
    event,
    'block.block',
    'block.unblock',
    'mute.mute',
    'mute.unmute',
    'post.delete',
    'repost.delete',
    'oauth.revoke',
  )
  return own ? present(event.actor_id) : []
}

function concernedByPost(row: PostRow | undefined, posts: ReadonlyMap<string, PostRow>): string[] {
  if (!row) return []
  const original = posts.get(row.reposted_post_id ?? '')
  const quoted = posts.get(row.quoted_post_id ?? original?.quoted_post_id ?? '')
  // A repost repeats the mentions of its original, which was delivered to those users.
  const named = row.reposted_post_id === null ? [...row.mentioned_user_ids, row.in_reply_to_user_id] : []
  return present(row.author_id, ...named, original?.author_id, quoted?.author_id)
}
