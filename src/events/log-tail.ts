import pg from 'pg'
import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions, Db } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import type { LoggedEvent } from './catalog.ts'
import { LOG_CHANNEL } from './sequencer.ts'

const PAGE = 1_000
const POLL_MS = 1_000

const eventColumns = {
  place: 'int8',
  type: 'text',
  actor_id: 'int8?',
  target_id: 'int8?',
  post_id: 'int8?',
  payload: 'jsonb',
  happened_at: 'timestamptz',
} as const

const eventsAfter = statement(
  'events_after',
  eventColumns,
  'select place, type, actor_id, target_id, post_id, payload, happened_at from event_log where place > $1 order by place limit $2',
)
const headPlace = statement('event_head_place', { place: 'int8' }, 'select place from event_head')

/** Events behind a place, oldest first. */
export async function readEvents(db: Db, after: string, limit = PAGE): Promise<LoggedEvent[]> {
  return (await eventsAfter.all(db, after, limit)) as LoggedEvent[]
}

/** The place of the newest event. */
export const readHead = async (db: Db): Promise<string> => (await headPlace.first(db))?.place ?? '0'

/** Follows the log in this process: one reader, whatever the number of listeners. */
export interface LogTail {
  /** Calls `listener` with each batch from now on; returns how to end it. */
  listen(listener: (events: LoggedEvent[]) => void): () => void
  stop(): Promise<void>
}

/** A wake-up that is lost costs a second, never an event: what was missed is read from the log by place. */
export async function startLogTail(db: Db, connection: ConnectionOptions, log: Logger): Promise<LogTail> {
  const listeners = new Set<(events: LoggedEvent[]) => void>()
  let place = await readHead(db)
  let stopped = false
  let wake = () => {}
  let isAwake = false

  const openEar = async (): Promise<pg.Client> => {
    const ear = new pg.Client({ ...connection, application_name: 'rostra log tail' } as pg.ClientConfig)
    // Armed before reading, so that what happens during the read still wakes us.
    ear.on('notification', () => {
      isAwake = true
      wake()
    })
    ear.on('error', () => {
      broken = true
      wake()
    })
    try {
      await ear.connect()
      await ear.query(`listen ${LOG_CHANNEL}`)
    } catch (error) {
      await ear.end().catch(() => {})
      throw error
    }
    return ear
  }
  let broken = false
  let ear: pg.Client | undefined

  // One listener that fails must not cost the others their events.
  const tell = (events: LoggedEvent[]) => {
    for (const listener of listeners) {
      try {
        listener(events)
      } catch (error) {
        log.error({ err: error }, 'a listener of the log failed')
      }
    }
  }

  const follow = async () => {
    while (!stopped) {
      try {
        if (!ear || broken) {
          await ear?.end().catch(() => {})
          broken = false
          ear = await openEar()
        }
        isAwake = false
        for (;;) {
          const events = await readEvents(db, place)
          if (events.length === 0) break
          place = events.at(-1)!.place
          tell(events)
          if (events.length < PAGE) break
        }
      } catch (error) {
        if (!stopped) log.warn({ err: error }, 'the log tail begins again')
        broken = true
      }
      if (isAwake || stopped) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    await ear?.end().catch(() => {})
  }
  const following = follow()
  return {
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: async () => {
      stopped = true
      wake()
      await following
    },
  }
}
