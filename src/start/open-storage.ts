import path from 'node:path'
import type { Logger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '../storage/embedded/server.ts'
import { lookAtExternal } from './external-database.ts'
import { StartError } from './start-error.ts'
import { endTemporary, UNFLUSHED } from './temporary-data.ts'

/** A database that accepts connections, and how to stop it. */
export interface OpenStorage {
  connection: ConnectionOptions
  embedded: EmbeddedPostgres | undefined
  close(): Promise<void>
}

/** Starts the embedded PostgreSQL, or checks the one of DATABASE_URL. A temporary one may have settings of its own. */
export async function openStorage(
  settings: Settings,
  log: Logger,
  ofTemporary: Readonly<Record<string, string>> = {},
): Promise<OpenStorage> {
  if (settings.databaseUrl !== '') {
    const found = await lookAtExternal(settings.databaseUrl)
    if ('fault' in found) throw new StartError(found.fault)
    return { connection: { connectionString: settings.databaseUrl }, embedded: undefined, close: async () => {} }
  }
  const isTemporary = settings.temporaryData === 'on'
  try {
    const embedded = await startEmbeddedPostgres({
      folder: path.join(settings.dataDir, 'postgres'),
      log: (line) => (/\b(FATAL|PANIC|ERROR):/.test(line) ? log.error(line) : log.debug(line)),
      ...(isTemporary ? { settings: { ...UNFLUSHED, ...ofTemporary } } : {}),
    })
    return {
      connection: { ...embedded.connection, ssl: false } as ConnectionOptions,
      embedded,
      close: () => (isTemporary ? endTemporary(embedded) : embedded.stop()),
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new StartError(error.message)
    throw error
  }
}
