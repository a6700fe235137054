import type { Verdict } from '../../api-kit/declaring/object.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource } from '../../api-kit/writing/partial-errors.ts'
import { relation, userRow } from '../users/user.parts.ts'
import type { PostRow } from './post.parts.ts'

/** Who wrote something; for a repost also who wrote the original. */
interface Authored {
  authorId: string
  originalAuthorId?: string
}

/** Whom the visibility of a post depends on. The text of a repost begins with the mention of the original's author. */
export const authorsOf = (row: Pick<PostRow, 'author_id' | 'reposted_post_id' | 'mentioned_user_ids'>): Authored => ({
  authorId: row.author_id,
  originalAuthorId: row.reposted_post_id === null ? undefined : row.mentioned_user_ids[0],
})

/** Decides for posts whether the caller may see them: suspension, protection and blocks, in both directions. */
export async function judgePosts(context: ReadContext, posts: Authored[]): Promise<Verdict[]> {
  const ids = posts.flatMap(({ authorId, originalAuthorId }) =>
    originalAuthorId === undefined ? [authorId] : [authorId, originalAuthorId],
  )
  const authors = await context.parts.many(userRow, [...new Set(ids)])
  const viewer = context.caller?.user?.id
  const others = viewer === undefined ? [] : [...authors.keys()].filter((id) => id !== viewer)
  const relations = await context.parts.many(
    relation,
    others.map((id) => `${viewer}:${id}`),
  )
  const hidden = new Set<string>()
  for (const [id, author] of authors) {
    if (id === viewer) continue
    const known = relations.get(`${viewer}:${id}`)
    if (author.suspended || known?.blocks || known?.blocked_by || (author.protected && !known?.follows)) hidden.add(id)
  }
  return posts.map(({ authorId, originalAuthorId }) =>
    hidden.has(authorId) || (originalAuthorId !== undefined && hidden.has(originalAuthorId))
      ? (place) => notAuthorizedForResource('post', place.parameter, place.value, place.section)
      : undefined,
  )
}

/** Of these users the ones whose posts the caller may see: of the others nobody learns what they liked or reposted. */
export async function withVisiblePosts(context: ReadContext, userIds: string[]): Promise<string[]> {
  const verdicts = await judgePosts(
    context,
    userIds.map((authorId) => ({ authorId })),
  )
  return userIds.filter((_id, index) => verdicts[index] === undefined)
}
