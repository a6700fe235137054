import { type CliCommand, needed, numberFlag, only } from './command-line.ts'
import { runCommand } from './reach-runtime.ts'
import { pairs, table } from './words.ts'

type Row = Record<string, unknown>

const page = {
  after: { value: '<next>', help: 'start where the page before ended' },
  limit: { value: '<number>', help: 'how many; default 50' },
}

const more = (next: unknown): string => (next === undefined ? '' : `\n\nMore with --after ${next}`)

export const reportCliCommands: CliCommand[] = [
  {
    name: 'report create',
    summary: 'Lets a user report something.',
    flags: {
      user: { value: '<username>', help: 'who reports it' },
      kind: { value: '<kind>', help: 'post, user, message, space, community or list' },
      id: { value: '<id>', help: 'the id of what is reported' },
      reason: {
        value: '<reason>',
        help: 'spam, abuse, hate, violence, self_harm, sensitive, impersonation, privacy, illegal or other',
      },
      comment: { value: '<text>', help: 'what the user writes about it' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'report.create', {
        user: needed(call, 'user'),
        kind: needed(call, 'kind'),
        id: needed(call, 'id'),
        reason: needed(call, 'reason'),
        comment: call.flags.comment,
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'report list',
    summary: 'Lists what users reported, the newest first.',
    flags: {
      state: { value: '<state>', help: 'open or resolved; default both' },
      kind: { value: '<kind>', help: 'post, user, message, space, community or list' },
      user: { value: '<username>', help: 'only reports about this user and what they wrote' },
      reporter: { value: '<username>', help: 'only reports by this user' },
      ...page,
    },
    run: async (call) => {
      const { state, kind, user, reporter, after } = call.flags
      const args = { state, kind, user, reporter, after, limit: numberFlag(call, 'limit') }
      const result = await runCommand(call.settings, 'report.list', args)
      const rows = result.reports as Row[]
      const columns = ['id', 'state', 'kind', 'subject_id', 'owner', 'reason', 'reporter', 'action']
      call.print(result, () => (rows.length === 0 ? 'There are no reports.' : table(rows, columns) + more(result.next)))
    },
  },
  {
    name: 'report resolve',
    summary: 'Resolves a report, with all others about the same thing.',
    positionals: '<report id>',
    flags: {
      action: { value: '<action>', help: 'none, remove_post, suspend_user or mark_sensitive' },
      comment: { value: '<text>', help: 'why' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'report.resolve', {
        report: only(call.positionals, 'report id'),
        action: needed(call, 'action'),
        comment: call.flags.comment,
      })
      call.print(result, () => `${pairs(result.report as Row)}\nresolved  ${result.resolved}`)
    },
  },
]

export const auditCliCommand: CliCommand = {
  name: 'audit',
  summary: 'Lists the commands that changed something, the newest first: who, when, what, and how it ended.',
  flags: {
    name: { value: '<command>', help: 'only this control command, such as user.update' },
    outcome: { value: '<outcome>', help: 'started, done, refused or failed' },
    actor: { value: '<actor>', help: "'admin key', 'console session' or 'command line'" },
    ...page,
  },
  run: async (call) => {
    const { name, outcome, actor, after } = call.flags
    const args = { name, outcome, actor, after, limit: numberFlag(call, 'limit') }
    const result = await runCommand(call.settings, 'audit.list', args)
    const rows = (result.entries as Row[]).map((row) => ({ ...row, arguments: JSON.stringify(row.arguments) }))
    const columns = ['id', 'recorded_at', 'actor', 'name', 'outcome', 'status', 'arguments']
    call.print(result, () => (rows.length === 0 ? 'Nothing was changed.' : table(rows, columns) + more(result.next)))
  },
}
