import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { FieldFaults, refuseFaults, withFieldFaults } from '../accounts/field-faults.ts'
import { type App, appPart } from '../credentials.parts.ts'
import { type AppSecrets, createApp, deleteApp, rotateApp } from './create-app.ts'
import { createProject, findProject } from './projects.ts'
import { checkAddresses, updateApp } from './update-app.ts'

/** How many apps a user can create on the page; operators can create more. */
const MOST_APPS = 20
const MOST_PROJECTS = 10
const MOST_CALLBACKS = 10

const projectsOf = statement(
  'own_projects',
  { id: 'int8', name: 'text' },
  `select p.id, p.name from project p join developer_account d on d.id = p.developer_account_id
    where d.user_id = $1 order by p.id limit $2`,
)
const appsOf = statement(
  'own_apps',
  { id: 'int8', name: 'text', project_id: 'int8', tier: 'text', permission_level: 'text', suspended: 'bool' },
  `select id, name, project_id, tier, permission_level, suspended from client_app where owner_user_id = $1 order by id limit $2`,
)
const countOf = statement(
  'own_apps_count',
  { count: 'int4' },
  'select count(*)::int from client_app where owner_user_id = $1',
)
/** Holds the user, so two apps at the same moment count each other. */
const ownerHold = statement('own_apps_hold', {}, 'select from user_account where id = $1 for no key update')

const MOST_SHOWN = 500

/** The projects and apps of a user. */
export async function readOwnApps({ database }: Runtime, userId: string) {
  const [projects, apps] = await Promise.all([
    projectsOf.all(database, userId, MOST_SHOWN),
    appsOf.all(database, userId, MOST_SHOWN),
  ])
  return { projects, apps }
}

/** An app of a user; undefined when there is none, or when it belongs to somebody else. */
export async function findOwnApp(runtime: Runtime, userId: string, id: string): Promise<App | undefined> {
  const app = isStorableId(id) ? await runtime.parts.one(appPart, id) : undefined
  return app?.owner_user_id === userId ? app : undefined
}

export const noSuchApp = () => blank(404, 'You have no such app.')

/** What a developer says about an app. */
export interface AppWords {
  name: string
  description: string
  website_url: string
  callback_urls: string[]
  permission_level: string
  client_type: string
}

const LEVELS: readonly string[] = ['read', 'read-write', 'read-write-messages']

function checkWords(given: AppWords): void {
  refuseFaults({
    name: given.name === '' || given.name.length > 50 ? 'A name has 1 to 50 characters.' : undefined,
    description: given.description.length > 200 ? 'A description has at most 200 characters.' : undefined,
    website_url: given.website_url.length > 500 ? 'A web address has at most 500 characters.' : undefined,
    callback_urls:
      given.callback_urls.length > MOST_CALLBACKS
        ? `An app has at most ${MOST_CALLBACKS} callbacks.`
        : given.callback_urls.some((url) => url.length > 2_000)
          ? 'A callback has at most 2000 characters.'
          : undefined,
    permission_level: LEVELS.includes(given.permission_level) ? undefined : 'Choose one of the three.',
    client_type: ['confidential', 'public'].includes(given.client_type) ? undefined : 'Choose one of the two.',
  })
  checkAddresses(given)
}

const stored = (given: AppWords) => ({
  permissionLevel: given.permission_level as PermissionLevel,
  clientType: given.client_type as 'confidential' | 'public',
})

/** Creates an app of a user, in one of the user's projects or in a new one. Returns the keys, which are not shown again. */
export const createOwnApp = (
  runtime: Runtime,
  userId: string,
  given: AppWords,
  project: { id: string; newName: string },
): Promise<{ id: string; secrets: AppSecrets }> =>
  withFieldFaults(async () => {
    checkWords(given)
    const own = (await readOwnApps(runtime, userId)).projects
    if (project.id !== '' && project.id !== 'new' && !own.some((item) => item.id === project.id))
      throw invalidParameter('project', project.id, 'Choose one of your projects.')
    if (project.id === 'new' && (project.newName === '' || project.newName.length > 50))
      throw new FieldFaults({ new_project: 'The name of a project has 1 to 50 characters.' })
    return change(runtime, async (tx) => {
      await ownerHold.count(tx, userId)
      if (project.id === 'new' && (await projectsOf.all(tx, userId, MOST_PROJECTS)).length === MOST_PROJECTS)
        throw new FieldFaults({ project: `You have ${MOST_PROJECTS} projects. An operator can create more.` })
      if ((await countOf.first(tx, userId))!.count >= MOST_APPS)
        throw new FieldFaults({ form: `You have ${MOST_APPS} apps. An operator can create more.` })
      const chosen =
        project.id === 'new'
          ? await createProject(tx, runtime, userId, project.newName)
          : project.id === ''
            ? undefined
            : await findProject(tx, project.id)
      return createApp(tx, runtime, {
        name: given.name,
        ownerUserId: userId,
        ...(chosen ? { project: chosen } : {}),
        tier: 'self-serve',
        callbackUrls: given.callback_urls,
        description: given.description,
        websiteUrl: given.website_url,
        ...stored(given),
      })
    })
  })

/** Changes an app of a user. */
export const updateOwnApp = (runtime: Runtime, app: App, given: AppWords): Promise<void> =>
  withFieldFaults(async () => {
    checkWords(given)
    const { permissionLevel: permission_level, clientType: client_type } = stored(given)
    await change(runtime, (tx, invalidate) =>
      updateApp(tx, invalidate, app.id, { ...given, permission_level, client_type }),
    )
  })

/** Replaces all keys of an app; the old ones and all tokens end. */
export async function rotateOwnApp(runtime: Runtime, app: App): Promise<AppSecrets> {
  const secrets = await change(runtime, (tx, invalidate) => rotateApp(tx, invalidate, runtime, app.id))
  // It was deleted meanwhile.
  if (!secrets) throw noSuchApp()
  runtime.bus.wake('credentials')
  return secrets
}

/** Deletes an app of a user. */
export async function deleteOwnApp(runtime: Runtime, app: App): Promise<void> {
  await change(runtime, (tx, invalidate) => deleteApp(tx, invalidate, runtime, app.id))
  runtime.bus.wake('credentials')
}
