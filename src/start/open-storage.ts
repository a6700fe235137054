import path from 'node:path'
import pg from 'pg'
import type { Logger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '../storage/embedded/server.ts'
import { StartError } from './start-error.ts'

const OLDEST_POSTGRES = 150_000

/** A database that can be connected to, and how to end it. */
export interface OpenStorage {
  connection: ConnectionOptions
  embedded: EmbeddedPostgres | undefined
  close(): Promise<void>
}

/** Starts the embedded PostgreSQL, or checks the one that was set. */
export async function openStorage(settings: Settings, log: Logger): Promise<OpenStorage> {
  if (settings.databaseUrl !== '') {
    await checkExternal(settings.databaseUrl)
    return { connection: { connectionString: settings.databaseUrl }, embedded: undefined, close: async () => {} }
  }
  try {
    const embedded = await startEmbeddedPostgres({
      folder: path.join(settings.dataDir, 'postgres'),
      log: (line) => (/\b(FATAL|PANIC|ERROR):/.test(line) ? log.error(line) : log.debug(line)),
    })
    return {
      connection: { ...embedded.connection, ssl: false } as ConnectionOptions,
      embedded,
      close: () => embedded.stop(),
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new StartError(error.message)
    throw error
  }
}

async function checkExternal(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
    )
    if (rows[0].number < OLDEST_POSTGRES)
      throw new StartError(`DATABASE_URL leads to PostgreSQL ${rows[0].name}, but Rostra needs 15 or newer.`)
  } catch (error) {
    if (error instanceof StartError) throw error
    // The address holds a password: only host and reason are told.
    const host = URL.canParse(url) ? new URL(url).host : 'the server'
    throw new StartError(
      `The database of DATABASE_URL at ${host === '' ? 'its address' : host} can not be reached: ${(error as Error).message || (error as { code?: string }).code}. Check that the server runs and that name, password and database are right.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}
