import type { Runtime } from '../api-kit/runtime.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { statement } from '../storage/statement.ts'

const appsNamed = statement(
  'control_apps_named',
  { id: 'int8', name: 'text' },
  `select id, name from client_app where id::text = $1 or lower(name) = lower($1) order by id::text = $1 desc, id limit 2`,
)

/** The app with an id or a name. */
export async function findAppNamed(runtime: Runtime, nameOrId: string): Promise<{ id: string; name: string }> {
  const [found, second] = await appsNamed.all(runtime.database, nameOrId)
  if (!found) throw blank(404, `There is no app with the name or id [${nameOrId}]. app.list lists the apps.`)
  if (second && found.id !== nameOrId)
    throw blank(409, `Several apps have the name [${nameOrId}], such as ${found.id} and ${second.id}. Give the id.`)
  return found
}
