import { setTimeout as sleep } from 'node:timers/promises'
import { realNow } from '../process/clock.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import type { Logger } from '../process/logger.ts'
import { createWakeSignal } from '../process/wake-signal.ts'
import type { ConnectionOptions, Db } from '../storage/database.ts'
import { startLeader } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import type { OwnConnection } from '../storage/own-connection.ts'
import type { LoggedEvent } from './catalog.ts'
import { eventsMove, eventsMoveReturning, headSequence, MOST_MOVED } from './log.statements.ts'
import type { NatsLine } from './nats-line.ts'

const IDLE_MS = 250
const FOLLOW_MS = 1_000
const SOON_MS = 4
// While events are written, processes that stand by try for the lead this often at most.
const TRY_MS = 100
// Under load several events are moved at a time: each move costs a commit.
const GATHER_MS = 10
// How often the leader publishes the head on NATS: readers notice by it what they missed, and that the leader is gone.
const HEAD_MS = 1_000
const DAY_MS = 24 * 3600_000
const RETENTION_DAYS = 7

const OUTBOX_CHANNEL = 'rostra_outbox'

/** Gives committed events their sequences. Every machine has one; one of them leads, the others stand by. */
export interface Sequencer extends Stoppable {
  /** This machine wrote to the outbox. */
  wake(): void
}

/** With a NATS line, the leader publishes what it moved, and the others wake it there while they receive its messages. */
export function startSequencer(connection: () => ConnectionOptions, log: Logger, line?: NatsLine): Sequencer {
  const wake = createWakeSignal()
  let leads = false
  // Only the leader is woken by others: those that stand by would wake each other without end.
  const unsubscribe = line?.subscribe({ wake: () => leads && wake.set() })

  const standBy = async (own: OwnConnection, ending: AbortSignal) => {
    const wakeUp = () => wake.set()
    ending.addEventListener('abort', wakeUp, { once: true })
    const triedAt = performance.now()
    do {
      if (wake.isSet) {
        wake.clear()
        // The leader moves it: it is woken, at most once every few milliseconds.
        if (line?.isLive()) line.wakeLeader()
        else await own.client.query(`notify ${OUTBOX_CHANNEL}`)
        await sleep(SOON_MS)
      } else await wake.wait(FOLLOW_MS)
    } while (!ending.aborted && performance.now() - triedAt < TRY_MS)
    ending.removeEventListener('abort', wakeUp)
  }

  const move = async (own: OwnConnection, ending: AbortSignal) => {
    own.client.on('notification', () => wake.set())
    await own.client.query(`listen ${OUTBOX_CHANNEL}`)
    let head = (await headSequence.first(own.client))!.sequence
    let headPublishedAt = Number.NEGATIVE_INFINITY
    let partitionsFor = ''
    let idleMs = IDLE_MS
    while (!ending.aborted) {
      // A wake-up comes before the commit that it announces: what is not there yet is looked for again, soon at first.
      idleMs = wake.isSet ? SOON_MS : Math.min(IDLE_MS, idleMs * 2)
      wake.clear()
      const today = dayOf(realNow())
      if (partitionsFor !== today) {
        await renewPartitions(own.client)
        partitionsFor = today
      }
      const moved = await (line ? eventsMoveReturning : eventsMove).all(own.client, today)
      const count = moved.length
      if (line && count > 0) {
        const events = (moved as LoggedEvent[]).sort((left, right) => Number(left.sequence) - Number(right.sequence))
        head = events.at(-1)!.sequence
        line.publishEvents(events)
      }
      if (line && performance.now() - headPublishedAt >= HEAD_MS) {
        line.publishHead(head)
        headPublishedAt = performance.now()
      }
      if (count > 0 && count < MOST_MOVED) await sleep(GATHER_MS)
      if (count < MOST_MOVED) await wake.wait(idleMs)
    }
  }

  const leader = startLeader({
    name: 'sequencer',
    lock: [LOCK.sequencer],
    connection,
    log,
    retryMs: IDLE_MS,
    standBy,
    lead: async (own, ending) => {
      leads = true
      ending.addEventListener('abort', () => wake.set(), { once: true })
      try {
        await move(own, ending)
      } finally {
        leads = false
      }
    },
  })
  return {
    wake: () => wake.set(),
    stop: async () => {
      unsubscribe?.()
      await leader.stop()
    },
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const partitionOf = (day: string): string => `event_log_${day.replaceAll('-', '')}`

/** Creates the partitions of today and tomorrow and drops those that are too old. */
export async function renewPartitions(db: Db): Promise<void> {
  const now = realNow()
  for (const ms of [now, now + DAY_MS]) {
    const day = dayOf(ms)
    const { rows } = await db.query<{ exists: boolean }>({
      text: 'select to_regclass($1) is not null as exists',
      values: [partitionOf(day)],
    })
    if (rows[0]!.exists) continue
    await db.query({
      text: `create table ${partitionOf(day)} partition of event_log for values from ('${day}') to ('${dayOf(ms + DAY_MS)}')`,
    })
  }
  const { rows } = await db.query<{ name: string }>({
    text: `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event_log'::regclass and c.relname ~ '^event_log_[0-9]{8}$' and c.relname < $1`,
    values: [partitionOf(dayOf(now - RETENTION_DAYS * DAY_MS))],
  })
  for (const { name } of rows) await db.query({ text: `drop table ${name}` })
}
