import { type Call, type CliCommand, only, UsageError } from './command-line.ts'
import { loadProduct } from './load-product.ts'
import { callRunning } from './reach-runtime.ts'
import { noServer } from './where.ts'
import { pairs, table } from './words.ts'

interface TriggerType {
  event_type: string
  does: string
  takes: readonly string[]
}

interface Triggered {
  done: string
  first: string[]
  [fact: string]: unknown
}

export const triggerCliCommand: CliCommand = {
  name: 'trigger',
  summary: 'Makes an event happen for real, to test what receives it.',
  positionals: '<event type>',
  flags: {
    user: { value: '<username>', help: 'who acts; default alice' },
    target: { value: '<username>', help: 'on whom; default bob' },
    text: {
      value: '<text>',
      help: 'the text of a post, message or story, or the title of a space; generated when absent',
    },
    post: {
      value: '<post id>',
      help: 'the post to reply to, like, delete and so on; found or created when absent',
    },
    list: { help: 'list the event types' },
  },
  run: async (call) => {
    if (call.flags.list) return list(call)
    const { user, target, text, post } = call.flags
    const event_type = only(call.positionals, 'event type; `rostra trigger --list` has them all')
    const body = { event_type, user, target, text, post_id: post }
    const answer = (await callRunning(call.settings, 'POST', '/_rostra/commands/trigger', body)) as
      | Triggered
      | undefined
    if (!answer) throw await noServer(call.settings)
    call.print(answer, () => inWords(answer))
  },
}

async function list(call: Call): Promise<void> {
  if (call.positionals.length > 0) throw new UsageError('--list does not take an event type.')
  const running = await callRunning(call.settings, 'POST', '/_rostra/commands/trigger.list', {})
  const types = running
    ? (running as { event_types: TriggerType[] }).event_types
    : (await loadProduct(() => import('../control/triggers/trigger.ts'))).triggerTypes()
  const flagOf = (argument: string) => `--${argument.replace('_id', '')}`
  const rows = types.map(({ takes, ...type }) => ({ ...type, takes: takes.map(flagOf).join(' ') }))
  const key = 'U is the user who acts, T the target.'
  call.print({ event_types: types }, () => `${table(rows, ['event_type', 'takes', 'does'])}\n\n${key}`)
}

function inWords({ done, first, ...facts }: Triggered): string {
  const before = first.map((words) => `first: ${words}`)
  return [...before, done, '', pairs(facts)].join('\n')
}
