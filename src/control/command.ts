import { type Static, type TSchema, Type } from '../api-kit/declaring/schema.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { resourceNotFound } from '../api-kit/writing/partial-errors.ts'
import { blank, objectNotFound } from '../api-kit/writing/problems.ts'
import { accountPart, appPart } from '../identity/credentials.parts.ts'
import { isStorableId } from '../process/ids.ts'
import { usernamePart } from '../social/users/user.parts.ts'

/** Something an operator can do, through the control interface or the command line. */
export interface Command {
  name: string
  args: TSchema
  /** The caller has checked `args` against the schema. */
  run(runtime: Runtime, args: unknown): Promise<unknown>
}

export const defineCommand = <S extends TSchema>(
  name: string,
  args: S,
  run: (runtime: Runtime, args: Static<S>) => Promise<unknown>,
): Command => ({
  name,
  args,
  run: (runtime, given) => run(runtime, given as Static<S>),
})

/** Names a user (by id, username or @username), an app or a project (by id). */
export const NameOrId = Type.String({ minLength: 1, maxLength: 50 })
/** The display name of a user or app. */
export const Name = Type.String({ minLength: 1, maxLength: 50 })

/** The user with an id, username or @username. */
export async function findUser(
  runtime: Runtime,
  who: string,
  parameter: string,
): Promise<{ id: string; username: string }> {
  const name = who.replace(/^@/, '').toLowerCase()
  const id = (await runtime.parts.one(usernamePart, name)) ?? (isStorableId(who) ? who : undefined)
  const found = id === undefined ? undefined : await runtime.parts.one(accountPart, id)
  if (!found) throw objectNotFound(resourceNotFound('user', parameter, who))
  return found
}

/** The app with an id. */
export async function findApp(runtime: Runtime, id: string) {
  const app = isStorableId(id) ? await runtime.parts.one(appPart, id) : undefined
  if (!app) throw blank(404, `There is no app [${id}].`)
  return app
}
