import { type CliCommand, needed, only, yesNo } from './command-line.ts'
import { runCommand } from './reach-house.ts'
import { pairs, table } from './words.ts'

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
