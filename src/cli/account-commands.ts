import { type CliCommand, numberFlag, only, UsageError } from './command-line.ts'
import { runCommand } from './reach-runtime.ts'
import { pairs, table } from './words.ts'

export const accountCliCommands: CliCommand[] = [
  {
    name: 'user apps',
    summary: 'Lists the apps that have access to the account of a user.',
    positionals: '<username>',
    flags: {
      after: { value: '<app id>', help: 'start after this app' },
      limit: { value: '<number>', help: 'how many; default 100' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.apps', {
        user: only(call.positionals, 'username'),
        after: call.flags.after,
        limit: numberFlag(call, 'limit'),
      })
      call.print(result, () =>
        table(result.apps as Record<string, unknown>[], ['id', 'name', 'access_level', 'scopes', 'since']),
      )
    },
  },
  {
    name: 'user sessions',
    summary: 'Lists the browsers in which a user is signed in, or signs the user out of all.',
    positionals: '<username>',
    flags: { end: { help: 'sign the user out everywhere' } },
    run: async (call) => {
      const user = only(call.positionals, 'username')
      const result = await runCommand(call.settings, 'user.sessions', { user, end: call.flags.end })
      call.print(result, () =>
        call.flags.end
          ? pairs(result)
          : table(result.sessions as Record<string, unknown>[], ['id', 'agent', 'created_at', 'last_seen_on']),
      )
    },
  },
  {
    name: 'user delete',
    summary: 'Deletes the account of a user with posts, messages and apps. This cannot be undone.',
    positionals: '<username>',
    flags: { yes: { help: 'really do it' } },
    run: async (call) => {
      const user = only(call.positionals, 'username')
      if (!call.flags.yes) throw new UsageError(`This deletes everything of ${user}. Repeat it with --yes.`)
      const result = await runCommand(call.settings, 'user.delete', { user })
      call.print(result, () => pairs(result))
    },
  },
]
