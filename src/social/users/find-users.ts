import type { Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { usernamePart, userRow } from './user.parts.ts'

/** The ids of users, by what they are called: id, username or @username. Those who do not exist are left out. */
export async function findUsers(runtime: Runtime, names: readonly string[]): Promise<Map<string, string>> {
  const given = [...new Set(names)]
  if (given.length === 0) return new Map()
  const nameOf = (who: string) => who.replace(/^@/, '').toLowerCase()
  const byName = await runtime.parts.many(usernamePart, [...new Set(given.map(nameOf))])
  const byId = await runtime.parts.many(userRow, given.filter(isStorableId))
  return new Map(
    given.flatMap((who) => {
      const id = byName.get(nameOf(who)) ?? (byId.has(who) ? who : undefined)
      return id === undefined ? [] : [[who, id]]
    }),
  )
}
