import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createController } from './controller.ts'
import type { StartOptions } from './options.ts'
import { startOwned } from './owned-program.ts'
import { flag, serverFlags } from './server-flags.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import type { Credentials, StartedRostra } from './types.ts'
import { variablesOf } from './variables.ts'

/** What `rostra start --json` prints when it is ready. */
interface ReadyLine {
  base_url: string
  credentials: string
}

/**
 * Starts a server of this package and returns its control. Without `dataDir` its data is in a temporary folder. The server ends with `stop`,
 * and when this process ends, however it ends.
 */
export async function startRostra(options: StartOptions = {}): Promise<StartedRostra> {
  const { port = 0, host, databaseUrl, env, startTimeout, onLog } = options
  const temporary = options.dataDir === undefined ? makeTemporaryFolder() : undefined
  const dataDir = path.resolve(options.dataDir ?? temporary!)
  const remove = async () => {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
  const args = [
    ...['start', '--json', '--data-dir', dataDir],
    ...flag('port', port),
    ...flag('host', host),
    ...flag('database-url', databaseUrl),
    // The server removes the folder itself, since this process may be killed.
    ...flag('temporary-data', temporary === undefined ? undefined : 'on'),
    ...serverFlags(options),
  ]
  const program = await startOwned<ReadyLine>(args, { env, startTimeout, onLog }).catch(async (error: Error) => {
    await remove()
    throw error
  })
  const credentials = JSON.parse(readFileSync(program.ready.credentials, 'utf8')) as Credentials
  const stop = async () => {
    await program.stop()
    await remove()
  }
  const instance = JSON.parse(readFileSync(path.join(dataDir, 'instance.json'), 'utf8')) as { listen_url: string }
  const controller = createController({
    controlUrl: instance.listen_url,
    credentials,
    env: await variablesOf(credentials, dataDir),
    stop,
  })
  return Object.assign(controller, { dataDir, pid: program.pid, log: program.log })
}
