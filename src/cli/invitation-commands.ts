import { type CliCommand, numberFlag, only } from './command-line.ts'
import { runCommand } from './reach-runtime.ts'
import { pairs, table } from './words.ts'

export const invitationCliCommands: CliCommand[] = [
  {
    name: 'invitation create',
    summary: 'Creates an invitation to register, and prints its code and address. They are not shown again.',
    flags: {
      uses: { value: '<number>', help: 'how many accounts can be created with it; default 1' },
      expires: { value: '<time>', help: 'how long it is valid, such as 12h or 7d; default: until it is revoked' },
      note: { value: '<text>', help: 'for whom it is; shown in the list' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'invitation.create', {
        uses: numberFlag(call, 'uses'),
        expires_in: call.flags.expires,
        note: call.flags.note,
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'invitation list',
    summary: 'Lists invitations in the order of their creation.',
    flags: {
      after: { value: '<invitation id>', help: 'start after this invitation' },
      limit: { value: '<number>', help: 'how many; default 100' },
    },
    run: async (call) => {
      const limit = numberFlag(call, 'limit')
      const result = await runCommand(call.settings, 'invitation.list', { after: call.flags.after, limit })
      call.print(result, () =>
        table(result.invitations as Record<string, unknown>[], [
          'id',
          'note',
          'uses',
          'most_uses',
          'expires_at',
          'revoked',
          'created_at',
        ]),
      )
    },
  },
  {
    name: 'invitation revoke',
    summary: 'Ends an invitation. Accounts that were created with it stay.',
    positionals: '<invitation id>',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'invitation.revoke', {
        invitation: only(call.positionals, 'invitation id'),
      })
      call.print(result, () => pairs(result))
    },
  },
]
