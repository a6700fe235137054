import { isStorableId } from '../../../process/ids.ts'
import type { World } from '../world.schema.ts'

/** The users that a file refers to, by username in lower case and by id, and those whom its texts mention. */
export function userNames(world: World): { names: string[]; ids: string[] } {
  const names = new Set<string>()
  const add = (...refs: (string | undefined)[]) => {
    for (const ref of refs) if (ref !== undefined) names.add(ref.replace(/^@/, '').toLowerCase())
  }
  const mentioned = (text: string | undefined) => {
    for (const [, name] of (text ?? '').matchAll(/[@＠]([a-z0-9_]{1,15})/gi)) add(name)
  }
  for (const user of world.users ?? []) add(...(user.follows ?? []), ...(user.blocks ?? []), ...(user.mutes ?? []))
  for (const app of world.apps ?? []) add(app.owner)
  for (const post of world.posts ?? []) {
    add(post.author, ...(post.likes ?? []), ...(post.bookmarks ?? []))
    add(...(post.reposts ?? []).map((repost) => (typeof repost === 'string' ? repost : repost.user)))
    mentioned(post.text)
  }
  for (const item of world.communities ?? []) add(item.admin, ...(item.members ?? []))
  for (const item of world.lists ?? []) add(item.owner, ...(item.members ?? []), ...(item.followers ?? []))
  for (const item of world.activity_subscriptions ?? []) add(item.user)
  for (const item of world.messages ?? []) {
    add(item.from, ...[item.to].flat())
    mentioned(item.text)
  }
  for (const item of world.ads_accounts ?? []) add(item.owner, ...(item.users ?? []).map(({ user }) => user))
  return { names: [...names], ids: [...names].filter(isStorableId) }
}
