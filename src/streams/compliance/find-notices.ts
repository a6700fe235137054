import type { Runtime } from '../../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { postVersions } from '../../social/posts/post.parts.ts'
import { notWithheld, reporting } from '../hub.ts'
import { newPosts } from '../public-posts.ts'
import { likeNotices, postNotices, userNotices } from './notice.kinds.ts'
import type { Notice } from './notice.ts'

/** Finds the compliance notices of events, in the order of the events. */
export type FindNotices = (runtime: Runtime, events: readonly LoggedEvent[]) => Promise<Notice[]>

const at = (event: LoggedEvent): { event_at: string } => ({ event_at: event.happened_at.toISOString() })

const deletion = (event: LoggedEvent, id: string): Notice => ({
  kind: postNotices.delete,
  facts: { ...at(event), post: { id, author_id: event.actor_id } },
  of: id,
})

/** Deletions of all posts, with each version and reposts; edits of public posts. */
export const findPostNotices: FindNotices = async (runtime, events) => {
  const edits = events.filter((event) => event.type === 'post.edit')
  const edited = notWithheld(runtime, await newPosts(runtime, edits, reporting(runtime)))
  const ids = edited.map(({ row }) => row.id)
  const versions = await edited[0]?.parts.many(postVersions, ids)
  return events.flatMap((event) => {
    if (isEventOf(event, 'post.delete')) return event.payload.version_ids.map((id) => deletion(event, id))
    if (isEventOf(event, 'repost.delete')) return [deletion(event, event.payload.repost_id)]
    if (!isEventOf(event, 'post.edit')) return []
    const id = event.post_id!
    const history = versions?.get(id)
    if (!history) return []
    const { first_version_id: initial_post_id, version_ids: edit_post_ids } = history
    const facts = { ...at(event), post: { id }, initial_post_id, edit_post_ids }
    return [{ kind: postNotices.edit, facts, of: id }]
  })
}

const USER_KINDS = {
  'user.protect': userNotices.protect,
  'user.unprotect': userNotices.unprotect,
  'user.suspend': userNotices.suspend,
  'user.unsuspend': userNotices.unsuspend,
  'user.delete': userNotices.delete,
} as const

/** Changes to the state or profile of users. */
export const findUserNotices: FindNotices = async (_runtime, events) =>
  events.flatMap((event) => {
    const userFacts = () => ({ ...at(event), user: { id: event.actor_id } })
    if (isEventOf(event, 'user.update')) {
      const { field, after } = event.payload
      const facts = { ...userFacts(), profile_field: field, new_value: after }
      return [{ kind: userNotices.profile, facts, of: event.actor_id! }]
    }
    const kind = USER_KINDS[event.type as keyof typeof USER_KINDS]
    return kind ? [{ kind, facts: userFacts(), of: event.actor_id! }] : []
  })

/** Removed likes. */
export const findLikeNotices: FindNotices = async (_runtime, events) =>
  events.flatMap((event) => {
    if (!isEventOf(event, 'like.delete')) return []
    const facts = { ...at(event), favorite: { id: event.post_id, user_id: event.actor_id } }
    return [{ kind: likeNotices.delete, facts, of: event.post_id! }]
  })

/** Nothing here labels posts, so the stream has no notices. */
export const findLabelNotices: FindNotices = async () => []
