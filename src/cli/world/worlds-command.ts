import { StoppedWhileStarting } from '../../process/lifecycle.ts'
import { ownerDescriptor, settingFlags } from '../../settings.ts'
import { watchOwner } from '../../start/owner.ts'
import { endServersAtExit } from '../../storage/embedded/server.ts'
import type { Call, CliCommand } from '../command-line.ts'
import { loadProduct } from '../load-product.ts'

const STOPPED_BY_SIGNAL = 130

export const worldsCommand: CliCommand = {
  name: 'worlds',
  summary:
    'Serves worlds for tests that run in parallel. `POST /worlds/<name>` with the printed key makes a world with an address of its own; all are on one PostgreSQL, and are removed at the end.',
  flags: {},
  takesSettings: true,
  run: (call) => run(call),
}

async function run({ settings, flags, json }: Call): Promise<void> {
  const { makeTemporaryFolder } = await import('../../testing/temporary-folder.ts')
  const { startWorlds } = await loadProduct(() => import('../../start/worlds/start-worlds.ts'))
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  endServersAtExit()
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  watchOwner(ownerDescriptor(), stop)
  const dataDir = typeof flags['data-dir'] === 'string' ? settings.dataDir : makeTemporaryFolder()
  try {
    const running = await startWorlds({ ...settings, dataDir }, givenSettings(flags), stopping.signal)
    const { url, key } = running
    console.log(
      json
        ? JSON.stringify({ ready: true, url, key })
        : `Worlds are served. Make one:\n  curl -X POST -H 'Authorization: Bearer ${key}' ${url}/worlds/first`,
    )
    const stopped = new Promise<undefined>((resolve) => {
      if (stopping.signal.aborted) resolve(undefined)
      else stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    const reason = await Promise.race([running.failed, stopped])
    await running.stop()
    if (reason) throw reason
    process.exit(0)
  } catch (error) {
    if (error instanceof StoppedWhileStarting) process.exit(STOPPED_BY_SIGNAL)
    throw error
  }
}

/** The settings that were given as flags, for the servers of the worlds. */
function givenSettings(flags: Call['flags']): string[] {
  return Object.keys(settingFlags).flatMap((name) => {
    const value = flags[name]
    return typeof value === 'string' ? [`--${name}`, value] : []
  })
}
