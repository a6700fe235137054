import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { realNow } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { createAlarm } from './alarm.ts'
import type { LoggedEvent } from './catalog.ts'
import { eventsMove, eventsMoveAndTell, headPlace, MOST_MOVED } from './log.statements.ts'
import type { NatsLine } from './nats-line.ts'

const IDLE_MS = 250
const FOLLOW_MS = 1_000
const NUDGE_MS = 4
// While writes come in, whether the leader is gone is asked this often at most.
const TRY_MS = 100
// Under load events are moved some at a time: each move costs a commit.
const GATHER_MS = 10
// How often the leader says on NATS how far the log is: readers notice by it what they missed, and that it is silent.
const HEAD_MS = 1_000
const DAY_MS = 24 * 3600_000
const RETENTION_DAYS = 7

const OUTBOX_CHANNEL = 'rostra_outbox'

/** Gives committed events their places. Every machine has one; one of them leads, the others stand by. */
export interface Sequencer {
  /** Says that something was written to the outbox by this machine. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Starts standing by, and leads as soon as nobody else does. A lost connection gives the lead up by itself. Where a line is given,
 * the leader tells there what it moved, and those who stand by call it there while it is heard.
 */
export function startSequencer(connection: () => ConnectionOptions, log: Logger, line?: NatsLine): Sequencer {
  const alarm = createAlarm()
  let stopped = false
  let leads = false
  // Only who leads listens: those who stand by would wake each other without end.
  const endHearing = line?.hear({ call: () => leads && alarm.ring() })

  const standBy = async (own: OwnConnection) => {
    let triedAt = Number.NEGATIVE_INFINITY
    while (!stopped && !own.isLost) {
      if (performance.now() - triedAt >= TRY_MS) {
        const { rows } = await own.client.query('select pg_try_advisory_lock($1) as leads', [LOCK.sequencer])
        leads = rows[0].leads
        if (leads) return
        triedAt = performance.now()
      }
      if (alarm.rings) {
        alarm.quiet()
        // Not ours to move: the leader is told, at most once every few milliseconds.
        if (line?.isLive()) line.callLeader()
        else await own.client.query(`notify ${OUTBOX_CHANNEL}`)
        await sleep(NUDGE_MS)
      } else await alarm.sleep(FOLLOW_MS)
    }
  }

  const lead = async (own: OwnConnection) => {
    own.client.on('notification', () => alarm.ring())
    await own.client.query(`listen ${OUTBOX_CHANNEL}`)
    let head = (await headPlace.first(own.client))?.place ?? '0'
    let toldAt = Number.NEGATIVE_INFINITY
    let partitionsFor = ''
    let idleMs = IDLE_MS
    while (!stopped && !own.isLost) {
      // A wake comes before the commit that it tells of: what is not there yet is looked for again, soon at first.
      idleMs = alarm.rings ? NUDGE_MS : Math.min(IDLE_MS, idleMs * 2)
      alarm.quiet()
      const today = dayOf(realNow())
      if (partitionsFor !== today) {
        await renewPartitions(own.client)
        partitionsFor = today
      }
      const moved = await (line ? eventsMoveAndTell : eventsMove).all(own.client, today)
      const count = moved.length
      if (line && count > 0) {
        const events = (moved as LoggedEvent[]).sort((left, right) => Number(left.place) - Number(right.place))
        head = events.at(-1)!.place
        line.tellEvents(events)
      }
      if (line && performance.now() - toldAt >= HEAD_MS) {
        line.tellHead(head)
        toldAt = performance.now()
      }
      if (count > 0 && count < MOST_MOVED) await sleep(GATHER_MS)
      if (count < MOST_MOVED) await alarm.sleep(idleMs)
    }
  }

  const run = async () => {
    let hasWarned = false
    while (!stopped) {
      let own: OwnConnection | undefined
      try {
        own = await openOwnConnection(connection(), 'rostra sequencer', () => alarm.ring())
        hasWarned = false
        await standBy(own)
        if (leads) await lead(own)
        if (own.isLost && !stopped) throw new Error('the connection ended')
      } catch (error) {
        // Once for each time that the database is away.
        if (!stopped && !hasWarned) log.warn({ err: error }, 'the sequencer lost its connection and begins again')
        hasWarned = own === undefined
        await sleep(IDLE_MS)
      } finally {
        leads = false
        await own?.close()
      }
    }
  }
  const running = run()
  return {
    wake: () => alarm.ring(),
    stop: async () => {
      stopped = true
      endHearing?.()
      alarm.ring()
      await running
    },
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const partitionOf = (day: string): string => `event_log_${day.replaceAll('-', '')}`

/** Makes the partitions of today and tomorrow and drops those that are too old. */
async function renewPartitions(client: pg.Client): Promise<void> {
  const now = realNow()
  for (const ms of [now, now + DAY_MS]) {
    const day = dayOf(ms)
    const { rows } = await client.query('select to_regclass($1) is not null as exists', [partitionOf(day)])
    if (rows[0].exists) continue
    await client.query(
      `create table ${partitionOf(day)} partition of event_log for values from ('${day}') to ('${dayOf(ms + DAY_MS)}')`,
    )
  }
  const oldest = partitionOf(dayOf(now - RETENTION_DAYS * DAY_MS))
  const { rows } = await client.query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event_log'::regclass and c.relname ~ '^event_log_[0-9]{8}$' and c.relname < $1`,
    [oldest],
  )
  for (const { name } of rows) await client.query(`drop table ${name}`)
}
