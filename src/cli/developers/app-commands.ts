import { type CliCommand, needed, only, UsageError, yesNo } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

export const appCommands: CliCommand[] = [
  {
    name: 'app create',
    summary: 'Creates an app and prints its keys. Secrets are shown only once.',
    flags: {
      name: { value: '<name>', help: 'name of the app' },
      owner: { value: '<username>', help: 'user who owns it' },
      project: { value: '<project id>', help: 'project it belongs to; default the first of its owner' },
      tier: { value: '<tier>', help: 'free, self-serve (default), enterprise or partner' },
      permissions: { value: '<level>', help: 'read, read-write or read-write-messages (default)' },
      type: { value: '<type>', help: 'confidential (default) or public' },
      callback: { value: '<url>', help: 'callback address', multiple: true },
      description: { value: '<text>', help: 'what users read about it when it asks for access' },
      website: { value: '<url>', help: 'its web address, shown there too' },
      'sign-in': { value: 'yes|no', help: 'no: oauth/authenticate asks each time, like oauth/authorize; default yes' },
      naming: { value: 'auto|legacy', help: 'legacy: always answer in the legacy naming' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'app.create', {
        name: needed(call, 'name'),
        owner: needed(call, 'owner'),
        project: call.flags.project,
        tier: call.flags.tier,
        permission_level: call.flags.permissions,
        client_type: call.flags.type,
        callback_urls: call.flags.callback,
        description: call.flags.description,
        website_url: call.flags.website,
        sign_in_enabled: yesNo(call.flags['sign-in'], 'sign-in'),
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
          'project_id',
          'project_name',
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
    name: 'app delete',
    summary: 'Deletes an app with its tokens, rules, subscriptions and webhooks. This cannot be undone.',
    positionals: '<app id>',
    flags: { yes: { help: 'really do it' } },
    run: async (call) => {
      const app = only(call.positionals, 'app id')
      if (!call.flags.yes)
        throw new UsageError(`This deletes the app ${app} with everything it has. Repeat it with --yes.`)
      const result = await runCommand(call.settings, 'app.delete', { app })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'app update',
    summary: 'Changes an app.',
    positionals: '<app id>',
    flags: {
      name: { value: '<name>', help: 'new name' },
      tier: { value: '<tier>', help: 'free, self-serve, enterprise or partner' },
      permissions: { value: '<level>', help: 'read, read-write or read-write-messages' },
      type: { value: '<type>', help: 'confidential or public' },
      callback: { value: '<url>', help: 'callback address; the ones given replace all', multiple: true },
      description: { value: '<text>', help: 'what users read about it when it asks for access; empty for none' },
      website: { value: '<url>', help: 'its web address; empty for none' },
      'sign-in': { value: 'yes|no', help: 'no: oauth/authenticate asks each time, like oauth/authorize' },
      naming: { value: 'auto|legacy', help: 'which naming its answers have' },
      suspended: { value: 'yes|no', help: 'refuse everything the app sends' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'app.update', {
        app: only(call.positionals, 'app id'),
        name: call.flags.name,
        tier: call.flags.tier,
        permission_level: call.flags.permissions,
        client_type: call.flags.type,
        callback_urls: call.flags.callback,
        description: call.flags.description,
        website_url: call.flags.website,
        sign_in_enabled: yesNo(call.flags['sign-in'], 'sign-in'),
        naming: call.flags.naming,
        suspended: yesNo(call.flags.suspended, 'suspended'),
      })
      call.print(result, () => pairs(result))
    },
  },
]
