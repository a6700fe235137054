import { keepTrying, type Stoppable } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import { createWakeSignal } from '../process/wake-signal.ts'
import type { ConnectionOptions, Db } from '../storage/database.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import type { LoggedEvent } from './catalog.ts'
import { eventsAfter, headSequence, LOG_CHANNEL, sequenceBefore } from './log.statements.ts'
import type { NatsLine } from './nats-line.ts'

const PAGE = 1_000
const POLL_MS = 1_000
// While NATS carries the events, the log itself is read rarely, to find messages that were lost unnoticed.
const CARRIED_POLL_MS = 10_000
const HELD_BATCHES = 64

/** Events after a sequence, oldest first. */
export async function readEvents(db: Db, after: string, limit = PAGE): Promise<LoggedEvent[]> {
  return (await eventsAfter.all(db, after, limit)) as LoggedEvent[]
}

/** The sequence of the newest event. */
export const readHead = async (db: Db): Promise<string> => (await headSequence.first(db))!.sequence

/** The last sequence before a moment of product time: every event of that moment or later comes after it. */
export const readSequenceAt = async (db: Db, moment: Date): Promise<string> =>
  (await sequenceBefore.first(db, moment))!.sequence

/** Follows the log in this process: one reader, whatever the number of listeners. */
export interface LogTail extends Stoppable {
  /** Calls `listener` with each batch from now on; returns how to end it. */
  listen(listener: (events: LoggedEvent[]) => void): () => void
}

/**
 * Delivers every event once and in order. With a NATS line, events come from there while the leader publishes; what NATS lost
 * is read from the log by sequence. A wake-up that is lost costs time, never an event.
 */
export async function startLogTail(
  db: Db,
  connection: ConnectionOptions,
  log: Logger,
  line?: NatsLine,
): Promise<LogTail> {
  const listeners = new Set<(events: LoggedEvent[]) => void>()
  const wake = createWakeSignal()
  let sequence = await readHead(db)
  let listening: OwnConnection | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let checkedAt = performance.now()
  let isReading = false
  let held: LoggedEvent[][] = []

  // A listener that fails must not cost the others their events.
  const deliver = (events: LoggedEvent[]) => {
    sequence = events.at(-1)!.sequence
    for (const listener of listeners) {
      try {
        listener(events)
      } catch (error) {
        log.error({ err: error }, 'a listener of the event log failed')
      }
    }
  }

  /** Takes a batch from NATS if it continues at our sequence; a gap before it is read from the log. */
  const take = (events: LoggedEvent[]) => {
    const known = BigInt(sequence) + 1n - BigInt(events[0]!.sequence)
    if (known < 0n) return wake.set()
    const fresh = known === 0n ? events : events.slice(Number(known))
    if (fresh.length > 0) deliver(fresh)
  }

  // The log of a database that was restored to an earlier state ends before our sequence: it is followed from there.
  const checkHead = async () => {
    const head = await readHead(db)
    checkedAt = performance.now()
    if (BigInt(head) >= BigInt(sequence)) return
    log.warn(
      `the event log ends at ${head}, before ${sequence}, which was delivered already; it is followed from its end`,
    )
    sequence = head
  }

  const catchUp = async (stopping: AbortSignal) => {
    isReading = true
    wake.clear()
    try {
      let events: LoggedEvent[]
      do {
        events = await readEvents(db, sequence)
        if (events.length > 0) deliver(events)
      } while (events.length === PAGE && !stopping.aborted)
      if (performance.now() - checkedAt >= CARRIED_POLL_MS) await checkHead()
      readAt = performance.now()
    } finally {
      isReading = false
      const batches = held
      held = []
      for (const batch of batches) take(batch)
    }
  }

  const unsubscribe = line?.subscribe({
    events: (events) => {
      if (!isReading) return take(events)
      // The read in progress may return these events or not: they are taken after it.
      if (held.length < HELD_BATCHES) held.push(events)
      else wake.set()
    },
    head: (head) => {
      if (!isReading && BigInt(head) > BigInt(sequence)) wake.set()
    },
    disconnected: () => wake.set(),
  })

  const stopListening = async () => {
    const dropped = listening
    listening = undefined
    await dropped?.close()
  }
  const startListening = async (): Promise<OwnConnection> => {
    const own = await openOwnConnection(connection, 'rostra log tail', () => wake.set())
    // Armed before reading, so what happens during the read still wakes us.
    own.client.on('notification', () => wake.set())
    try {
      await own.client.query(`listen ${LOG_CHANNEL}`)
      return own
    } catch (error) {
      await own.close()
      throw error
    }
  }

  const follow = async (stopping: AbortSignal) => {
    const isCarried = line?.isLive() ?? false
    if (isCarried || listening?.isLost) await stopListening()
    if (!isCarried) listening ??= await startListening()
    if (wake.isSet || !isCarried || performance.now() - readAt >= CARRIED_POLL_MS) await catchUp(stopping)
  }
  const following = keepTrying({
    attempt: async (stopping, works) => {
      try {
        await follow(stopping)
        works()
      } catch (error) {
        await stopListening()
        wake.clear()
        readAt = Number.NEGATIVE_INFINITY
        throw error
      }
    },
    failed: (error) => log.warn({ err: error }, 'the log tail failed and starts again'),
    pause: () => wake.wait(POLL_MS),
  })
  return {
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: async () => {
      unsubscribe?.()
      const stopped = following.stop()
      wake.set()
      await stopped
      await stopListening()
    },
  }
}
