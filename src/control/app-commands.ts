import type { PermissionLevel, Tier } from '../api-kit/declaring/caller.ts'
import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { change } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { createApp, rotateApp } from '../identity/developers/create-app.ts'
import { deleteOwnApp } from '../identity/developers/own-apps.ts'
import { checkAddresses, updateApp } from '../identity/developers/update-app.ts'
import { isStorableId } from '../process/ids.ts'
import { statement } from '../storage/statement.ts'
import { Level } from './access-commands.ts'
import { defineCommand, findApp, findUser, Name, NameOrId } from './command.ts'
import { paged } from './inspect/page.ts'
import { findProjectOf, shownProject } from './project-commands.ts'

const optional = Type.Optional
const TierWord = words(['free', 'self-serve', 'enterprise', 'partner'])
const Callbacks = Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 10 })
/** What the consent page shows about an app; an empty text removes it. */
const AppWords = {
  description: optional(Type.String({ maxLength: 200 })),
  website_url: optional(Type.String({ maxLength: 500 })),
}

const appList = statement(
  'control_app_list',
  {
    id: 'int8',
    name: 'text',
    owner: 'text',
    tier: 'text',
    permission_level: 'text',
    client_type: 'text',
    sign_in_enabled: 'bool',
    naming: 'text',
    suspended: 'bool',
    api_key: 'text',
    client_id: 'text',
    callback_urls: 'text[]',
    description: 'text',
    website_url: 'text',
    project_id: 'int8',
    project_name: 'text',
    developer_account_id: 'int8',
    developer_account_name: 'text',
  },
  `select a.id, a.name, u.username as owner, a.tier, a.permission_level, a.client_type, a.sign_in_enabled, a.naming, a.suspended, a.api_key,
          a.client_id, a.callback_urls, a.description, a.website_url, p.id as project_id, p.name as project_name,
          d.id as developer_account_id, d.name as developer_account_name
     from client_app a join user_account u on u.id = a.owner_user_id join project p on p.id = a.project_id
     join developer_account d on d.id = p.developer_account_id
    where a.id > $1 and ($3::text is null or a.id::text = $3 or a.api_key = $3 or a.client_id = $3 or position(lower($3) in lower(a.name)) > 0)
    order by a.id limit $2`,
)

export const appCreate = defineCommand(
  'app.create',
  closed({
    name: Name,
    owner: NameOrId,
    project: optional(NameOrId),
    tier: optional(TierWord),
    permission_level: optional(Level),
    client_type: optional(words(['confidential', 'public'])),
    callback_urls: optional(Callbacks),
    ...AppWords,
    sign_in_enabled: optional(Type.Boolean()),
    naming: optional(words(['auto', 'legacy'])),
  }),
  async (runtime, args) => {
    checkAddresses(args)
    const owner = await findUser(runtime, args.owner, 'owner')
    const draft = {
      name: args.name,
      ownerUserId: owner.id,
      tier: (args.tier ?? 'self-serve') as Tier,
      permissionLevel: (args.permission_level ?? 'read-write-messages') as PermissionLevel,
      clientType: args.client_type ?? 'confidential',
      callbackUrls: args.callback_urls ?? [],
      description: args.description,
      websiteUrl: args.website_url,
      signInEnabled: args.sign_in_enabled,
      naming: args.naming,
    }
    const project = await findProjectOf(runtime, args.project)
    const made = await change(runtime, (tx) => createApp(tx, runtime, { ...draft, project }))
    const { ownerUserId: _owner, ...shown } = draft
    return {
      id: made.id,
      owner: owner.username,
      ...snake(shown),
      ...shownProject(made.project),
      ...made.secrets,
    }
  },
)

const snake = (object: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )

export const appListCommand = defineCommand(
  'app.list',
  closed({
    query: optional(Type.String({ minLength: 1, maxLength: 100 })),
    after: optional(Type.String({ maxLength: 19 })),
    limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  }),
  async (runtime, { query, after = '0', limit = 1000 }) => {
    if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the id of an app')
    const { page, next } = paged(
      await appList.all(runtime.database, after, limit + 1, query ?? null),
      limit,
      (row) => row.id,
    )
    return { apps: page, ...(next === undefined ? {} : { next }) }
  },
)

export const appRotate = defineCommand('app.rotate', closed({ app: NameOrId }), async (runtime, args) => {
  const app = await findApp(runtime, args.app)
  const secrets = await change(runtime, (tx, invalidate) => rotateApp(tx, invalidate, runtime, app.id))
  return { id: app.id, name: app.name, ...secrets }
})

export const appDelete = defineCommand('app.delete', closed({ app: NameOrId }), async (runtime, args) => {
  const app = await findApp(runtime, args.app)
  await deleteOwnApp(runtime, app)
  return { id: app.id, name: app.name, deleted: true }
})

export const appUpdateCommand = defineCommand(
  'app.update',
  closed({
    app: NameOrId,
    name: optional(Name),
    tier: optional(TierWord),
    permission_level: optional(Level),
    client_type: optional(words(['confidential', 'public'])),
    sign_in_enabled: optional(Type.Boolean()),
    naming: optional(words(['auto', 'legacy'])),
    suspended: optional(Type.Boolean()),
    callback_urls: optional(Callbacks),
    ...AppWords,
  }),
  async (runtime, args) => {
    checkAddresses(args)
    const app = await findApp(runtime, args.app)
    const { app: _app, ...changes } = args
    await change(runtime, (tx, invalidate) => updateApp(tx, invalidate, app.id, changes))
    return { id: app.id, updated: true }
  },
)
