import { isEventOf, type LoggedEvent, newPostOf } from '../events/catalog.ts'
import type { PostRow } from '../social/posts/post.parts.ts'

/** True for an event that is told as a new post; whom it concerns stands in the post. */
export const tellsOfPost = (event: LoggedEvent): event is LoggedEvent<'post.create' | 'post.edit' | 'repost.create'> =>
  isEventOf(event, 'post.create', 'post.edit', 'repost.create')

/** The post that an event shows. */
export const shownPost = (event: LoggedEvent): string | null =>
  newPostOf(event) ?? (isEventOf(event, 'like.create') ? event.post_id : null)

const present = (...ids: (string | null | undefined)[]): string[] => ids.filter((id) => id !== null && id !== undefined)

/** The users whose subscriptions an event is told to, each once; `posts` has what new posts refer to. */
export function concernedUsers(event: LoggedEvent, posts: ReadonlyMap<string, PostRow>): string[] {
  if (tellsOfPost(event)) return [...new Set(concernedByPost(posts.get(shownPost(event) ?? ''), posts))]
  if (isEventOf(event, 'like.create', 'follow.follow', 'follow.unfollow'))
    return [...new Set(present(event.actor_id, event.target_id))]
  // Nobody learns from here that they were blocked or muted.
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
  // A repost repeats the mentions of its original, who were told of that one.
  const named = row.reposted_post_id === null ? [...row.mentioned_user_ids, row.in_reply_to_user_id] : []
  return present(row.author_id, ...named, original?.author_id, quoted?.author_id)
}
