import { type CliCommand, needed, UsageError } from './command-line.ts'
import { runCommand } from './reach-house.ts'
import { pairs, table } from './words.ts'

const only = (positionals: string[], what: string): string => {
  if (positionals.length !== 1) throw new UsageError(`Name one ${what}.`)
  return positionals[0]!
}

export const appCommands: CliCommand[] = [
  {
    name: 'app create',
    summary: 'Makes an app and prints its keys. Secrets are shown once.',
    flags: {
      name: { value: '<name>', help: 'name of the app' },
      owner: { value: '<username>', help: 'user who owns it' },
      tier: { value: '<tier>', help: 'free, self-serve (default), enterprise or partner' },
      permissions: { value: '<level>', help: 'read, read-write or read-write-messages (default)' },
      type: { value: '<type>', help: 'confidential (default) or public' },
      callback: { value: '<url>', help: 'callback address', multiple: true },
      naming: { value: 'auto|legacy', help: 'legacy: always answer in the legacy naming' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'app.create', {
        name: needed(call, 'name'),
        owner: needed(call, 'owner'),
        tier: call.flags.tier,
        permission_level: call.flags.permissions,
        client_type: call.flags.type,
        callback_urls: call.flags.callback,
        naming: call.flags.naming,
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'app list',
    summary: 'Lists the apps.',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'app.list', {})
      call.print(result, () =>
        table(result.apps as Record<string, unknown>[], [
          'id',
          'name',
          'owner',
          'tier',
          'permission_level',
          'client_type',
          'suspended',
        ]),
      )
    },
  },
  {
    name: 'app rotate',
    summary: 'Replaces every key and secret of an app. Its old tokens stop working at once.',
    positionals: '<app id>',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'app.rotate', { app: only(call.positionals, 'app id') })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'app update',
    summary: 'Changes an app.',
    positionals: '<app id>',
    flags: {
      tier: { value: '<tier>', help: 'free, self-serve, enterprise or partner' },
      permissions: { value: '<level>', help: 'read, read-write or read-write-messages' },
      type: { value: '<type>', help: 'confidential or public' },
      callback: { value: '<url>', help: 'callback address; the ones given replace all', multiple: true },
      naming: { value: 'auto|legacy', help: 'which naming its answers have' },
      suspended: { value: 'yes|no', help: 'refuse everything the app sends' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'app.update', {
        app: only(call.positionals, 'app id'),
        tier: call.flags.tier,
        permission_level: call.flags.permissions,
        client_type: call.flags.type,
        callback_urls: call.flags.callback,
        naming: call.flags.naming,
        suspended: yesNo(call.flags.suspended, 'suspended'),
      })
      call.print(result, () => pairs(result))
    },
  },
]

/** Reads a yes or no. */
export function yesNo(value: unknown, flag: string): boolean | undefined {
  if (value === undefined) return undefined
  if (value === 'yes' || value === 'no') return value === 'yes'
  throw new UsageError(`--${flag} must be yes or no.`)
}

export const userCommands: CliCommand[] = [
  {
    name: 'user create',
    summary: 'Makes a user and prints the password.',
    flags: {
      username: { value: '<name>', help: 'letters, digits and _, 15 at most' },
      name: { value: '<text>', help: 'display name' },
      password: { value: '<text>', help: 'password; one is made when absent' },
      email: { value: '<address>', help: 'confirmed address' },
      protected: { help: 'a protected account' },
      verified: { value: '<type>', help: 'none, blue, business or government' },
      subscription: { value: '<type>', help: 'None, Basic, Premium or PremiumPlus' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'user.create', {
        username: needed(call, 'username'),
        name: call.flags.name,
        password: call.flags.password,
        email: call.flags.email,
        protected: call.flags.protected,
        verified_type: call.flags.verified,
        subscription_type: call.flags.subscription,
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'user list',
    summary: 'Lists users in the order they were made.',
    flags: {
      after: { value: '<user id>', help: 'begin behind this user' },
      limit: { value: '<number>', help: 'how many; default 100' },
    },
    run: async (call) => {
      const limit = call.flags.limit === undefined ? undefined : Number(call.flags.limit)
      const result = await runCommand(call.settings, 'user.list', { after: call.flags.after, limit })
      call.print(result, () =>
        table(result.users as Record<string, unknown>[], [
          'id',
          'username',
          'name',
          'protected',
          'subscription_type',
          'post_count',
        ]),
      )
    },
  },
  {
    name: 'user token',
    summary: 'Gives a user an OAuth 1.0a access token for an app: the one there is, or a new one.',
    positionals: '<username>',
    flags: {
      app: { value: '<app id>', help: 'the app the token is for' },
      level: { value: '<level>', help: 'read, read-write or read-write-messages; default what the app has' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.token', {
        user: only(call.positionals, 'username'),
        app: needed(call, 'app'),
        access_level: call.flags.level,
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'user update',
    summary: 'Changes a user.',
    positionals: '<username>',
    flags: {
      name: { value: '<text>', help: 'display name' },
      password: { value: '<text>', help: 'new password' },
      protected: { value: 'yes|no', help: 'protect the account' },
      suspended: { value: 'yes|no', help: 'suspend the account' },
      verified: { value: '<type>', help: 'none, blue, business or government' },
      subscription: { value: '<type>', help: 'None, Basic, Premium or PremiumPlus' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.update', {
        user: only(call.positionals, 'username'),
        name: call.flags.name,
        password: call.flags.password,
        protected: yesNo(call.flags.protected, 'protected'),
        suspended: yesNo(call.flags.suspended, 'suspended'),
        verified_type: call.flags.verified,
        subscription_type: call.flags.subscription,
      })
      call.print(result, () => pairs(result))
    },
  },
]
