import { type Static, type TSchema, Type } from '../api-kit/declaring/schema.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { resourceNotFound } from '../api-kit/writing/partial-errors.ts'
import { blank, notFoundAnswer } from '../api-kit/writing/problems.ts'
import { accountPart, appPart } from '../identity/credentials.parts.ts'
import { isStorableId } from '../process/ids.ts'
import { usernamePart } from '../social/users/user.parts.ts'

/** Something an operator does: the same function behind the control interface and the command line. */
export interface Command<A = never> {
  name: string
  args: TSchema
  run(runtime: Runtime, args: A): Promise<unknown>
}

export const defineCommand = <S extends TSchema>(
  name: string,
  args: S,
  run: (runtime: Runtime, args: Static<S>) => Promise<unknown>,
): Command => ({
  name,
  args,
  run: run as Command['run'],
})

/** A user or app, as an operator names them. */
export const Who = Type.String({ minLength: 1, maxLength: 50 })

/** The user that an operator names by id, username or @username. */
export async function findUser(
  runtime: Runtime,
  who: string,
  parameter: string,
): Promise<{ id: string; username: string }> {
  const name = who.replace(/^@/, '').toLowerCase()
  const id = (await runtime.parts.one(usernamePart, name)) ?? (isStorableId(who) ? who : undefined)
  const found = id === undefined ? undefined : await runtime.parts.one(accountPart, id)
  if (!found) throw notFoundAnswer(resourceNotFound('user', parameter, who))
  return found
}

/** The app of an id. */
export async function findApp(runtime: Runtime, id: string) {
  const app = isStorableId(id) ? await runtime.parts.one(appPart, id) : undefined
  if (!app) throw blank(404, `There is no app [${id}].`)
  return app
}
