import type { Operation } from '../../api-kit/declaring/operation.ts'
import type { Part } from '../../api-kit/declaring/part.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import { readContext } from '../../api-kit/reading/read-context.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { EventType } from '../../events/catalog.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import type { PostDraft } from '../../social/posts/create-post.body.ts'
import { publishPost } from '../../social/posts/create-post.ts'
import { type PostRow, postRow } from '../../social/posts/post.parts.ts'
import { userPostsOlder } from '../../social/timelines/timeline.statements.ts'
import { relation, type userRow } from '../../social/users/user.parts.ts'
import { firstAppCaller } from '../../world/first-facts.ts'
import { RELATIONS } from '../relation-kinds.ts'

/** A user as stored. */
export type StoredUser = typeof userRow extends Part<infer R> ? R : never

/** Who acts, on whom and with what, when an event is triggered. */
export interface TriggerContext {
  runtime: Runtime
  user: StoredUser
  target: StoredUser
  text: string | undefined
  /** The post that the operator named. */
  post: PostRow | undefined
  /** Sentences about what had to be done first. */
  first: string[]
}

/** What was done, and how to find its event in the log. */
export interface TriggerResult {
  done: string
  ids: Record<string, string | number>
  event: {
    type: EventType
    target_id?: string
    post_id?: string
    field?: string /** Of an event that nobody caused. */
    news_id?: string
  }
}

/** How an event of one type is triggered. */
export interface Trigger {
  /** One line for the list of types. */
  does: string
  /** The arguments it takes besides the user who acts. */
  takes: readonly ('target' | 'text' | 'post_id')[]
  /** Who must have written the named post. */
  postOf?: 'user' | 'target'
  run(context: TriggerContext): Promise<TriggerResult>
}

/** A text that no post or profile has yet. */
export const uniqueText = (context: TriggerContext, words: string): string => `${words} ${context.runtime.ids.next()}`

/** The input of an operation or action of a user. It acts through the first app, so a trigger does not depend on the tier of the app under test. */
export function actAs(runtime: Runtime, user: { id: string; username: string }) {
  const caller = firstAppCaller(user)
  return { caller, context: readContext(runtime, caller, neutral), runtime, naming: neutral }
}

/** Calls an operation as a user. */
export const operate = (
  runtime: Runtime,
  user: StoredUser,
  operation: Operation,
  given: { path: Record<string, string>; body?: unknown },
): Promise<unknown> =>
  // Operations with different inputs share one type, which hides them. There is no HTTP request here, and none is read.
  operation.handle({ ...actAs(runtime, user), query: {}, body: undefined, ...given } as never)

/** Writes a post as a user and returns its id. */
export const writePost = async (runtime: Runtime, user: StoredUser, body: PostDraft): Promise<string> =>
  (await publishPost({ ...actAs(runtime, user), body })).id

/** Creates or ends a relation and returns a sentence about it. */
export async function relate(
  runtime: Runtime,
  kind: keyof typeof RELATIONS,
  makes: boolean,
  source: StoredUser,
  target: StoredUser,
): Promise<string> {
  const { make, end, made, ended } = RELATIONS[kind]
  const pair = { sourceId: source.id, targetId: target.id }
  await change(runtime, (tx, invalidate) => (makes ? make : end)(tx, invalidate, runtime, pair))
  return `@${source.username} ${makes ? made : ended} @${target.username}`
}

const relationOf = async ({ runtime, user, target }: TriggerContext) =>
  (await runtime.parts.one(relation, `${user.id}:${target.id}`))!

/** Whether the user has a relation of this kind to the target. */
export const isRelated = async (context: TriggerContext, kind: keyof typeof RELATIONS): Promise<boolean> =>
  (await relationOf(context))[RELATIONS[kind].state]

/** Removes blocks between the two users, because a block prevents the event. */
export async function unblockBoth(context: TriggerContext): Promise<void> {
  const { runtime, user, target, first } = context
  if (user.id === target.id) return
  const { blocks, blocked_by: blockedBy } = await relationOf(context)
  if (blocks) first.push(await relate(runtime, 'block', false, user, target))
  if (blockedBy) first.push(await relate(runtime, 'block', false, target, user))
}

/** A post of the target that the user can see: the named one, the newest one that everybody may answer, or a new one. */
export async function findPost(context: TriggerContext): Promise<string> {
  const { runtime, user, target, first } = context
  await unblockBoth(context)
  if (target.protected && user.id !== target.id && !(await isRelated(context, 'follow')))
    first.push(await relate(runtime, 'follow', true, user, target))
  if (context.post) return context.post.id
  const [newest] = await userPostsOlder.all(runtime.database, target.id, '0', LARGEST_ID, true, true, 1)
  const row = newest && (await runtime.parts.one(postRow, newest.id))
  if (row?.reply_settings === 'everyone' && row.community_id === null) return row.id
  const id = await writePost(runtime, target, { text: uniqueText(context, 'Written for a trigger') })
  first.push(`@${target.username} wrote post ${id}`)
  return id
}
