import pg from 'pg'
import { watchSilence } from './silence-watch.ts'

/** Anything a statement can run on: the pool, or the one connection of a transaction. */
export interface Db {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<R>>
}

/** A handle whose statements are kept or lost together. */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** The process's connections to PostgreSQL. */
export interface Database extends Db {
  pool: pg.Pool
  /** How to open a separate connection, for listening and locks. */
  connection: ConnectionOptions
  close(): Promise<void>
}

export type ConnectionOptions =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string; password?: string }

// Lists of counts have thousands of numbers. No column of this kind has null among them.
const INT4_ARRAY: number = 1007
pg.types.setTypeParser(INT4_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

/** Opens a pool; connections are made on first use. */
export function openDatabase(
  options: ConnectionOptions,
  settings: { connections: number; name: string; serverOptions?: string; staysOpen?: boolean },
): Database {
  const pool = new pg.Pool({
    ...options,
    max: settings.connections,
    application_name: settings.name,
    ...(settings.serverOptions === undefined ? {} : { options: settings.serverOptions }),
    idleTimeoutMillis: settings.staysOpen ? 0 : 60_000,
  })
  // An idle connection that the server closes is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {})
  // The same holds for one that is lost during a transaction: its next statement fails and reports it.
  pool.on('connect', (client) => client.on('error', () => {}))
  const watch = watchSilence(pool, options)
  return {
    pool,
    connection: options,
    query: (query) => pool.query(query),
    close: () => {
      watch.stop()
      return pool.end()
    },
  }
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export async function transaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(Object.assign(client, { inTransaction: true as const }))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** PostgreSQL's error code of an error, when it has one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

const DEADLOCK_DETECTED = '40P01'
// A snapshot locks every table, so with busy writers it may be the one that is rolled back several times in a row.
const DEADLOCK_TRIES = 12

/** Repeats a change that PostgreSQL rolled back because of a deadlock. */
export async function repeatingDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (sqlState(error) !== DEADLOCK_DETECTED || tries === DEADLOCK_TRIES) throw error
    }
  }
}
