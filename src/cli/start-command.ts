import { readSettings, settingHelp } from '../settings.ts'
import { readyPanel } from '../start/ready-panel.ts'

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
  const running = await startSupervisor(settings)
  console.log(
    json
      ? JSON.stringify({ ready: true, base_url: running.credentials.base_url, credentials: running.credentialsFile })
      : readyPanel(running),
  )
  let stopping = false
  const stop = async () => {
    // A second Ctrl-C means now.
    if (stopping) process.exit(130)
    stopping = true
    if (!json) console.log('\nStopping: requests under way are finished, then the database is closed.')
    await running.stop()
    process.exit(0)
  }
  process.on('SIGINT', () => void stop())
  process.on('SIGTERM', () => void stop())
}
