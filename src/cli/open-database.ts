import type { Settings } from '../settings.ts'
import { runningInstance } from '../start/instance-lock.ts'
import { type ConnectionOptions, type Database, openDatabase } from '../storage/database.ts'
import { loadProduct } from './load-product.ts'

/**
 * The database of the running instance, or that of the data folder if none is running. A folder without data is refused, unless
 * `mayCreate` is set.
 */
export async function withDatabase<T>(
  settings: Settings,
  name: string,
  work: (database: Database) => Promise<T>,
  options: { mayCreate?: boolean } = {},
): Promise<T> {
  const instance = await runningInstance(settings.dataDir)
  if (!instance?.connection) {
    const { withRuntime } = await loadProduct(() => import('./open-runtime.ts'))
    return withRuntime(settings, (runtime) => work(runtime.database), options)
  }
  const database = openDatabase(instance.connection as ConnectionOptions, { connections: 3, name })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
