import { type Call, type CliCommand, numberFlag, only, yesNo } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

type Row = Record<string, unknown>

const page = {
  after: { value: '<next>', help: 'start where the page before ended' },
  limit: { value: '<number>', help: 'how many; default 50' },
}
const search = {
  user: { value: '<username>', help: 'only those of this user' },
  query: { value: '<text>', help: 'only those with this text' },
  ...page,
}

/** The arguments of a list: what its flags say. */
const argsOf = (call: Call, flags: CliCommand['flags']) => ({
  ...Object.fromEntries(Object.keys(flags).map((name) => [name, call.flags[name]])),
  limit: numberFlag(call, 'limit'),
})

/** Rows, and how to read on. */
function rowsOf(rows: Row[], columns: string[], next: unknown): string {
  const lines = rows.length === 0 ? 'There are none.' : table(rows.map(onOneLine), columns)
  return next === undefined ? lines : `${lines}\n\nMore with --after ${next}`
}

const MOST_SHOWN = 80

const onOneLine = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(' ') : String(value ?? '').replace(/\s+/g, ' ')
      return [name, text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text]
    }),
  )

/** A command that prints a list. */
const listing = (name: string, summary: string, list: string, columns: string[], flags: CliCommand['flags']) => ({
  name,
  summary,
  flags,
  print: async (call: Call, command: string) => {
    const result = await runCommand(call.settings, command, argsOf(call, flags))
    call.print(result, () => rowsOf(result[list] as Row[], columns, result.next))
  },
})

/** A listing that calls a control command. */
function listed(command: string, made: ReturnType<typeof listing>): CliCommand {
  const { print, ...rest } = made
  return { ...rest, run: (call) => print(call, command) }
}

const POST_COLUMNS = ['id', 'author', 'text', 'hidden_because']

export const postCliCommands: CliCommand[] = [
  listed(
    'post.list',
    listing('post list', 'Lists posts as an operator sees them, the newest first.', 'posts', POST_COLUMNS, search),
  ),
  {
    name: 'post show',
    summary: 'Shows a post with its versions and its conversation, and why users do not see it.',
    positionals: '<post id>',
    flags: page,
    run: async (call) => {
      const args = { post: only(call.positionals, 'post id'), ...argsOf(call, page) }
      const result = await runCommand(call.settings, 'post.show', args)
      call.print(result, () =>
        [pairs(result.post as Row), '', rowsOf(result.thread as Row[], POST_COLUMNS, result.next)].join('\n'),
      )
    },
  },
  {
    name: 'post remove',
    summary: 'Removes a post of any user, as if its author had deleted it.',
    positionals: '<post id>',
    flags: { reason: { value: '<text>', help: 'why, for the audit log' } },
    run: async (call) => {
      const args = { post: only(call.positionals, 'post id'), reason: call.flags.reason }
      const result = await runCommand(call.settings, 'post.remove', args)
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'post sensitive',
    summary: 'Marks a post as sensitive, or removes the mark.',
    positionals: '<post id>',
    flags: {
      sensitive: { value: 'yes|no', help: 'default yes' },
      reason: { value: '<text>', help: 'why, for the audit log' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'post.sensitive', {
        post: only(call.positionals, 'post id'),
        sensitive: yesNo(call.flags.sensitive, 'sensitive'),
        reason: call.flags.reason,
      })
      call.print(result, () => pairs(result))
    },
  },
]

const LIST_COLUMNS = ['id', 'owner', 'name', 'private', 'member_count', 'follower_count']

export const listCliCommands: CliCommand[] = [
  listed(
    'lists.list',
    listing('lists list', 'Lists the lists of users, also private ones.', 'lists', LIST_COLUMNS, search),
  ),
  {
    name: 'lists show',
    summary: 'Shows a list and its members.',
    positionals: '<list id>',
    flags: page,
    run: async (call) => {
      const args = { list: only(call.positionals, 'list id'), ...argsOf(call, page) }
      const result = await runCommand(call.settings, 'lists.show', args)
      call.print(result, () =>
        [pairs(result.list as Row), '', rowsOf(result.members as Row[], ['id', 'username', 'name'], result.next)].join(
          '\n',
        ),
      )
    },
  },
]

export const spaceListCliCommand: CliCommand = listed(
  'spaces.list',
  listing(
    'space list',
    'Lists spaces, the newest first.',
    'spaces',
    ['id', 'creator', 'state', 'title', 'participant_count'],
    { ...search, state: { value: '<state>', help: 'scheduled, live, ended or cancelled' } },
  ),
)

export const communityListCliCommand: CliCommand = listed(
  'communities.list',
  listing(
    'community list',
    'Lists communities, the newest first.',
    'communities',
    ['id', 'name', 'access', 'join_policy', 'member_count'],
    search,
  ),
)

const { query: _query, ...ofUser } = search

export const messageInspectionCliCommands: CliCommand[] = [
  listed(
    'messages.conversations',
    listing(
      'message conversations',
      'Lists the conversations of users.',
      'conversations',
      ['id', 'participants', 'last_text', 'last_at'],
      ofUser,
    ),
  ),
  {
    name: 'message list',
    summary: 'Lists the messages of a conversation, the newest first.',
    positionals: '<conversation id>',
    flags: page,
    run: async (call) => {
      const args = { conversation: only(call.positionals, 'conversation id'), ...argsOf(call, page) }
      const result = await runCommand(call.settings, 'messages.list', args)
      call.print(result, () => rowsOf(result.messages as Row[], ['id', 'created_at', 'sender', 'text'], result.next))
    },
  },
]

export const chatInspectionCliCommands: CliCommand[] = [
  listed(
    'chat.conversations',
    listing(
      'chat conversations',
      'Lists the encrypted conversations of users.',
      'conversations',
      ['id', 'type', 'name', 'members', 'updated_at'],
      ofUser,
    ),
  ),
  {
    name: 'chat list',
    summary:
      'Lists the envelopes of an encrypted conversation, the newest first. Nobody but its members can open them.',
    positionals: '<conversation id>',
    flags: page,
    run: async (call) => {
      const args = { conversation: only(call.positionals, 'conversation id'), ...argsOf(call, page) }
      const result = await runCommand(call.settings, 'chat.list', args)
      const columns = ['sequence', 'created_at', 'sender', 'kind', 'bytes']
      call.print(result, () => rowsOf(result.envelopes as Row[], columns, result.next))
    },
  },
]
