import { FAILURE_NAMES } from '../api-kit/faults/failure.ts'
import { type CliCommand, numberFlag, only, UsageError } from './command-line.ts'
import { readSize, readTime } from './quantity.ts'
import { runCommand } from './reach-runtime.ts'
import { counted, pairs, table } from './words.ts'

type Shown = Record<string, unknown>

const EFFECTS = ['status', 'named', 'delay_ms', 'drop_after_bytes', 'stall_ms', 'malformed', 'kind'] as const

/** A fault as a line of the table. */
function row(fault: Shown): Shown {
  const effect = EFFECTS.find((name) => fault[name] !== undefined)!
  const who = ['app', 'user', 'webhook_id'].flatMap((name) => (fault[name] ? [`${name} ${fault[name]}`] : []))
  return {
    id: fault.id,
    match: fault.match ?? 'deliveries',
    effect: fault[effect] === true ? effect : `${effect} ${fault[effect]}`,
    rate: fault.rate,
    used: fault.times === undefined ? fault.used : `${fault.used} of ${fault.times}`,
    for: who.join(', '),
  }
}

export const faultCliCommands: CliCommand[] = [
  {
    name: 'fault add',
    summary: 'Makes requests fail on purpose.',
    flags: {
      match: {
        value: '<method path>',
        help: "which requests, such as 'POST /2/posts', '/2/users/{id}' or '* /2/users/*'",
      },
      app: { value: '<name or id>', help: 'only requests of this app' },
      user: { value: '<username>', help: 'only requests of this user' },
      times: { value: '<number>', help: 'how many requests; default all until it is cleared' },
      rate: { value: '<share>', help: 'the share of the requests that fail, such as 0.1' },
      seed: { value: '<text>', help: 'with --rate: the same seed chooses the same requests' },
      status: { value: '<status>', help: '400 to 599, with the body that the platform has for it' },
      named: { value: '<name>', help: `a refusal of the platform: ${FAILURE_NAMES.join(', ')}` },
      delay: { value: '<time>', help: 'answer later, such as 2s; the request is executed' },
      'drop-after': { value: '<size>', help: 'cut the connection after so much of an answer, such as 1kb' },
      stall: { value: '<time>', help: 'send nothing for that time, such as 25s, then cut the connection' },
      malformed: { help: 'answer 200 with text that is not JSON' },
    },
    run: async (call) => {
      const { match, app, user, seed, named, malformed, rate } = call.flags
      if (typeof match !== 'string') throw new UsageError("--match is missing, such as --match 'POST /2/posts'.")
      const made = await runCommand(call.settings, 'fault.add', {
        match,
        app,
        user,
        times: numberFlag(call, 'times', 1),
        rate: readShare(rate),
        seed,
        status: numberFlag(call, 'status'),
        named,
        delay_ms: readTime(call.flags.delay, 'delay'),
        drop_after_bytes: readSize(call.flags['drop-after'], 'drop-after'),
        stall_ms: readTime(call.flags.stall, 'stall'),
        malformed,
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'fault list',
    summary: 'Lists the faults, and how often each happened.',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'fault.list', {})
      const rows = (result.faults as Shown[]).map(row)
      call.print(result, () =>
        rows.length === 0 ? 'There are no faults.' : table(rows, ['id', 'match', 'effect', 'rate', 'used', 'for']),
      )
    },
  },
  {
    name: 'fault clear',
    summary: 'Removes a fault, or all of them.',
    positionals: '[fault id]',
    flags: {},
    run: async (call) => {
      const id = call.positionals.length === 0 ? undefined : only(call.positionals, 'fault id')
      const result = await runCommand(call.settings, 'fault.clear', { id })
      call.print(result, () => `Removed ${counted(Number(result.cleared), 'fault')}.`)
    },
  },
]

function readShare(given: unknown): number | undefined {
  if (given === undefined) return undefined
  const share = Number(given)
  if (Number.isFinite(share) && share > 0 && share <= 1) return share
  throw new UsageError(`--rate is ${JSON.stringify(given)}, but must be above 0 and at most 1, such as 0.1.`)
}
