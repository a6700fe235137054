import { createHash } from 'node:crypto'
import { pauseFor, type Stoppable } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import { createWakeSignal } from '../process/wake-signal.ts'
import type { ConnectionOptions, Db, Tx } from '../storage/database.ts'
import { startLeader } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import type { OwnConnection } from '../storage/own-connection.ts'
import type { LoggedEvent } from './catalog.ts'
import { readerBegin, readerHeld, readerMove } from './log.statements.ts'
import { readEvents } from './log-tail.ts'

const BATCH = 500
const POLL_MS = 1_000
const RETRY_MS = 200
const LONGEST_RETRY_MS = 10_000

/** A reader of the log that keeps its sequence in the database, by name: one process of all machines reads at a time. */
interface Consumer extends Stoppable {
  /** There may be new events. */
  wake(): void
}

export interface ConsumerOptions {
  /** Identifies the reader over all starts and machines. A new name begins at the head of the log. */
  name: string
  /** Used by processes that stand by; the one that reads has a connection of its own. */
  database: Db
  connection: ConnectionOptions
  log: Logger
  /** The most events of one call of `work`. */
  batch?: number
  /**
   * Does what the events ask for. What it writes through `tx` and the new sequence are kept or lost together; after a failure
   * the same events come again. It may ask for a pause before the next call, to get more events at once, and for something to
   * be done when the transaction has been committed.
   */
  work(tx: Tx, events: LoggedEvent[]): Promise<WorkDone | undefined>
}

interface WorkDone {
  restMs?: number
  committed?(): Promise<void>
}

/** Reads on from the stored sequence while no other process does, and takes over when that one ends. */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { name, database, log, work, batch = BATCH } = options
  const lock = createHash('sha256').update(name).digest().readInt32BE()
  const wake = createWakeSignal()

  /**
   * Handles one batch in one transaction and returns the sequence after it. All of it runs on the connection that holds the
   * lock: a process that loses the connection loses the transaction too, and cannot write what the next leader also writes.
   */
  const readOn = async (
    own: OwnConnection,
    sequence: string,
  ): Promise<{ sequence: string; isAll: boolean; restMs?: number }> => {
    const events = await readEvents(own.client, sequence, batch)
    // Read again where there was nothing: the sequence may have been set by hand.
    if (events.length === 0) return { sequence: await stored(own), isAll: true }
    const last = events.at(-1)!.sequence
    const done = await own.transaction(async (tx) => {
      if ((await readerMove.count(tx, name, sequence, last)) === 0)
        throw new Error('another process moved the sequence of this reader')
      return work(tx, events)
    })
    await done?.committed?.()
    return { sequence: last, isAll: events.length < batch, restMs: done?.restMs }
  }

  const stored = async (own: OwnConnection): Promise<string> => (await readerBegin.first(own.client, name))!.sequence

  const read = async (own: OwnConnection, ending: AbortSignal) => {
    ending.addEventListener('abort', () => wake.set(), { once: true })
    let sequence: string | undefined
    let failures = 0
    while (!ending.aborted) {
      wake.clear()
      try {
        const done = await readOn(own, sequence ?? (await stored(own)))
        sequence = done.sequence
        failures = 0
        if (done.restMs && done.isAll) await pauseFor(done.restMs, ending)
        if (done.isAll && !ending.aborted) await wake.wait(POLL_MS)
      } catch (error) {
        // The stored sequence says whether a commit whose connection broke was kept.
        sequence = undefined
        log.error({ err: error, reader: name }, 'an event reader failed and tries the same events again')
        // Events that come meanwhile do not shorten the pause.
        await pauseFor(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures), ending)
        failures += 1
      }
    }
  }

  const leader = startLeader({
    name: `reader ${name}`,
    lock: [LOCK.eventReader, lock],
    connection: () => options.connection,
    log,
    isLed: async () => (await readerHeld.first(database, LOCK.eventReader, String(lock >>> 0)))!.held,
    lead: read,
  })
  return { wake: () => wake.set(), stop: () => leader.stop() }
}
