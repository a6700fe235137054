import { closed, Type } from '../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { createProject, findProject, type Project } from '../identity/developers/projects.ts'
import { isStorableId } from '../process/ids.ts'
import { statement } from '../storage/statement.ts'
import { type Command, defineCommand, findUser, NameOrId } from './command.ts'

const projectList = statement(
  'control_project_list',
  {
    id: 'int8',
    name: 'text',
    developer_account_id: 'int8',
    developer_account_name: 'text',
    owner: 'text',
    apps: 'jsonb',
  },
  `select p.id, p.name, d.id as developer_account_id, d.name as developer_account_name, u.username as owner,
          coalesce((select jsonb_agg(jsonb_build_object('id', a.id::text, 'name', a.name) order by a.id)
                      from client_app a where a.project_id = p.id), '[]') as apps
     from project p join developer_account d on d.id = p.developer_account_id join user_account u on u.id = d.user_id
    order by p.id limit 1000`,
)

/** The project with an id; undefined without an id. */
export async function findProjectOf(runtime: Runtime, id: string | undefined): Promise<Project | undefined> {
  if (id === undefined) return undefined
  const project = isStorableId(id) ? await findProject(runtime.database, id) : undefined
  if (!project) throw blank(404, `There is no project [${id}].`)
  return project
}

/** The project and developer account of an app, as answers show them. */
export const shownProject = ({ id, name, developer }: Project) => ({
  project_id: id,
  project_name: name,
  ...shownDeveloper(developer),
})

const shownDeveloper = (developer: Project['developer']) => ({
  developer_account_id: developer.id,
  developer_account_name: developer.name,
})

const projectCreate = defineCommand(
  'project.create',
  closed({ name: Type.String({ minLength: 1, maxLength: 50 }), owner: NameOrId }),
  async (runtime, args) => {
    const owner = await findUser(runtime, args.owner, 'owner')
    const { id, name, developer } = await change(runtime, (tx) => createProject(tx, runtime, owner.id, args.name))
    return { id, name, ...shownDeveloper(developer), owner: owner.username }
  },
)

const projectListCommand = defineCommand('project.list', closed({}), async (runtime) => ({
  projects: await projectList.all(runtime.database),
}))

export const projectControlCommands: readonly Command[] = [projectCreate, projectListCommand]
