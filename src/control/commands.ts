import type { PermissionLevel, Tier } from '../api-kit/declaring/caller.ts'
import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { change } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { createApp, rotateApp } from '../identity/developers/create-app.ts'
import { webUrl } from '../identity/pages/urls.ts'
import { callbackFault } from '../identity/sign-in/callback.ts'
import { hashPassword } from '../identity/sign-in/password.ts'
import { isStorableId } from '../process/ids.ts'
import { randomText } from '../process/secret-box.ts'
import { createUser } from '../social/users/create-user.ts'
import { updateUser } from '../social/users/update-user.ts'
import { writeFact } from '../storage/instance-facts.ts'
import { statement } from '../storage/statement.ts'
import { Level, userRevoke, userToken } from './access-commands.ts'
import { adsCommands } from './ads-commands.ts'
import { type Command, defineCommand, findApp, findUser, Who } from './command.ts'
import { deliveryRepeatCommand } from './deliveries.ts'
import { bookmarkFile, bookmarkFolderCreate, userPin } from './post-commands.ts'
import { findProjectOf, projectCommands, shownProject } from './project-commands.ts'
import { followApproveCommand, followRefuseCommand, relationAdd, relationRemove } from './relations.ts'
import { triggerCommand } from './trigger.ts'

const optional = Type.Optional
const Name = Type.String({ minLength: 1, maxLength: 50 })
const Username = Type.String({ pattern: '^[A-Za-z0-9_]{1,15}$' })
const TierWord = words(['free', 'self-serve', 'enterprise', 'partner'])
const Callbacks = Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 10 })
/** What people read of an app when it asks them for access; an empty text takes it away. */
const AppWords = {
  description: optional(Type.String({ maxLength: 200 })),
  website_url: optional(Type.String({ maxLength: 500 })),
}
/** Empty takes the address away. */
const Email = Type.String({ pattern: '^([^\\s@]+@[^\\s@]+)?$', maxLength: 200 })

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
     join developer_account d on d.id = p.developer_account_id order by a.id limit 1000`,
)
const appUpdate = statement(
  'control_app_update',
  {},
  `update client_app set name = coalesce($2, name), tier = coalesce($3, tier), permission_level = coalesce($4, permission_level),
     client_type = coalesce($5, client_type), sign_in_enabled = coalesce($6, sign_in_enabled), naming = coalesce($7, naming),
     suspended = coalesce($8, suspended), callback_urls = coalesce($9, callback_urls), description = coalesce($10, description),
     website_url = coalesce($11, website_url) where id = $1`,
)
const userList = statement(
  'control_user_list',
  {
    id: 'int8',
    username: 'text',
    name: 'text',
    protected: 'bool',
    suspended: 'bool',
    verified_type: 'text',
    subscription_type: 'text',
    post_count: 'int4',
  },
  `select u.id, u.username, u.name, u.protected, u.suspended, u.verified_type, u.subscription_type, coalesce(m.post_count, 0) as post_count
     from user_account u left join user_metrics m on m.user_id = u.id where u.id > $1 order by u.id limit $2`,
)
const sessionsEnd = statement('control_sessions_end', {}, 'delete from web_session where user_id = $1')
const passwordSet = statement(
  'control_password_set',
  {},
  `insert into user_sign_in (user_id, password_hash, password_changed) values ($1, $2, true)
   on conflict (user_id) do update set password_hash = excluded.password_hash, password_changed = true`,
)

function checkAddresses(args: { callback_urls?: string[]; website_url?: string }): void {
  for (const url of args.callback_urls ?? []) {
    const fault = callbackFault(url)
    if (fault) throw invalidParameter('callback_urls', url, fault)
  }
  const website = args.website_url
  if (website && (!/^https?:\/\//i.test(website) || webUrl(website) === null))
    throw invalidParameter('website_url', website, 'website_url must be an http or https address')
}

export const appCreate = defineCommand(
  'app.create',
  closed({
    name: Name,
    owner: Who,
    project: optional(Who),
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

export const appListCommand = defineCommand('app.list', closed({}), async (runtime) => ({
  apps: await appList.all(runtime.database),
}))

export const appRotate = defineCommand('app.rotate', closed({ app: Who }), async (runtime, args) => {
  const app = await findApp(runtime, args.app)
  const secrets = await change(runtime, (tx, invalidate) => rotateApp(tx, invalidate, runtime, app.id))
  return { id: app.id, name: app.name, ...secrets }
})

export const appUpdateCommand = defineCommand(
  'app.update',
  closed({
    app: Who,
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
    await change(runtime, async (tx, invalidate) => {
      invalidate('app', app.id)
      await appUpdate.count(
        tx,
        app.id,
        args.name ?? null,
        args.tier ?? null,
        args.permission_level ?? null,
        args.client_type ?? null,
        args.sign_in_enabled ?? null,
        args.naming ?? null,
        args.suspended ?? null,
        args.callback_urls ?? null,
        args.description ?? null,
        args.website_url ?? null,
      )
    })
    return { id: app.id, updated: true }
  },
)

export const userCreate = defineCommand(
  'user.create',
  closed({
    username: Username,
    name: optional(Name),
    password: optional(Type.String({ minLength: 8, maxLength: 500 })),
    email: optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 200 })),
    description: optional(Type.String({ maxLength: 160 })),
    location: optional(Type.String({ maxLength: 150 })),
    url: optional(Type.String({ maxLength: 200 })),
    protected: optional(Type.Boolean()),
    verified_type: optional(words(['none', 'blue', 'business', 'government'])),
    subscription_type: optional(words(['None', 'Basic', 'Premium', 'PremiumPlus'])),
  }),
  async (runtime, args) => {
    const password = args.password ?? randomText(16)
    const draft = { ...args, name: args.name ?? args.username, password }
    const id = await change(runtime, (tx, invalidate) => createUser(tx, invalidate, runtime, draft))
    if (id === undefined) throw invalidParameter('username', args.username, `The username ${args.username} is taken.`)
    return { id, username: args.username, name: draft.name, password }
  },
)

export const userListCommand = defineCommand(
  'user.list',
  closed({
    after: optional(Type.String()),
    limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  }),
  async (runtime, { after = '0', limit = 100 }) => {
    if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the id of a user')
    return { users: await userList.all(runtime.database, after, limit) }
  },
)

/** Empty takes the picture away. */
const Picture = Type.String({ pattern: '^(https?://\\S+)?$', maxLength: 500 })
const WebAddress = Type.String({ pattern: '^https?://\\S+$', maxLength: 500 })
const AffiliationArgs = closed({
  user_id: Type.Array(Who, { minItems: 1, maxItems: 10 }),
  badge_url: optional(WebAddress),
  description: optional(Type.String({ minLength: 1, maxLength: 160 })),
  url: optional(WebAddress),
})

export const userUpdateCommand = defineCommand(
  'user.update',
  closed({
    user: Who,
    username: optional(Username),
    name: optional(Name),
    description: optional(Type.String({ maxLength: 160 })),
    location: optional(Type.String({ maxLength: 150 })),
    url: optional(Type.String({ maxLength: 200 })),
    profile_image_url: optional(Picture),
    profile_banner_url: optional(Picture),
    protected: optional(Type.Boolean()),
    suspended: optional(Type.Boolean()),
    verified_type: optional(words(['none', 'blue', 'business', 'government'])),
    affiliation: optional(Type.Union([AffiliationArgs, Type.Null()])),
    subscription_type: optional(words(['None', 'Basic', 'Premium', 'PremiumPlus'])),
    geo_enabled: optional(Type.Boolean()),
    email: optional(Email),
    password: optional(Type.String({ minLength: 8, maxLength: 500 })),
  }),
  async (runtime, args) => {
    const { user: who, password, affiliation, ...changes } = args
    const user = await findUser(runtime, who, 'user')
    const organisations = await Promise.all(
      (affiliation?.user_id ?? []).map((name) => findUser(runtime, name, 'affiliation.user_id')),
    )
    const belongsTo = affiliation ? { ...affiliation, user_id: organisations.map((item) => item.id) } : affiliation
    const hash = password === undefined ? undefined : await hashPassword(password)
    return change(runtime, async (tx, invalidate) => {
      const { username } = await updateUser(tx, invalidate, runtime, user.id, { ...changes, affiliation: belongsTo })
      if (hash !== undefined) {
        await passwordSet.count(tx, user.id, hash)
        // Whoever signed in with the old password signs in again.
        await sessionsEnd.count(tx, user.id)
      }
      return { id: user.id, username, updated: true }
    })
  },
)

export const clockCommand = defineCommand(
  'clock',
  closed({
    advance_ms: optional(Type.Integer({ minimum: 0, maximum: 10 * 365 * 24 * 3600_000 })),
    reset: optional(Type.Boolean()),
  }),
  async (runtime, args) => {
    if (args.advance_ms !== undefined || args.reset) {
      const offset = args.reset ? (args.advance_ms ?? 0) : runtime.clock.offsetMs() + (args.advance_ms ?? 0)
      await writeFact(runtime.database, 'clock_offset_ms', String(offset))
      runtime.clock.setOffset(offset)
      await runtime.bus.tellAll('clock', offset)
    }
    return { now: new Date(runtime.clock.now()).toISOString(), offset_ms: runtime.clock.offsetMs() }
  },
)

export const cacheInvalidate = defineCommand('cache.forget', closed({}), async (runtime) => {
  runtime.parts.invalidateAll()
  await runtime.bus.tellAll('invalidate-all', null)
  return { forgotten: true }
})

export const limitsClear = defineCommand('limits.clear', closed({}), async (runtime) => {
  await runtime.limiter.clear()
  return { cleared: true }
})

export const commands: readonly Command[] = [
  ...projectCommands,
  appCreate,
  appListCommand,
  appRotate,
  appUpdateCommand,
  userCreate,
  userListCommand,
  userUpdateCommand,
  userToken,
  userRevoke,
  relationAdd,
  relationRemove,
  followApproveCommand,
  followRefuseCommand,
  userPin,
  bookmarkFolderCreate,
  bookmarkFile,
  deliveryRepeatCommand,
  triggerCommand,
  clockCommand,
  limitsClear,
  cacheInvalidate,
  ...adsCommands,
]
