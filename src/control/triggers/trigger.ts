import { setTimeout as pause } from 'node:timers/promises'
import { ACTIVITY_NAMES, FORMER_ACTIVITY_NAMES } from '../../activity/event-types.ts'
import { closed, type Static, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { forbidden, invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import type { LoggedEvent } from '../../events/catalog.ts'
import { readEvents, readHead } from '../../events/log-tail.ts'
import { isStorableId } from '../../process/ids.ts'
import { type PostRow, postRow } from '../../social/posts/post.parts.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { firstUserId } from '../../world/first-facts.ts'
import { defineCommand, findUser, NameOrId } from '../command.ts'
import { TRIGGERS } from './trigger-actions.ts'
import type { StoredUser, Trigger, TriggerContext, TriggerResult } from './trigger-context.ts'

const LOGGED_WITHIN_MS = 2_000
const LOOK_MS = 20

/** Every type that can be triggered, with a description. */
export const triggerTypes = (): { event_type: string; does: string; takes: readonly string[] }[] =>
  Object.entries(TRIGGERS).map(([event_type, { does, takes }]) => ({ event_type, does, takes: ['user', ...takes] }))

const optional = Type.Optional
const TriggerArgs = closed({
  event_type: Type.String({ minLength: 1, maxLength: 100 }),
  user: optional(NameOrId),
  target: optional(NameOrId),
  text: optional(Type.String({ minLength: 1, maxLength: 25_000 })),
  post_id: optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
})
type Args = Static<typeof TriggerArgs>

/** The trigger of an event type. */
function findTrigger(name: string): Trigger {
  if (Object.hasOwn(TRIGGERS, name)) return TRIGGERS[name]!
  const current = Object.hasOwn(FORMER_ACTIVITY_NAMES, name) ? FORMER_ACTIVITY_NAMES[name] : undefined
  if (current !== undefined)
    throw invalidParameter('event_type', name, `The name ${name} is no longer used; use ${current}.`)
  const all = `The types are: ${Object.keys(TRIGGERS).join(', ')}.`
  const why = ACTIVITY_NAMES.includes(name)
    ? `${name} is not available yet: nothing on this server causes it.`
    : `There is no event type ${name}.`
  throw invalidParameter('event_type', name, `${why} ${all}`)
}

function checkTakes(name: string, trigger: Trigger, args: Args): void {
  for (const argument of ['target', 'text', 'post_id'] as const) {
    if (args[argument] !== undefined && !trigger.takes.includes(argument))
      throw invalidParameter(argument, args[argument], `${name} does not take ${argument}.`)
  }
}

async function findNamedPost(runtime: Runtime, id: string): Promise<PostRow> {
  const row = isStorableId(id) ? await runtime.parts.one(postRow, id) : undefined
  if (!row) throw objectNotFound(resourceNotFound('post', 'post_id', id))
  if (row.reposted_post_id !== null)
    throw invalidParameter('post_id', id, `${id} is a repost. Name the post itself, ${row.reposted_post_id}.`)
  return row
}

/** Who acts and on whom: the named users, else the author of the named post, else the first two users. */
async function findPeople(runtime: Runtime, args: Args, post: PostRow | undefined, postOf: Trigger['postOf']) {
  const [user, target] = await Promise.all(
    (['user', 'target'] as const).map(async (role) => {
      const who = args[role]
      const named = who === undefined ? undefined : (await findUser(runtime, who, role)).id
      if (post && postOf === role && named !== undefined && named !== post.author_id)
        throw invalidParameter('post_id', post.id, `@${who!.replace(/^@/, '')} did not write the post ${post.id}.`)
      return named ?? (post && postOf === role ? post.author_id : undefined)
    }),
  )
  const firstOther = (other: string | undefined, ...indexes: number[]) =>
    indexes.map(firstUserId).find((id) => id !== other)!
  const userId = user ?? firstOther(target, 0, 1)
  return { userId, targetId: target ?? firstOther(userId, 1, 0) }
}

async function createContext(runtime: Runtime, name: string, trigger: Trigger, args: Args): Promise<TriggerContext> {
  const post = args.post_id === undefined ? undefined : await findNamedPost(runtime, args.post_id)
  const { userId, targetId } = await findPeople(runtime, args, post, trigger.postOf)
  const rows = await runtime.parts.many(userRow, [...new Set([userId, targetId])])
  const [user, target] = [rows.get(userId)!, rows.get(targetId)!]
  const concerned = trigger.takes.includes('target') ? [user, target] : [user]
  if (!name.startsWith('user.')) for (const someone of concerned) checkActive(someone)
  return { runtime, user, target, text: args.text, post, first: [] }
}

function checkActive({ username, suspended }: StoredUser): void {
  if (suspended) throw forbidden(`@${username} is suspended. Trigger user.unsuspend first.`)
}

const isEventOf = (event: LoggedEvent, { user }: TriggerContext, { event: made }: TriggerResult): boolean =>
  event.type === made.type &&
  event.actor_id === (made.news_id === undefined ? user.id : null) &&
  (made.news_id === undefined || (event.payload as { id?: string }).id === made.news_id) &&
  (made.target_id === undefined || event.target_id === made.target_id) &&
  (made.post_id === undefined || event.post_id === made.post_id) &&
  (made.field === undefined || (event.payload as { field?: string }).field === made.field)

/** The sequence of the event in the log, by which its deliveries are found; null when it is not logged in time. */
async function findSequence(context: TriggerContext, result: TriggerResult, head: string): Promise<string | null> {
  const { database } = context.runtime
  const deadline = performance.now() + LOGGED_WITHIN_MS
  for (let after = head; performance.now() < deadline; ) {
    const events = await readEvents(database, after)
    const found = events.find((event) => isEventOf(event, context, result))
    if (found) return found.sequence
    if (events.length === 0) await pause(LOOK_MS)
    else after = events.at(-1)!.sequence
  }
  return null
}

/** Causes a real event through a user action. */
export const triggerEvent = defineCommand('trigger', TriggerArgs, async (runtime, args) => {
  const name = args.event_type
  const trigger = findTrigger(name)
  checkTakes(name, trigger, args)
  const context = await createContext(runtime, name, trigger, args)
  const head = await readHead(runtime.database)
  const result = await trigger.run(context)
  const { user, target, first } = context
  return {
    event_type: name,
    done: result.done,
    first,
    user_id: user.id,
    ...(trigger.takes.includes('target') ? { target_id: target.id } : {}),
    ...result.ids,
    event_place: await findSequence(context, result, head),
  }
})

/** Lists the event types that can be triggered, with the arguments that each takes. */
export const triggerList = defineCommand('trigger.list', closed({}), async () => ({ event_types: triggerTypes() }))
