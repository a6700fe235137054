import type { Runtime } from '../api-kit/runtime.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { userRow } from '../social/users/user.parts.ts'
import { isPublicAccount } from '../social/visibility.ts'
import type { Subject } from './activities.ts'

/** The stored data of everything that activities are about or include. */
export interface ActivityRows {
  /** The posts of activities and the posts that these refer to. */
  posts: ReadonlyMap<string, PostRow>
  postIds: ReadonlySet<string>
  userIds: ReadonlySet<string>
  /** Authors of removed posts whose posts the public may not see. */
  hiddenAuthors: ReadonlySet<string>
}

/** The posts that a post reposts, quotes and answers. */
export const referredIds = (row: PostRow): string[] =>
  [row.reposted_post_id, row.quoted_post_id, row.in_reply_to_post_id].filter((id) => id !== null)

export async function readRows(runtime: Runtime, subjects: readonly Subject[]): Promise<ActivityRows> {
  const postIds = new Set(
    subjects.flatMap((item) => (item.kind === 'post' ? [item.id] : item.kind === 'like' ? [item.postId] : [])),
  )
  const found = await runtime.parts.many(postRow, [...postIds])
  const referred = [...found.values()].flatMap(referredIds)
  const posts = new Map([...found, ...(await runtime.parts.many(postRow, [...new Set(referred)]))])
  const authors = await runtime.parts.many(userRow, [
    ...new Set(subjects.flatMap((item) => (item.kind === 'removed-post' ? [item.authorId] : []))),
  ])
  const hidden = [...authors.values()].filter((row) => !isPublicAccount(row)).map((row) => row.id)
  return {
    posts,
    postIds: new Set(posts.keys()),
    userIds: new Set(subjects.flatMap((item) => shownUserIds(item, posts))),
    hiddenAuthors: new Set(hidden),
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
      return [subject.userId]
    case 'revoke':
      return []
  }
}
