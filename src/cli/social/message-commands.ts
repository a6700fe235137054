import { type Call, type CliCommand, needed } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

const user = { value: '<username>', help: 'who does it' }
const conversation = { value: '<conversation id>', help: 'the conversation' }
const other = { value: '<username>', help: 'the other user, instead of the conversation' }

async function print(call: Call, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await runCommand(call.settings, `messages.${name}`, { user: needed(call, 'user'), ...args })
  call.print(result, () => pairs(result))
}

const whereOf = (call: Call) => ({ conversation: call.flags.conversation, with: call.flags.with })

/** What people do with messages on pages: the interface has no operation for it. */
export const messageCliCommands: CliCommand[] = [
  {
    name: 'message read',
    summary: 'Marks the messages of a conversation as read, which the other users are told.',
    flags: {
      user,
      conversation,
      with: other,
      event: { value: '<message id>', help: 'up to this message; default: all' },
    },
    run: (call) => print(call, 'read', { ...whereOf(call), event: call.flags.event }),
  },
  {
    name: 'message typing',
    summary: 'Tells the other users of a conversation that a user is typing.',
    flags: { user, conversation, with: other },
    run: (call) => print(call, 'typing', whereOf(call)),
  },
  {
    name: 'message join',
    summary: 'Adds users to a group conversation.',
    flags: {
      user: { value: '<username>', help: 'who invites them, and is in the group' },
      conversation,
      participant: { value: '<username>', help: 'whom to add', multiple: true },
    },
    run: (call) =>
      print(call, 'join', { conversation: needed(call, 'conversation'), participants: call.flags.participant }),
  },
  {
    name: 'message leave',
    summary: 'Takes a user out of a group conversation.',
    flags: { user, conversation },
    run: (call) => print(call, 'leave', { conversation: needed(call, 'conversation') }),
  },
]
