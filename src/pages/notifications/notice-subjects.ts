import { getCommunitiesById } from '../../social/communities/read-communities.ts'
import { getListsById } from '../../social/lists/manage-lists.ts'
import type { NotificationGroup } from '../../social/notifications/read-notifications.ts'
import { getPostsByIds } from '../../social/posts/read-posts.ts'
import { getUsersByIds } from '../../social/users/read-users.ts'
import type { SignedInRequest } from '../page-request.ts'
import { readExtras } from '../parts/post-extras.ts'
import { type Marks, readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostsAnswer, type PostView, USER_FIELDS, type UserView } from '../parts/views.ts'

/** What notices are about, as far as the viewer may see it. */
export interface Subjects {
  users: ReadonlyMap<string, UserView>
  posts: ReadonlyMap<string, PostView>
  marks: ReadonlyMap<string, Marks>
  /** Names of lists and communities. */
  names: ReadonlyMap<string, string>
}

/** How many users of a group are named and pictured. */
export const PICTURED = 3

interface Named {
  data?: { id: string; name: string }
}

/** Reads what notices show, with one call for each kind of object. */
export async function readSubjects(page: SignedInRequest, groups: readonly NotificationGroup[]): Promise<Subjects> {
  const userIds = new Set(groups.flatMap((group) => group.actorIds.slice(0, PICTURED)))
  const postIds = new Set(groups.flatMap((group) => group.postId ?? []))
  const [users, posts, named] = await Promise.all([
    readUsers(page, [...userIds]),
    readPosts(page, [...postIds]),
    Promise.all(groups.map((group) => readName(page, group))),
  ])
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  return {
    users: new Map(users.map((user) => [user.id, user])),
    posts: new Map(posts.map((post) => [post.id, post])),
    marks,
    names: new Map(named.flatMap((item) => (item ? [[item.id, item.name] as const] : []))),
  }
}

export async function readUsers(page: SignedInRequest, ids: readonly string[]): Promise<UserView[]> {
  if (ids.length === 0) return []
  const query = { ...USER_FIELDS, ids: ids.slice(0, 100).join(',') }
  const answer = await page.call<{ data?: UserView[] }>(getUsersByIds, { query })
  return answer.body.data ?? []
}

async function readPosts(page: SignedInRequest, ids: readonly string[]): Promise<PostView[]> {
  if (ids.length === 0) return []
  const answer = await page.call<PostsAnswer>(getPostsByIds, { query: { ...POST_FIELDS, ids: ids.join(',') } })
  return joinPosts(answer.body.data ?? [], answer.body.includes)
}

async function readName(page: SignedInRequest, { kind, objectId }: NotificationGroup) {
  const operation = kind === 'list_add' ? getListsById : kind === 'community_invite' ? getCommunitiesById : undefined
  if (!operation) return undefined
  return (await page.call<Named>(operation, { path: { id: objectId } })).body.data
}
