import type { House } from '../api-kit/house.ts'
import { blank, notFoundAnswer, resourceNotFound } from '../api-kit/problems.ts'
import { type Static, type TSchema, Type } from '../api-kit/schema.ts'
import { accountPart, appPart } from '../identity/credentials.parts.ts'
import { isStorableId } from '../process/ids.ts'
import { usernamePart } from '../social/users/user.parts.ts'

/** Something an operator does: the same function behind the control interface and the command line. */
export interface Command<A = never> {
  name: string
  args: TSchema
  run(house: House, args: A): Promise<unknown>
}

export const defineCommand = <S extends TSchema>(
  name: string,
  args: S,
  run: (house: House, args: Static<S>) => Promise<unknown>,
): Command => ({
  name,
  args,
  run: run as Command['run'],
})

/** A user or app, as an operator names them. */
export const Who = Type.String({ minLength: 1, maxLength: 50 })

/** The user that an operator names by id, username or @username. */
export async function findUser(
  house: House,
  who: string,
  parameter: string,
): Promise<{ id: string; username: string }> {
  const name = who.replace(/^@/, '').toLowerCase()
  const id = (await house.parts.one(usernamePart, name)) ?? (isStorableId(who) ? who : undefined)
  const found = id === undefined ? undefined : await house.parts.one(accountPart, id)
  if (!found) throw notFoundAnswer(resourceNotFound('user', parameter, who))
  return found
}

/** The app of an id. */
export async function findApp(house: House, id: string) {
  const app = isStorableId(id) ? await house.parts.one(appPart, id) : undefined
  if (!app) throw blank(404, `There is no app [${id}].`)
  return app
}
