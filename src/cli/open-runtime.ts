import { Lifecycle } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import type { ProcessRuntime } from '../start/create-runtime.ts'
import { takeDataFolder } from '../start/instance-lock.ts'
import { takeMachineNumbers } from '../start/machine-numbers.ts'
import { openStorage } from '../start/open-storage.ts'
import { prepare } from '../start/prepare.ts'
import { type ConnectionOptions, openDatabase } from '../storage/database.ts'
import { hasFirstWorld } from '../world/first-facts.ts'
import { UsageError } from './command-line.ts'
import { requireData } from './where.ts'

// PostgreSQL writes all changed pages to the disk before it ends.
const DATABASE_STOPS_WITHIN_MS = 120_000

/**
 * Opens the data folder of an instance that is not running, for as long as `work` takes. A folder or database without a world is
 * refused and left as it is, unless `mayCreate` is set.
 */
export async function withRuntime<T>(
  settings: Settings,
  work: (runtime: ProcessRuntime) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  if (!mayCreate) await requireData(settings)
  // Warnings are about a server that goes on serving, such as one whose machine is slow.
  const log = createLogger(settings.logLevel === 'warn' ? 'error' : settings.logLevel, 'command')
  const lifecycle = new Lifecycle(log)
  try {
    await lifecycle.start({
      name: 'data folder',
      start: () => takeDataFolder(settings.dataDir),
      stop: (folder) => folder.release(),
    })
    const storage = await lifecycle.start({
      name: 'database',
      start: () => openStorage(settings, log),
      stop: (opened) => opened.close(),
      stopWithinMs: DATABASE_STOPS_WITHIN_MS,
    })
    if (!mayCreate && settings.databaseUrl !== '') await requireWorld(storage.connection)
    const numbers = await lifecycle.start({
      name: 'machine numbers',
      start: () => takeMachineNumbers(settings, storage.connection, 1),
      stop: (taken) => taken.release(),
    })
    const { runtime } = await lifecycle.start({
      name: 'runtime',
      start: () => prepare(settings, storage, log, numbers.of(0)),
      stop: (prepared) => prepared.runtime.close(),
    })
    return await work(runtime)
  } finally {
    await lifecycle.stop()
  }
}

/** Refuses a database that no server has prepared yet. */
async function requireWorld(connection: ConnectionOptions): Promise<void> {
  const database = openDatabase(connection, { connections: 1, name: 'rostra command' })
  try {
    const { rows } = await database.query<{ found: string | null }>({
      text: `select to_regclass('instance_fact')::text as found`,
    })
    if (rows[0]?.found !== null && (await hasFirstWorld(database))) return
    throw new UsageError(
      'The database of DATABASE_URL has no data of Rostra, and nothing was changed. `rostra start` creates it.',
    )
  } finally {
    await database.close()
  }
}
