import { type Static, type TSchema, Type } from '../api-kit/declaring/schema.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { resourceNotFound } from '../api-kit/writing/partial-errors.ts'
import { blank, objectNotFound } from '../api-kit/writing/problems.ts'
import { accountPart, appPart } from '../identity/credentials.parts.ts'
import { isStorableId } from '../process/ids.ts'
import { usernamePart } from '../social/users/user.parts.ts'
import { statement } from '../storage/statement.ts'

/** Something an operator can do, through the control interface or the command line. */
export interface Command {
  name: string
  args: TSchema
  /** The largest body of a call, where it may be larger than that of other commands. */
  mostBytes?: number
  /** The caller has checked `args` against the schema. */
  run(runtime: Runtime, args: unknown): Promise<unknown>
}

/** A command whose types are known. `types` is only for the compiler: the console's calls are checked against it. */
export interface TypedCommand<A, R> extends Command {
  readonly types?: { args: A; result: R }
}

export const defineCommand = <S extends TSchema, R>(
  name: string,
  args: S,
  run: (runtime: Runtime, args: Static<S>) => Promise<R>,
): TypedCommand<Static<S>, R> => ({
  name,
  args,
  run: (runtime, given) => run(runtime, given as Static<S>),
})

/** Names a user (by id, username or @username), an app (by id or name), a project (by id). */
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

const appsByName = statement(
  'control_apps_by_name',
  { id: 'int8' },
  'select id from client_app where lower(name) = lower($1) order by id limit 11',
)

/** The app with an id, or the only one with a name. */
export async function findApp(runtime: Runtime, nameOrId: string) {
  const byId = isStorableId(nameOrId) ? await runtime.parts.one(appPart, nameOrId) : undefined
  if (byId) return byId
  const named = await appsByName.all(runtime.database, nameOrId)
  if (named.length > 1) {
    const ids = named.slice(0, 10).map((row) => row.id)
    throw blank(
      400,
      `Several apps have the name [${nameOrId}]. Use an id: ${ids.join(', ')}${named.length > 10 ? ' and others' : ''}.`,
    )
  }
  const app = named[0] && (await runtime.parts.one(appPart, named[0].id))
  if (!app) throw blank(404, `There is no app [${nameOrId}].`)
  return app
}

const appsFirst = statement('control_app_first', { id: 'int8' }, 'select id from client_app order by id limit 1')

/** The app that is meant when none is named: the oldest. */
export async function findAppOrFirst(runtime: Runtime, nameOrId: string | undefined) {
  if (nameOrId !== undefined) return findApp(runtime, nameOrId)
  const first = await appsFirst.first(runtime.database)
  if (!first) throw blank(404, 'There is no app yet. Create one with app.create.')
  return findApp(runtime, first.id)
}
