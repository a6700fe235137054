import { type Call, type CliCommand, needed, numberFlag, only, UsageError } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

async function print(call: Call, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await runCommand(call.settings, name, args)
  call.print(result, () => pairs(result))
}

const PAIR = '<source> <target>'

/** Two users: who does it, and to whom. */
function pairOf(call: Call): { source: string; target: string } {
  const [source, target, ...others] = call.positionals
  if (!source || !target || others.length > 0) throw new UsageError('Name two users: the source and the target.')
  return { source, target }
}

const relation = (name: string, summary: string): CliCommand => ({
  name: `relation ${name}`,
  summary,
  positionals: PAIR,
  flags: { kind: { value: 'follow|block|mute', help: 'default follow' } },
  run: (call) => print(call, `relation.${name}`, { kind: call.flags.kind ?? 'follow', ...pairOf(call) }),
})

const request = (name: string, summary: string): CliCommand => ({
  name: `follow ${name}`,
  summary,
  positionals: PAIR,
  flags: {},
  run: (call) => print(call, `follow.${name}`, pairOf(call)),
})

const user = { value: '<username>', help: 'whose it is' }

/** What users do about each other. */
export const relationCliCommands: CliCommand[] = [
  relation('add', 'Lets a user follow, block or mute another one. A follow needs no approval.'),
  relation('remove', 'Ends a follow, block or mute.'),
]

export const followCliCommands: CliCommand[] = [
  request('approve', 'Approves the request of the source to follow the protected target.'),
  request('refuse', 'Refuses the request of the source to follow the protected target.'),
]

export const bookmarkCliCommands: CliCommand[] = [
  {
    name: 'bookmark folder',
    summary: 'Creates a bookmark folder.',
    flags: { user, name: { value: '<text>', help: 'its name' } },
    run: (call) => print(call, 'bookmark.folder', { user: needed(call, 'user'), name: needed(call, 'name') }),
  },
  {
    name: 'bookmark file',
    summary: 'Moves a bookmark into a folder, or without a folder out of it.',
    positionals: '<post id>',
    flags: { user, folder: { value: '<folder id>', help: 'the folder' } },
    run: (call) =>
      print(call, 'bookmark.file', {
        user: needed(call, 'user'),
        post: only(call.positionals, 'post id'),
        folder: call.flags.folder,
      }),
  },
]

export const pollCliCommand: CliCommand = {
  name: 'poll vote',
  summary: 'Lets a user vote in the poll of a post.',
  positionals: '<post id>',
  flags: { user, option: { value: '<number>', help: 'the option, counted from 1' } },
  run: (call) => {
    needed(call, 'option')
    return print(call, 'poll.vote', {
      user: needed(call, 'user'),
      post: only(call.positionals, 'post id'),
      option: numberFlag(call, 'option', 1, 4),
    })
  },
}

export const chatCliCommands: CliCommand[] = [
  {
    name: 'chat member remove',
    summary: 'Takes a member out of an encrypted group, which then needs a new key.',
    positionals: '<conversation id>',
    flags: { user: { value: '<username>', help: 'the member' } },
    run: (call) =>
      print(call, 'chat.member.remove', {
        conversation_id: only(call.positionals, 'conversation id'),
        user: needed(call, 'user'),
      }),
  },
]
