import type { Operation } from '../api-kit/declaring/operation.ts'
import type { Part } from '../api-kit/declaring/part.ts'
import { neutral } from '../api-kit/naming/naming.ts'
import { readContext } from '../api-kit/reading/read-context.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import type { EventType } from '../events/catalog.ts'
import { LARGEST_ID } from '../process/ids.ts'
import type { PostDraft } from '../social/posts/create-post.body.ts'
import { createPost } from '../social/posts/create-post.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { userPostsOlder } from '../social/timelines/timeline.statements.ts'
import { relation, type userRow } from '../social/users/user.parts.ts'
import { firstAppCaller } from '../world/first-facts.ts'
import { RELATIONS } from './relation-kinds.ts'

/** What is stored of a user. */
export type UserRow = typeof userRow extends Part<infer R> ? R : never

/** Who acts, on whom and with what, when an event is made to happen. */
export interface Scene {
  runtime: Runtime
  user: UserRow
  target: UserRow
  text: string | undefined
  /** The post that was named. */
  post: PostRow | undefined
  /** What had to be done first, in words. */
  first: string[]
}

/** What was done, and the event of the log that tells of it. */
export interface Deed {
  done: string
  ids: Record<string, string>
  event: { type: EventType; target_id?: string; post_id?: string; field?: string }
}

/** How an event is made to happen. */
export interface Trigger {
  /** One line for people. */
  does: string
  /** What it can be given besides the user who acts. */
  takes: readonly ('target' | 'text' | 'post_id')[]
  /** Who must have written the post that is named. */
  postOf?: 'user' | 'target'
  run(scene: Scene): Promise<Deed>
}

/** Words that no post or profile has had yet. */
export const fresh = (scene: Scene, words: string): string => `${words} ${scene.runtime.ids.next()}`

// Of the first app, so that what tests a receiver does not depend on a tier.
function actor(runtime: Runtime, user: UserRow) {
  const caller = firstAppCaller(user)
  return { caller, context: readContext(runtime, caller, neutral), runtime, naming: neutral }
}

/** Lets a user call an operation of the interface. */
export const operate = (
  runtime: Runtime,
  user: UserRow,
  operation: Operation,
  given: { path: Record<string, string>; body?: unknown },
): Promise<unknown> => operation.handle({ ...actor(runtime, user), query: {}, body: undefined, ...given } as never)

/** Lets a user write a post; its id. */
export const writePost = async (runtime: Runtime, user: UserRow, body: PostDraft): Promise<string> =>
  (await createPost({ ...actor(runtime, user), body })).id

/** Makes or ends a relation; what was done in words. */
export async function relate(
  runtime: Runtime,
  kind: keyof typeof RELATIONS,
  makes: boolean,
  source: UserRow,
  target: UserRow,
): Promise<string> {
  const { make, end, made, ended } = RELATIONS[kind]
  const pair = { sourceId: source.id, targetId: target.id }
  await change(runtime, (tx, invalidate) => (makes ? make : end)(tx, invalidate, runtime, pair))
  return `@${source.username} ${makes ? made : ended} @${target.username}`
}

const relationOf = async ({ runtime, user, target }: Scene) =>
  (await runtime.parts.one(relation, `${user.id}:${target.id}`))!

/** Whether the user of a scene has such a relation to its target. */
export const isRelated = async (scene: Scene, kind: keyof typeof RELATIONS): Promise<boolean> =>
  (await relationOf(scene))[RELATIONS[kind].state]

/** Takes back blocks between the two: across them nothing happens, and nothing is told. */
export async function unblockBoth(scene: Scene): Promise<void> {
  const { runtime, user, target, first } = scene
  if (user.id === target.id) return
  const known = await relationOf(scene)
  if (known.blocks) first.push(await relate(runtime, 'block', false, user, target))
  if (known.blocked_by) first.push(await relate(runtime, 'block', false, target, user))
}

/** A post of the target that the user can see: the one that was named, the newest that everybody may answer, or a new one. */
export async function findPost(scene: Scene): Promise<string> {
  const { runtime, user, target, first } = scene
  await unblockBoth(scene)
  if (target.protected && user.id !== target.id && !(await isRelated(scene, 'follow')))
    first.push(await relate(runtime, 'follow', true, user, target))
  if (scene.post) return scene.post.id
  const [newest] = await userPostsOlder.all(runtime.database, target.id, '0', LARGEST_ID, true, true, 1)
  const row = newest && (await runtime.parts.one(postRow, newest.id))
  if (row?.reply_settings === 'everyone' && row.community_id === null) return row.id
  const id = await writePost(runtime, target, { text: fresh(scene, 'Written for a trigger') })
  first.push(`@${target.username} wrote post ${id}`)
  return id
}
