// Who sees what. Suspended accounts are hidden from everybody, protected ones from all but their followers, and a block hides
// both users from each other. Posts in a closed community are for its members. Users always see themselves.

import type { Verdict } from '../api-kit/declaring/object.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import { notAuthorizedForResource, resourceNotFound } from '../api-kit/writing/partial-errors.ts'
import { communityRole, communityRow, roleKey } from './communities/community.parts.ts'
import type { PostRow } from './posts/post.parts.ts'
import { type RelationRow, relation, type UserRow, userRow } from './users/user.parts.ts'

type Account = Pick<UserRow, 'protected' | 'suspended'>

/** Whether everybody may see the posts of an account, whoever asks. */
export const isPublicAccount = (account: Account): boolean => !account.protected && !account.suspended

/** The same as an SQL condition on a row of `user_account`. */
export const publicAccountSql = (table: string): string => `not ${table}.protected and not ${table}.suspended`

/** Whether an account shows its posts and lists to a viewer; without a relation, to everybody. */
export const isOpenTo = (account: Account, viewer: RelationRow | undefined): boolean =>
  !account.suspended && !viewer?.blocks && !viewer?.blocked_by && (!account.protected || viewer?.follows === true)

/** Who wrote something, and in which community; for a repost also who wrote the original. */
interface Authored {
  authorId: string
  originalAuthorId?: string
  communityId?: string | null
}

/** An SQL condition on a row of `post`: everybody may see it who may see its author. Few posts are in communities. */
export const openCommunitySql = (post: string): string =>
  `(${post}.community_id is null or not exists (select from community c where c.id = ${post}.community_id and c.access = 'Closed'))`

/** The users on whom the visibility of a post depends. The text of a repost begins with a mention of the original's author. */
export const authorsOf = (
  row: Pick<PostRow, 'author_id' | 'reposted_post_id' | 'mentioned_user_ids' | 'community_id'>,
): Authored => ({
  authorId: row.author_id,
  communityId: row.community_id,
  originalAuthorId: row.reposted_post_id === null ? undefined : row.mentioned_user_ids[0],
})

/** Whether everybody sees all of these posts. False also when their authors are not in memory, since nothing is loaded here. */
function areKnownPublic(context: ReadContext, posts: readonly Authored[]): boolean {
  for (const { authorId, originalAuthorId, communityId } of posts) {
    if (communityId || !isKnownPublic(context, authorId)) return false
    if (originalAuthorId !== undefined && !isKnownPublic(context, originalAuthorId)) return false
  }
  return true
}

function isKnownPublic({ parts }: ReadContext, userId: string): boolean {
  const row = parts.known(userRow, userId)
  return row !== undefined && isPublicAccount(row)
}

/** The same as `judgePosts`, but undefined when the caller sees all of them: most lookups of apps need no more than memory. */
export const judgeUnlessPublic = (context: ReadContext, posts: readonly Authored[]): Promise<Verdict[]> | undefined =>
  !context.caller?.user && areKnownPublic(context, posts) ? undefined : judgePosts(context, posts)

/** Decides for each post whether the caller may see it. */
export async function judgePosts(context: ReadContext, posts: readonly Authored[]): Promise<Verdict[]> {
  const ids = posts.flatMap(({ authorId, originalAuthorId }) =>
    originalAuthorId === undefined ? [authorId] : [authorId, originalAuthorId],
  )
  const { hidden, gone } = await judgeUsers(context, ids)
  const closed = await closedCommunities(context, posts)
  const viewer = context.caller?.user?.id
  return posts.map(({ authorId, originalAuthorId, communityId }) => {
    const isOf = (users: ReadonlySet<string>) =>
      users.has(authorId) || (originalAuthorId !== undefined && users.has(originalAuthorId))
    if (isOf(gone)) return (reference) => resourceNotFound('post', reference.parameter, reference.value)
    return isOf(hidden) || (communityId && closed.has(communityId) && authorId !== viewer)
      ? (reference) => notAuthorizedForResource('post', reference.parameter, reference.value, reference.section)
      : undefined
  })
}

/** The users among the given ones who show the caller neither posts nor lists. */
export async function hiddenUsers(context: ReadContext, userIds: readonly string[]): Promise<Set<string>> {
  const { hidden, gone } = await judgeUsers(context, userIds)
  for (const id of gone) hidden.add(id)
  return hidden
}

/** The users who show the caller nothing, and those whose accounts were deleted. */
async function judgeUsers(
  context: ReadContext,
  userIds: readonly string[],
): Promise<{ hidden: Set<string>; gone: Set<string> }> {
  const users = await context.parts.many(userRow, [...new Set(userIds)])
  const viewer = context.caller?.user?.id
  const others = viewer === undefined ? [] : [...users.keys()].filter((id) => id !== viewer)
  const relations = await context.parts.many(
    relation,
    others.map((id) => `${viewer}:${id}`),
  )
  const hidden = new Set<string>()
  for (const [id, user] of users) if (id !== viewer && !isOpenTo(user, relations.get(`${viewer}:${id}`))) hidden.add(id)
  return { hidden, gone: new Set(userIds.filter((id) => !users.has(id))) }
}

const NONE: ReadonlySet<string> = new Set()

/** The closed communities of posts of which the caller is not a member. */
async function closedCommunities(context: ReadContext, posts: readonly Authored[]): Promise<ReadonlySet<string>> {
  const ids = new Set(posts.flatMap(({ communityId }) => communityId ?? []))
  if (ids.size === 0) return NONE
  const communities = await context.parts.many(communityRow, [...ids])
  const closed = [...communities.values()].filter((row) => row.access === 'Closed').map((row) => row.id)
  const viewer = context.caller?.user?.id
  if (viewer === undefined || closed.length === 0) return new Set(closed)
  const roles = await context.parts.many(
    communityRole,
    closed.map((id) => roleKey(viewer, id)),
  )
  return new Set(closed.filter((id) => !roles.has(roleKey(viewer, id))))
}

/** The users among the given ones whose posts the caller may see. Nobody learns what the others liked or reposted. */
export async function withVisiblePosts(context: ReadContext, userIds: string[]): Promise<string[]> {
  const verdicts = await judgePosts(
    context,
    userIds.map((authorId) => ({ authorId })),
  )
  return userIds.filter((_id, index) => verdicts[index] === undefined)
}
