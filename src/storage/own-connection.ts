import pg from 'pg'
import type { ConnectionOptions, Tx } from './database.ts'
import { CONNECT_WITHIN_MS, ownConnections, serverOf } from './silence-watch.ts'

/** A connection for what ends with it: locks and listening. */
export interface OwnConnection {
  client: pg.Client
  /** True once the connection is known to be lost, and its locks with it. */
  readonly isLost: boolean
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws or the connection breaks. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

// A machine that loses power does not close its connections: without this PostgreSQL would keep its locks for two hours.
const KEEP_ALIVE = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

/** Connects; `onLost` is called once when the connection breaks after it was made. */
export async function openOwnConnection(
  connection: ConnectionOptions,
  name: string,
  onLost: () => void,
): Promise<OwnConnection> {
  const client = new pg.Client({
    ...connection,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  } as pg.ClientConfig)
  let isLost = false
  let isOpen = false
  let isClosing = false
  const lose = () => {
    if (isLost || isClosing || !isOpen) return
    isLost = true
    onLost()
  }
  client.on('error', lose)
  client.on('end', lose)
  const close = async () => {
    isClosing = true
    await client.end().catch(() => {})
    ownConnections.delete(client)
  }
  ownConnections.set(client, serverOf(connection))
  // Nobody closes a connection that was lost.
  client.on('end', () => ownConnections.delete(client))
  try {
    await client.connect()
    await client.query(KEEP_ALIVE)
  } catch (error) {
    await close()
    throw error
  }
  isOpen = true
  return {
    client,
    get isLost() {
      return isLost
    },
    transaction: async (work) => {
      await client.query('begin')
      try {
        const result = await work(Object.assign(client, { inTransaction: true as const }))
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch(() => {})
        throw error
      }
    },
    close,
  }
}
