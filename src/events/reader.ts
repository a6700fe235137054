import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions, Db, Tx } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { createAlarm } from './alarm.ts'
import type { LoggedEvent } from './catalog.ts'
import { readerBegin, readerHeld, readerMove } from './log.statements.ts'
import { readEvents } from './log-tail.ts'

const BATCH = 500
const STAND_BY_MS = 1_000
const POLL_MS = 1_000
const RETRY_MS = 200
const LONGEST_RETRY_MS = 10_000

/** A reader of the log that keeps its place in the database, by its name: one process of all machines reads at a time. */
export interface Consumer {
  /** Says that there may be something new. */
  wake(): void
  /** Resolves when a batch under way is finished. */
  stop(): Promise<void>
}

export interface ConsumerOptions {
  /** Who it is, over all starts and machines. A name that was never used begins at the head of the log. */
  name: string
  /** Asked by those who stand by; the reading itself has a connection of its own. */
  database: Db
  connection: ConnectionOptions
  log: Logger
  /** The most events of one call of `work`. */
  batch?: number
  /**
   * Does what the events ask for. What it writes by `tx` and the new place are kept or lost together; a failure is tried again.
   * It may ask for a rest before the next call, so that events are gathered.
   */
  work(tx: Tx, events: LoggedEvent[]): Promise<{ restMs: number } | undefined>
}

/** Reads on from the kept place whenever no other process does; takes over when that one ends. */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { name, database, log, work, batch = BATCH } = options
  const lock = createHash('sha256').update(name).digest().readInt32BE()
  const news = createAlarm()
  const stopping = new AbortController()
  const isStopped = () => stopping.signal.aborted
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  /**
   * One batch in one transaction; where the reader is afterwards. All of it runs on the connection that holds the lock: who loses
   * that one loses the transaction with it, and can not write what the next holder writes too.
   */
  const readOn = async (
    own: OwnConnection,
    place: string,
  ): Promise<{ place: string; isAll: boolean; restMs?: number }> => {
    const events = await readEvents(own.client, place, batch)
    // Asked again where there was nothing, so that a place that was set by hand counts.
    if (events.length === 0) return { place: await kept(own), isAll: true }
    const last = events.at(-1)!.place
    const done = await own.transaction(async (tx) => {
      if ((await readerMove.count(tx, name, place, last)) === 0) throw new Error('the place was moved by another')
      return work(tx, events)
    })
    return { place: last, isAll: events.length < batch, ...done }
  }

  const kept = async (own: OwnConnection): Promise<string> => {
    const row = await readerBegin.first(own.client, name)
    if (!row) throw new Error('the reader has no place yet')
    return row.place
  }

  const hold = async (own: OwnConnection) => {
    let place: string | undefined
    let failures = 0
    while (!isStopped() && !own.isLost) {
      news.quiet()
      try {
        const done = await readOn(own, place ?? (await kept(own)))
        place = done.place
        failures = 0
        if (done.restMs && done.isAll) await pause(done.restMs)
        if (done.isAll && !isStopped()) await news.sleep(POLL_MS)
      } catch (error) {
        // Whether a commit that broke was kept is told by the place itself.
        place = undefined
        log.error({ err: error, reader: name }, 'a reader of the log failed and tries the same events again')
        // What comes meanwhile does not shorten the pause.
        await pause(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures))
        failures += 1
      }
    }
  }

  const run = async () => {
    let hasWarned = false
    while (!isStopped()) {
      let own: OwnConnection | undefined
      try {
        // Who stands by asks through the pool: only who reads has a connection of its own.
        const held = (await readerHeld.first(database, LOCK.eventReader, String(lock >>> 0)))?.held
        if (!held) {
          own = await openOwnConnection(options.connection, `rostra reader ${name}`, () => news.ring())
          const { rows } = await own.client.query('select pg_try_advisory_lock($1, $2) as held', [
            LOCK.eventReader,
            lock,
          ])
          if (rows[0].held) await hold(own)
        }
        hasWarned = false
      } catch (error) {
        // Once for each time that the database is away.
        if (!isStopped() && !hasWarned) log.warn({ err: error, reader: name }, 'a reader of the log begins again')
        hasWarned = true
      } finally {
        await own?.close()
      }
      await pause(STAND_BY_MS)
    }
  }
  const running = run()
  return {
    wake: () => news.ring(),
    stop: async () => {
      stopping.abort()
      news.ring()
      await running
    },
  }
}
