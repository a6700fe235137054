import type { Call, CliCommand } from './command-line.ts'
import { callRunning } from './reach-runtime.ts'
import { noServer } from './where.ts'

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
  call.print(result, () => `${DONE[action]} ${count} ${count === 1 ? 'stream' : 'streams'}.`)
}

const DONE: Record<string, string> = {
  drop: 'Dropped',
  stall: 'Stalled',
  resume: 'Resumed',
  disconnect: 'Disconnected',
}

export const streamCliCommands: CliCommand[] = [
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
