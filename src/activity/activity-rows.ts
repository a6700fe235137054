import type { PartReader } from '../api-kit/reading/part-cache.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { type ChatEvents, readChatEvents } from '../social/chat/chat-activity.ts'
import { type RequiredAccounts, requiredFor } from '../social/event-visibility.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import type { Subject } from './activities.ts'

/** The stored data of everything that activities are about or include. */
export interface ActivityRows {
  /** The posts of activities and the posts that these refer to. */
  posts: ReadonlyMap<string, PostRow>
  postIds: ReadonlySet<string>
  userIds: ReadonlySet<string>
  /** Encrypted events by conversation and sequence. */
  chatEvents: ChatEvents
}

/** The posts that a post reposts, quotes and answers. */
export const referredIds = (row: PostRow): string[] =>
  [row.reposted_post_id, row.quoted_post_id, row.in_reply_to_post_id].filter((id) => id !== null)

export async function readRows(
  runtime: Runtime,
  parts: PartReader,
  subjects: readonly Subject[],
): Promise<ActivityRows> {
  const postIds = new Set(
    subjects.flatMap((item) => (item.kind === 'post' ? [item.id] : item.kind === 'like' ? [item.postId] : [])),
  )
  const found = await parts.many(postRow, [...postIds])
  const referred = [...found.values()].flatMap(referredIds)
  const posts = new Map([...found, ...(await parts.many(postRow, [...new Set(referred)]))])
  return {
    posts,
    postIds: new Set(posts.keys()),
    userIds: new Set(subjects.flatMap((item) => shownUserIds(item, posts))),
    chatEvents: await readChatEvents(
      runtime.database,
      subjects.flatMap((item) => (item.kind === 'chat' ? [item] : [])),
    ),
  }
}

/** The users that an activity shows, the acting one first. */
export function shownUserIds(subject: Subject, posts: ReadonlyMap<string, PostRow>): string[] {
  switch (subject.kind) {
    case 'post': {
      const row = posts.get(subject.id)
      if (!row) return []
      const referred = referredIds(row).flatMap((id) => posts.get(id)?.author_id ?? [])
      return [
        ...new Set([row.author_id, ...(row.in_reply_to_user_id ? [row.in_reply_to_user_id] : []), ...referred]),
        ...row.mentioned_user_ids,
      ]
    }
    case 'removed-post':
      return [subject.authorId]
    case 'like':
      return [subject.likerId, subject.authorId]
    case 'pair':
      return [subject.sourceId, subject.targetId]
    case 'profile':
    case 'space':
      return [subject.userId]
    case 'message':
      return [subject.actorId, ...subject.recipientIds]
    case 'revoke':
    case 'chat':
    case 'news':
      return []
  }
}

/** The accounts on which an activity depends; undefined when its post is gone. */
export function requiredOf(subject: Subject, posts: ReadonlyMap<string, PostRow>): RequiredAccounts | undefined {
  switch (subject.kind) {
    case 'post': {
      const row = posts.get(subject.id)
      return row && requiredFor(row)
    }
    case 'like': {
      const row = posts.get(subject.postId)
      return row && { ...requiredFor(row), active: [subject.likerId] }
    }
    case 'removed-post':
      return { public: [subject.authorId], active: [] }
    case 'space':
      return { public: [subject.userId], active: [] }
    case 'pair':
      return { public: [], active: [subject.sourceId, subject.targetId] }
    case 'profile':
      return { public: [], active: [subject.userId] }
    case 'message':
      return { public: [], active: [subject.actorId] }
    case 'revoke':
    case 'news':
      return { public: [], active: [] }
    case 'chat':
      return { public: [], active: [...new Set([subject.senderId, subject.viewerId])] }
  }
}
