import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { SUPERUSER } from './data-folder.ts'
import type { Connection } from './running.ts'

const DATABASE = 'rostra'
const STEP_MS = 15
const CONNECT_MS = 2000
const CANNOT_CONNECT_NOW = '57P03'
const TOO_MANY_CONNECTIONS = '53300'
const DATABASE_EXISTS = ['42P04', '23505']

/** A connection, or why there is none: the server ended, did not answer in time, or refused. */
type ConnectOutcome = { client: Client } | { failure: 'gone' | 'silent' | 'refused'; words: string }

/** How programs reach a server: by its socket, or without one at a port of this machine. */
export function connectionTo(at: { socketFolder: string; port: number }, password: string | undefined): Connection {
  const { port } = at
  const names = { user: SUPERUSER, database: DATABASE }
  return password === undefined
    ? { host: at.socketFolder, port, ...names }
    : { host: '127.0.0.1', port, ...names, password }
}

/** Whether any server answers there now, even if it refuses the connection. */
export async function isAnswered(connection: Connection): Promise<boolean> {
  const client = newClient(connection)
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof DatabaseError
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Connects as soon as the server accepts connections, and waits without limit while it reports that it is starting up. */
export async function connectWhenReady(
  connection: Connection,
  wait: { silenceMs: number; isGone: () => Promise<boolean> },
): Promise<ConnectOutcome> {
  let lastSign = performance.now()
  for (;;) {
    const client = newClient(connection)
    let words = ''
    try {
      await client.connect()
      return { client }
    } catch (error) {
      await client.end().catch(() => undefined)
      words = error instanceof Error ? error.message : String(error)
      if (error instanceof DatabaseError && error.code === CANNOT_CONNECT_NOW) {
        if (!/shutting down/.test(words)) lastSign = performance.now()
      } else if (error instanceof DatabaseError && error.code !== TOO_MANY_CONNECTIONS) {
        return { failure: 'refused', words }
      }
    }
    if (await wait.isGone()) return { failure: 'gone', words }
    if (performance.now() - lastSign > wait.silenceMs) return { failure: 'silent', words }
    await sleep(STEP_MS)
  }
}

/** Whether a server is the one that these binaries would start on this data folder. */
export async function servesData(client: Client, expected: { dataFolder: string; version: string }): Promise<boolean> {
  const { rows } = await client.query<{ version: string; folder: string }>(
    `select current_setting('server_version') as version, current_setting('data_directory') as folder`,
  )
  const found = rows[0]
  if (!found || found.version.split(' ')[0] !== expected.version) return false
  return (await realpath(found.folder).catch(() => found.folder)) === expected.dataFolder
}

/** Creates the database of Rostra unless it exists. */
export async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (rowCount) return
  await client.query(`create database ${DATABASE}`).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || !DATABASE_EXISTS.includes(error.code ?? '')) throw error
  })
}

function newClient(connection: Connection): Client {
  // ssl is named because the driver would otherwise follow PGSSLMODE.
  const client = new Client({ ...connection, database: 'postgres', ssl: false, connectionTimeoutMillis: CONNECT_MS })
  // A connection that the server drops must not end this process.
  client.on('error', () => undefined)
  return client
}
