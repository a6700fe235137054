import { keepTrying, pauseFor, type Stoppable } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions } from './database.ts'
import { type OwnConnection, openOwnConnection } from './own-connection.ts'

const TRY_MS = 1_000

interface LeaderOptions {
  /** What is led, as connections and log lines name it: `sequencer`. */
  name: string
  /** The advisory lock: a number of `LOCK`, and a second one where a number stands for many locks. */
  lock: readonly [number, number?]
  connection(): ConnectionOptions
  log: Logger
  /**
   * Does the work while this process leads. It returns when `ending` aborts: the process stops, or the connection is lost
   * and the lock with it.
   */
  lead(own: OwnConnection, ending: AbortSignal): Promise<void>
  /** What to do between two tries for the lock; waits a second by default. */
  standBy?(own: OwnConnection, ending: AbortSignal): Promise<void>
  /** Where given, processes that stand by have no connection: they ask this, and connect only when nobody leads. */
  isLed?(): Promise<boolean>
  /** How long to wait after a failure; a second by default. */
  retryMs?: number
}

/**
 * Lets one process of all machines do something at a time. The lock belongs to a connection of its own: a process that dies or
 * loses its connection stops leading, and another takes over.
 */
export function startLeader(options: LeaderOptions): Stoppable {
  const { name, log, lead, isLed, retryMs = TRY_MS } = options
  const standBy = options.standBy ?? ((_own: OwnConnection, ending: AbortSignal) => pauseFor(TRY_MS, ending))

  const attempt = async (stopping: AbortSignal, works: () => void) => {
    if (await isLed?.()) return works()
    const lost = new AbortController()
    const own = await openOwnConnection(options.connection(), `rostra ${name}`, () => lost.abort())
    try {
      works()
      const ending = AbortSignal.any([stopping, lost.signal])
      let leads = await tryLock(own, options.lock)
      while (!leads && !isLed && !ending.aborted) {
        await standBy(own, ending)
        if (!ending.aborted) leads = await tryLock(own, options.lock)
      }
      if (leads && !ending.aborted) await lead(own, ending)
    } finally {
      await own.close()
    }
    if (own.isLost) throw new Error('the connection ended')
  }
  return keepTrying({
    attempt,
    failed: (error) => log.warn({ err: error }, `${name}: the leader failed and tries again`),
    pause: (stopping) => pauseFor(retryMs, stopping),
  })
}

async function tryLock({ client }: OwnConnection, [first, second]: LeaderOptions['lock']): Promise<boolean> {
  const { rows } =
    second === undefined
      ? await client.query('select pg_try_advisory_lock($1) as leads', [first])
      : await client.query('select pg_try_advisory_lock($1, $2) as leads', [first, second])
  return rows[0].leads
}

/** Resolves when `ending` aborts. */
export const untilEnd = (ending: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ending.aborted) resolve()
    else ending.addEventListener('abort', () => resolve(), { once: true })
  })
