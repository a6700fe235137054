import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** A project and the developer account that it belongs to. */
export interface Project {
  id: string
  name: string
  developer: { id: string; name: string }
}

const developerAdd = statement(
  'developer_account_add',
  { id: 'int8', name: 'text' },
  `insert into developer_account (id, user_id, name, created_at)
   select $1, u.id, u.name, $3 from user_account u where u.id = $2
   on conflict (user_id) do update set name = developer_account.name returning id, name`,
)
const firstOfDeveloper = statement(
  'project_of_developer',
  { id: 'int8', name: 'text' },
  'select id, name from project where developer_account_id = $1 order by id limit 1',
)
const projectAdd = statement(
  'project_add',
  {},
  'insert into project (id, developer_account_id, name, created_at) values ($1, $2, $3, $4)',
)
const projectById = statement(
  'project_by_id',
  { id: 'int8', name: 'text', developer_id: 'int8', developer_name: 'text' },
  `select p.id, p.name, d.id as developer_id, d.name as developer_name
     from project p join developer_account d on d.id = p.developer_account_id where p.id = $1`,
)

export async function findProject(db: Db, id: string): Promise<Project | undefined> {
  const row = await projectById.first(db, id)
  return row && { id: row.id, name: row.name, developer: { id: row.developer_id, name: row.developer_name } }
}

/** The developer account of a user, created when there is none. The row is locked: of two requests at once, one waits. */
async function lockDeveloper(tx: Tx, runtime: Runtime, userId: string): Promise<Project['developer']> {
  return (await developerAdd.first(tx, runtime.ids.next(), userId, new Date(runtime.clock.now())))!
}

async function addProject(tx: Tx, runtime: Runtime, developerId: string, name: string) {
  const id = runtime.ids.next()
  await projectAdd.count(tx, id, developerId, name, new Date(runtime.clock.now()))
  return { id, name }
}

/** Creates a project in the developer account of its owner. */
export async function createProject(tx: Tx, runtime: Runtime, ownerUserId: string, name: string): Promise<Project> {
  const developer = await lockDeveloper(tx, runtime, ownerUserId)
  return { ...(await addProject(tx, runtime, developer.id, name)), developer }
}

/** The first project of a developer; a new developer gets one. */
export async function firstProject(tx: Tx, runtime: Runtime, ownerUserId: string): Promise<Project> {
  const developer = await lockDeveloper(tx, runtime, ownerUserId)
  const known = await firstOfDeveloper.first(tx, developer.id)
  return { ...(known ?? (await addProject(tx, runtime, developer.id, 'Default project'))), developer }
}
