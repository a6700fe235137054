import type { Runtime } from '../../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { postVersions } from '../../social/posts/post.parts.ts'
import { toldPosts } from '../told-posts.ts'
import { likeNotices, postNotices, userNotices } from './notice.kinds.ts'
import type { Notice } from './notice.ts'

/** Finds what events mean to those who keep data of the interface, in the order of the events. */
export type FindNotices = (runtime: Runtime, events: readonly LoggedEvent[]) => Promise<Notice[]>

const at = (event: LoggedEvent): { event_at: string } => ({ event_at: event.happened_at.toISOString() })

const deletion = (event: LoggedEvent, id: string): Notice => ({
  kind: postNotices.delete,
  facts: { ...at(event), post: { id, author_id: event.actor_id } },
  of: id,
})

/** Posts that are gone, each version and reposts too, whoever wrote them; edits of posts that everybody may see. */
export const findPostNotices: FindNotices = async (runtime, events) => {
  const edited = await toldPosts(
    runtime,
    events.filter((event) => event.type === 'post.edit'),
  )
  const versions = await runtime.parts.many(
    postVersions,
    edited.map((row) => row.id),
  )
  return events.flatMap((event) => {
    if (isEventOf(event, 'post.delete')) return event.payload.version_ids.map((id) => deletion(event, id))
    if (isEventOf(event, 'repost.delete')) return [deletion(event, event.payload.repost_id)]
    if (!isEventOf(event, 'post.edit')) return []
    const id = event.post_id!
    const known = versions.get(id)
    if (!known) return []
    // Later edits have notices of their own.
    const until = known.version_ids.filter((version) => BigInt(version) <= BigInt(id))
    const facts = { ...at(event), post: { id }, initial_post_id: known.first_version_id, edit_post_ids: until }
    return [{ kind: postNotices.edit, facts, of: id }]
  })
}

const USER_KINDS = {
  'user.protect': userNotices.protect,
  'user.unprotect': userNotices.unprotect,
  'user.suspend': userNotices.suspend,
  'user.unsuspend': userNotices.unsuspend,
} as const

/** Users whose standing or profile is not as it was. */
export const findUserNotices: FindNotices = async (_house, events) =>
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

/** Likes that were taken back. */
export const findLikeNotices: FindNotices = async (_house, events) =>
  events.flatMap((event) => {
    if (!isEventOf(event, 'like.delete')) return []
    const facts = { ...at(event), favorite: { id: event.post_id, user_id: event.actor_id } }
    return [{ kind: likeNotices.delete, facts, of: event.post_id! }]
  })

/** Nothing here labels posts: the stream stays silent. */
export const findLabelNotices: FindNotices = async () => []
