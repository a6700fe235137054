import type { ReadContext, Verdict } from '../../api-kit/object.ts'
import { notAuthorizedForResource } from '../../api-kit/problems.ts'
import { relation, userRow } from '../users/user.parts.ts'

/** Who wrote something, and what it is called in a refusal. */
interface Authored {
  authorId: string
}

/** Decides for posts whether the caller may see them: suspension, protection and blocks, in both directions. */
export async function judgePosts(context: ReadContext, posts: Authored[]): Promise<Verdict[]> {
  const authors = await context.parts.many(userRow, [...new Set(posts.map((item) => item.authorId))])
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
  return posts.map((item) =>
    hidden.has(item.authorId)
      ? (place) => notAuthorizedForResource('post', place.parameter, place.value, place.section)
      : undefined,
  )
}
