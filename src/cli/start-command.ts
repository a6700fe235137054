import { readSettings, settingHelp } from '../settings.ts'
import { readyPanel } from '../start/ready-panel.ts'
import type { Running } from '../start/supervisor.ts'

const STOPPED_BY_SIGNAL = 130

export const START_HELP = `rostra start

Starts the server. Settings come from flags, then from the environment, then from the defaults.

${settingHelp()}
  --json
      print the ready message as one line of JSON`

/** Starts and stays until a signal ends it. */
export async function start(argv: string[]): Promise<void> {
  const json = argv.includes('--json')
  const settings = readSettings(argv.filter((word) => word !== '--json'))
  const { startSupervisor } = await import('../start/supervisor.ts')
  let running: Running | undefined
  let stopping = false
  const stop = async () => {
    await running?.stop()
    process.exit(running ? 0 : STOPPED_BY_SIGNAL)
  }
  const asked = () => {
    // A second Ctrl-C means now.
    if (stopping) process.exit(STOPPED_BY_SIGNAL)
    stopping = true
    if (!json) console.log('\nStopping: requests under way are finished, then the database is closed.')
    // What is only half started is ended by who starts it.
    if (running) void stop()
  }
  process.on('SIGINT', asked)
  process.on('SIGTERM', asked)
  try {
    running = await startSupervisor(settings)
  } catch (error) {
    // The terminal sends Ctrl-C to the workers too: that they end then is no news.
    if (!stopping) throw error
  }
  if (stopping) return stop()
  const { credentials, credentialsFile, failed } = running!
  console.log(
    json
      ? JSON.stringify({ ready: true, base_url: credentials.base_url, credentials: credentialsFile })
      : readyPanel(running!),
  )
  const reason = await failed
  if (stopping) return
  stopping = true
  await running!.stop()
  throw reason
}
