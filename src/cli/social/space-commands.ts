import { type Call, type CliCommand, needed, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

const SPACE = '<space id>'
const who = { user: { value: '<username>', help: 'who does it' } }

const list = (value: unknown): string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined)

async function print(call: Call, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await runCommand(call.settings, `spaces.${name}`, args)
  call.print(result, () => pairs(result))
}

/** A command about one space. */
const ofSpace = (name: string, summary: string): CliCommand => ({
  name: `space ${name}`,
  summary,
  positionals: SPACE,
  flags: {},
  run: (call) => print(call, name, { space: only(call.positionals, 'space id') }),
})

/** A command for what a user does in a space. */
const ofUser = (name: string, summary: string): CliCommand => ({
  name: `space ${name}`,
  summary,
  positionals: SPACE,
  flags: who,
  run: (call) => print(call, name, { space: only(call.positionals, 'space id'), user: needed(call, 'user') }),
})

const about = {
  title: { value: '<text>', help: 'the title, 70 characters at most' },
  at: { value: '<time>', help: 'when it is scheduled to start, such as +2d or 2026-05-01T18:00:00Z' },
  topic: { value: '<name or id>', help: 'a topic', multiple: true },
}

export const spaceCliCommands: CliCommand[] = [
  {
    name: 'space create',
    summary: 'Creates a space, which is live at once unless it is scheduled.',
    flags: {
      user: { value: '<username>', help: 'its creator and first host' },
      ...about,
      host: { value: '<username>', help: 'another host', multiple: true },
      invite: { value: '<username>', help: 'a user who is invited to speak', multiple: true },
      lang: { value: '<code>', help: 'its language; found in the title when absent' },
      ticketed: { help: 'listeners need a ticket' },
    },
    run: (call) =>
      print(call, 'create', {
        user: needed(call, 'user'),
        title: call.flags.title,
        scheduled_start: call.flags.at,
        lang: call.flags.lang,
        ticketed: call.flags.ticketed,
        hosts: list(call.flags.host),
        invited: list(call.flags.invite),
        topics: list(call.flags.topic),
      }),
  },
  {
    name: 'space update',
    summary: 'Changes a space that has not ended.',
    positionals: SPACE,
    flags: about,
    run: (call) =>
      print(call, 'update', {
        space: only(call.positionals, 'space id'),
        title: call.flags.title,
        scheduled_start: call.flags.at,
        topics: list(call.flags.topic),
      }),
  },
  ofSpace('start', 'Starts a scheduled space.'),
  ofSpace('end', 'Ends a live space.'),
  ofSpace('cancel', 'Cancels a scheduled space, which is then gone.'),
  ofUser('join', 'Lets a user come into a live space.'),
  ofUser('leave', 'Lets a user leave a live space.'),
  ofUser('invite', 'Invites a user to speak.'),
  ofUser('speak', 'Lets a user who is in the space speak.'),
  ofUser('listen', 'Lets a speaker only listen again.'),
  ofUser('subscribe', 'Sets a reminder of a space for a user.'),
  ofUser('unsubscribe', 'Removes the reminder of a user.'),
  ofUser('buy', 'Buys a user a ticket.'),
  {
    name: 'space share',
    summary: 'Shares a post in a live space.',
    positionals: SPACE,
    flags: { ...who, post: { value: '<post id>', help: 'the post to share' } },
    run: (call) =>
      print(call, 'share', {
        space: only(call.positionals, 'space id'),
        user: needed(call, 'user'),
        post: needed(call, 'post'),
      }),
  },
]
