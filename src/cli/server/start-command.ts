import path from 'node:path'
import { realNow } from '../../process/clock.ts'
import { StoppedWhileStarting } from '../../process/lifecycle.ts'
import { ownerDescriptor, type Settings } from '../../settings.ts'
import { watchOwner } from '../../start/owner.ts'
import { readyPanel } from '../../start/ready-panel.ts'
import { endServersAtExit } from '../../storage/embedded/server.ts'
import type { Call, CliCommand } from '../command-line.ts'
import { startDetached } from './detach.ts'
import { rememberInstance } from './known-instances.ts'
import { showSteps } from './start-steps.ts'

const STOPPED_BY_SIGNAL = 130

export const startCommand: CliCommand = {
  name: 'start',
  summary: 'Starts the server.',
  flags: {
    detach: {
      help: 'return when it is ready and leave it running; `rostra stop` stops it, and its log is server.log in the data folder',
    },
    json: { help: 'print the ready message as one line of JSON' },
  },
  takesSettings: true,
  run: async (call) => (call.flags.detach ? detach(call) : start(call.settings, call)),
}

async function detach(call: Call): Promise<void> {
  const { instance, log } = await startDetached(call)
  const credentials = path.join(call.settings.dataDir, 'credentials.json')
  call.print({ ready: true, base_url: instance.base_url, credentials, pid: instance.pid, log }, () =>
    [
      `Rostra is ready at ${instance.base_url} (process ${instance.pid}).`,
      `Credentials: ${credentials}`,
      `Log: ${log}`,
      '`rostra stop` stops it.',
    ].join('\n'),
  )
}

/** Starts the server and runs it until a signal ends it. */
async function start(settings: Settings, { json }: { json: boolean }): Promise<void> {
  const { startSupervisor } = await import('../../start/supervisor.ts')
  const stopping = new AbortController()
  const stop = () => {
    if (!json && !stopping.signal.aborted)
      console.log('\nStopping: requests in progress are finished, then the database is closed.')
    stopping.abort()
  }
  // A reader of our output that is gone must not end us before everything is stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  endServersAtExit()
  process.on('SIGINT', () => {
    // A second Ctrl-C means now.
    if (stopping.signal.aborted) process.exit(STOPPED_BY_SIGNAL)
    stop()
  })
  // npm and service managers may send it to the group and to the process: the second one changes nothing.
  process.on('SIGTERM', stop)
  watchOwner(ownerDescriptor(), stop)
  try {
    const steps = json ? undefined : showSteps(process.stderr)
    const running = await startSupervisor(settings, stopping.signal, steps?.step).finally(steps?.end)
    const { credentials, credentialsFile } = running
    // A server that belongs to another process, such as a test, is not worth remembering.
    if (ownerDescriptor() === undefined)
      rememberInstance({
        data_dir: settings.dataDir,
        base_url: credentials.base_url,
        started_at: new Date(realNow()).toISOString(),
      })
    console.log(
      json
        ? JSON.stringify({ ready: true, base_url: credentials.base_url, credentials: credentialsFile })
        : readyPanel(running),
    )
    const reason = await Promise.race([running.failed, aborted(stopping.signal)])
    await running.stop()
    if (reason) throw reason
    process.exit(0)
  } catch (error) {
    if (error instanceof StoppedWhileStarting) process.exit(STOPPED_BY_SIGNAL)
    throw error
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
