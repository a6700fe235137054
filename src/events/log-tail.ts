import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions, Db } from '../storage/database.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { createAlarm } from './alarm.ts'
import type { LoggedEvent } from './catalog.ts'
import { eventsAfter, headPlace, LOG_CHANNEL, placeBefore } from './log.statements.ts'
import type { NatsLine } from './nats-line.ts'

const PAGE = 1_000
const POLL_MS = 1_000
// While NATS carries the events, the log itself is looked at rarely: for what was lost without anybody noticing.
const CARRIED_POLL_MS = 10_000
const HELD_BATCHES = 64

/** Events behind a place, oldest first. */
export async function readEvents(db: Db, after: string, limit = PAGE): Promise<LoggedEvent[]> {
  return (await eventsAfter.all(db, after, limit)) as LoggedEvent[]
}

/** The place of the newest event. */
export const readHead = async (db: Db): Promise<string> => (await headPlace.first(db))?.place ?? '0'

/** The last place before a moment of product time: every event that happened at it or later comes behind that place. */
export const readPlaceAt = async (db: Db, moment: Date): Promise<string> => (await placeBefore.first(db, moment))!.place

/** Follows the log in this process: one reader, whatever the number of listeners. */
export interface LogTail {
  /** Calls `listener` with each batch from now on; returns how to end it. */
  listen(listener: (events: LoggedEvent[]) => void): () => void
  stop(): Promise<void>
}

/**
 * Tells every event once and in order. Where a line is given, events come by it while the leader is heard there; what it lost is
 * read from the log by place. A wake-up that is lost costs time, never an event.
 */
export async function startLogTail(
  db: Db,
  connection: ConnectionOptions,
  log: Logger,
  line?: NatsLine,
): Promise<LogTail> {
  const listeners = new Set<(events: LoggedEvent[]) => void>()
  const alarm = createAlarm()
  let place = await readHead(db)
  let stopped = false
  let ear: OwnConnection | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let checkedAt = performance.now()
  let isReading = false
  let held: LoggedEvent[][] = []

  // One listener that fails must not cost the others their events.
  const tell = (events: LoggedEvent[]) => {
    place = events.at(-1)!.place
    for (const listener of listeners) {
      try {
        listener(events)
      } catch (error) {
        log.error({ err: error }, 'a listener of the log failed')
      }
    }
  }

  /** Takes a batch of the line where it continues at our place; a gap before it is read from the log. */
  const take = (events: LoggedEvent[]) => {
    const known = BigInt(place) + 1n - BigInt(events[0]!.place)
    if (known < 0n) return alarm.ring()
    const fresh = known === 0n ? events : events.slice(Number(known))
    if (fresh.length > 0) tell(fresh)
  }

  // A database that was put back to an earlier state has a log that ends before our place: it goes on from there.
  const checkHead = async () => {
    const head = await readHead(db)
    checkedAt = performance.now()
    if (BigInt(head) >= BigInt(place)) return
    log.warn(`the log ends at ${head}, before place ${place} that was told already, and is followed from its end`)
    place = head
  }

  const catchUp = async () => {
    isReading = true
    alarm.quiet()
    try {
      let events: LoggedEvent[]
      do {
        events = await readEvents(db, place)
        if (events.length > 0) tell(events)
      } while (events.length === PAGE && !stopped)
      if (performance.now() - checkedAt >= CARRIED_POLL_MS) await checkHead()
      readAt = performance.now()
    } finally {
      isReading = false
      const batches = held
      held = []
      for (const batch of batches) take(batch)
    }
  }

  const endHearing = line?.hear({
    events: (events) => {
      if (!isReading) return take(events)
      // What is under way may bring them, or not: they are looked at behind it.
      if (held.length < HELD_BATCHES) held.push(events)
      else alarm.ring()
    },
    head: (head) => {
      if (!isReading && BigInt(head) > BigInt(place)) alarm.ring()
    },
    broken: () => alarm.ring(),
  })

  const dropEar = async () => {
    const dropped = ear
    ear = undefined
    await dropped?.close()
  }
  const openEar = async (): Promise<OwnConnection> => {
    const made = await openOwnConnection(connection, 'rostra log tail', () => alarm.ring())
    // Armed before reading, so that what happens during the read still wakes us.
    made.client.on('notification', () => alarm.ring())
    try {
      await made.client.query(`listen ${LOG_CHANNEL}`)
      return made
    } catch (error) {
      await made.close()
      throw error
    }
  }

  const follow = async () => {
    let hasWarned = false
    while (!stopped) {
      const isCarried = line?.isLive() ?? false
      try {
        if (isCarried || ear?.isLost) await dropEar()
        if (!isCarried) ear ??= await openEar()
        if (alarm.rings || !isCarried || performance.now() - readAt >= CARRIED_POLL_MS) await catchUp()
        hasWarned = false
      } catch (error) {
        // Once for each time that the database is away.
        if (!stopped && !hasWarned) log.warn({ err: error }, 'the log tail begins again')
        hasWarned = true
        await dropEar()
        alarm.quiet()
        readAt = Number.NEGATIVE_INFINITY
      }
      if (!stopped) await alarm.sleep(POLL_MS)
    }
    await dropEar()
  }
  const following = follow()
  return {
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: async () => {
      stopped = true
      endHearing?.()
      alarm.ring()
      await following
    },
  }
}
