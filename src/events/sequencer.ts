import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { realNow } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { ConnectionOptions } from '../storage/database.ts'

const LEADER_LOCK = 7_462_303
const BATCH = 2_000
const IDLE_MS = 250
const FOLLOW_MS = 1_000
const NUDGE_MS = 4
// Under load events are moved some at a time: each move costs a commit.
const GATHER_MS = 10
const DAY_MS = 24 * 3600_000
const RETENTION_DAYS = 7

export const LOG_CHANNEL = 'rostra_log'
const OUTBOX_CHANNEL = 'rostra_outbox'

// Deletes from the outbox and appends to the log in one statement: a place is never visible before a smaller one.
const MOVE = `with taken as (
    delete from event_outbox where id in (select id from event_outbox order by id limit ${BATCH}) returning *
  ), amount as (select count(*) as n from taken),
  head as (update event_head set place = place + n from amount where n > 0 returning place, n)
  insert into event_log (place, type, actor_id, target_id, post_id, payload, happened_at, logged_on)
  select head.place - head.n + row_number() over (order by taken.id), type, actor_id, target_id, post_id, payload, happened_at, $1
    from taken, head
  returning place`

/** Gives committed events their places. Every machine has one; one of them leads, the others stand by. */
export interface Sequencer {
  /** Says that something was written to the outbox by this machine. */
  nudge(): void
  stop(): Promise<void>
}

/** Starts standing by, and leads as soon as nobody else does. A lost connection gives the lead up by itself. */
export function startSequencer(connection: () => ConnectionOptions, log: Logger): Sequencer {
  let stopped = false
  let wake = () => {}
  let isAwake = false
  const nudge = () => {
    isAwake = true
    wake()
  }
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isAwake) return resolve()
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const serve = async (client: pg.Client, line: { lost: boolean }) => {
    client.on('notification', nudge)
    let leads = false
    let partitionsFor = ''
    let idleMs = IDLE_MS
    while (!stopped && !line.lost) {
      // A nudge comes before the commit that it tells of: what is not there yet is looked for again, soon at first.
      idleMs = isAwake ? NUDGE_MS : Math.min(IDLE_MS, idleMs * 2)
      isAwake = false
      if (!leads) {
        leads = (await client.query('select pg_try_advisory_lock($1) as leads', [LEADER_LOCK])).rows[0].leads
        // Not ours to move: the leader is told, at most once every few milliseconds.
        if (!leads) {
          await pause(FOLLOW_MS)
          if (isAwake && !stopped) {
            await client.query(`notify ${OUTBOX_CHANNEL}`)
            await sleep(NUDGE_MS)
          }
          continue
        }
        // Only who leads listens: those who stand by would wake each other without end.
        await client.query(`listen ${OUTBOX_CHANNEL}`)
      }
      const today = dayOf(realNow())
      if (partitionsFor !== today) {
        await renewPartitions(client)
        partitionsFor = today
      }
      const moved = await client.query({ name: 'event_move', text: MOVE, values: [today] })
      if ((moved.rowCount ?? 0) > 0) await client.query(`notify ${LOG_CHANNEL}`)
      if ((moved.rowCount ?? 0) > 0 && (moved.rowCount ?? 0) < BATCH) await sleep(GATHER_MS)
      if ((moved.rowCount ?? 0) < BATCH) await pause(idleMs)
    }
  }

  const run = async () => {
    while (!stopped) {
      const client = new pg.Client({ ...connection(), application_name: 'rostra sequencer' } as pg.ClientConfig)
      const line = { lost: false }
      const broken = new Promise<never>((_, reject) => {
        client.on('error', (error) => {
          line.lost = true
          reject(error)
          wake()
        })
      })
      broken.catch(() => {})
      try {
        await client.connect()
        // A move that a crash takes back leaves its events in the outbox. A reader that keeps its place by a commit of its own
        // makes every move before it durable along with it.
        await client.query('set synchronous_commit = off')
        await Promise.race([serve(client, line), broken])
      } catch (error) {
        if (!stopped) log.warn({ err: error }, 'the sequencer lost its connection and begins again')
        await sleep(IDLE_MS)
      } finally {
        await client.end().catch(() => {})
      }
    }
  }
  const running = run()
  return {
    nudge,
    stop: async () => {
      stopped = true
      nudge()
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
