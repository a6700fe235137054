import type net from 'node:net'
import pg from 'pg'

const TICK_MS = 1_000
const QUIET_TICKS = 5
const PROBE_TICKS = 10
/** A server that accepts connections and says nothing would be waited for forever. */
export const CONNECT_WITHIN_MS = 10_000
const CONNECT_WITHIN_WHEN_SILENT_MS = 1_000

/** The kernel says that nobody can be reached. Any other failure is an answer. */
const UNREACHABLE = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])

// The driver has no call that ends a connection without the server.
const socketOf = (client: pg.ClientBase): net.Socket =>
  (client as unknown as { connection: { stream: net.Socket } }).connection.stream

/** The connections of this process outside of pools, each with its server. They end with those of the pool. */
export const ownConnections = new Map<pg.Client, string>()
export const serverOf = (connection: pg.ClientConfig): string => JSON.stringify(connection)

/**
 * Ends the connections to a server when it has become silent: a machine that lost its power, or a network that drops
 * packets, closes nothing, and statements would wait for a quarter of an hour. The server counts as silent when statements wait,
 * nothing arrives for a while, and a new connection gets no answer either. Time is counted in turns of a timer, so a process that
 * stood still does not take its own silence for that of the server.
 */
export function watchSilence(pool: pg.Pool, connection: pg.ClientConfig): { stop(): void } {
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client))
  let quietTicks = 0
  let lastRead = 0
  let probe: Probe | undefined

  const endAll = () => {
    // What comes until there is an answer fails soon.
    pool.options.connectionTimeoutMillis = CONNECT_WITHIN_WHEN_SILENT_MS
    for (const client of clients) socketOf(client).destroy()
    for (const [client, server] of ownConnections) if (server === serverOf(connection)) socketOf(client).destroy()
  }
  const tick = () => {
    const isWaiting = pool.totalCount > pool.idleCount || pool.waitingCount > 0
    const read = [...clients].reduce((bytes, client) => bytes + socketOf(client).bytesRead, 0)
    const isHeard = read > lastRead
    quietTicks = isWaiting && read === lastRead ? quietTicks + 1 : 0
    lastRead = read
    if (probe) {
      const state = probe.tick()
      if (state === 'waits' && !isHeard) return
      probe.end()
      probe = undefined
      quietTicks = 0
      if (state === 'silent' && !isHeard) endAll()
      else pool.options.connectionTimeoutMillis = CONNECT_WITHIN_MS
      return
    }
    const isEnded = pool.options.connectionTimeoutMillis === CONNECT_WITHIN_WHEN_SILENT_MS
    if (isEnded || quietTicks >= QUIET_TICKS) probe = startProbe(connection)
  }
  pool.options.connectionTimeoutMillis = CONNECT_WITHIN_MS
  const timer = setInterval(tick, TICK_MS)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      probe?.end()
    },
  }
}

interface Probe {
  /** Counts a turn, and says how it stands. */
  tick(): 'waits' | 'answered' | 'silent'
  end(): void
}

/** Asks something on a new connection. */
function startProbe(connection: pg.ClientConfig): Probe {
  const client = new pg.Client({ ...connection, application_name: 'rostra check' })
  let state: 'waits' | 'answered' | 'silent' = 'waits'
  let ticks = 0
  client.on('error', () => {})
  client
    .connect()
    .then(() => client.query('select 1'))
    .then(
      () => {
        state = 'answered'
      },
      (error: NodeJS.ErrnoException) => {
        state = UNREACHABLE.has(error.code ?? '') ? 'silent' : 'answered'
      },
    )
  return {
    tick: () => {
      ticks += 1
      if (state === 'waits' && ticks >= PROBE_TICKS) state = 'silent'
      return state
    },
    end: () => {
      if (state === 'answered') void client.end().catch(() => {})
      else socketOf(client).destroy()
    },
  }
}
