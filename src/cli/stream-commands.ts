import { type Call, type CliCommand, UsageError } from './command-line.ts'
import { callRunning } from './reach-runtime.ts'
import { noServer } from './where.ts'
import { counted, table } from './words.ts'

const WHICH = {
  endpoint: { value: '<name>', help: 'only these streams, such as filtered_stream' },
  app: { value: '<name or id>', help: 'only streams of this app' },
}

async function act(call: Call, action: string): Promise<void> {
  const { type, endpoint, app } = call.flags
  const args = { action, disconnect_type: type, endpoint, app }
  const result = await callRunning(call.settings, 'POST', '/_rostra/commands/stream.fault', args)
  if (result === undefined) throw await noServer(call.settings)
  const count = (result as { streams: number }).streams
  call.print(result, () => `${DONE[action]} ${counted(count, 'stream')}.`)
}

const DONE: Record<string, string> = {
  drop: 'Dropped',
  stall: 'Stalled',
  resume: 'Resumed',
  disconnect: 'Disconnected',
}

const ask = async (call: Call, name: string): Promise<unknown> => {
  const answer = await callRunning(call.settings, 'POST', `/_rostra/commands/${name}`, { app: call.flags.app })
  if (answer === undefined) throw await noServer(call.settings)
  return answer
}

interface Listed {
  sent: Record<string, unknown> | null
}

export const streamCliCommands: CliCommand[] = [
  {
    name: 'stream list',
    summary: 'Lists the open streams with what was sent and what waits.',
    flags: { app: WHICH.app },
    run: async (call) => {
      const answer = await ask(call, 'streams.list')
      const rows = (answer as { streams: Listed[] }).streams.map(({ sent, ...facts }) => ({ ...facts, ...sent }))
      const columns = [
        'app',
        'endpoint_name',
        'client_ip',
        'connected_at',
        'lines',
        'bytes',
        'waiting_lines',
        'stalled',
      ]
      call.print(answer, () => (rows.length === 0 ? 'No stream is open.' : table(rows, columns)))
    },
  },
  {
    name: 'stream rules',
    summary: 'Lists the rules of streams with the number of posts that each has matched.',
    flags: { app: WHICH.app },
    run: async (call) => {
      const answer = await ask(call, 'streams.rules')
      const { rules } = answer as { rules: Record<string, unknown>[] }
      const columns = ['id', 'app', 'matches', 'last_match_at', 'tag', 'value']
      call.print(answer, () => (rules.length === 0 ? 'There are no rules.' : table(rules, columns)))
    },
  },
  {
    name: 'stream matches',
    summary: 'Lists the last posts that match the rules of an app, whether or not it has a stream.',
    flags: { app: WHICH.app },
    run: async (call) => {
      if (call.flags.app === undefined) throw new UsageError('--app is missing.')
      const answer = await ask(call, 'streams.matches')
      const { matches } = answer as { matches: Record<string, unknown>[] }
      const columns = ['sequence', 'happened_at', 'author', 'rule_ids', 'text']
      call.print(answer, () => (matches.length === 0 ? 'No recent post matches.' : table(matches, columns)))
    },
  },
  {
    name: 'stream drop',
    summary: 'Cuts the connections of open streams without a last line.',
    flags: WHICH,
    run: (call) => act(call, 'drop'),
  },
  {
    name: 'stream stall',
    summary: 'Lets open streams send nothing, not even blank lines, until they are resumed.',
    flags: WHICH,
    run: (call) => act(call, 'stall'),
  },
  {
    name: 'stream resume',
    summary: 'Lets stalled streams send again what has waited.',
    flags: WHICH,
    run: (call) => act(call, 'resume'),
  },
  {
    name: 'stream disconnect',
    summary: 'Ends open streams with a last line that has the type of the disconnect.',
    flags: {
      type: {
        value: '<type>',
        help: 'OperationalDisconnect (default), UpstreamOperationalDisconnect, ForceDisconnect, UpstreamUncleanDisconnect, SlowReader, InternalError, ClientApplicationStateDegraded or InvalidRules',
      },
      ...WHICH,
    },
    run: (call) => act(call, 'disconnect'),
  },
]
