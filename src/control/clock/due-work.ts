import { setTimeout as sleep } from 'node:timers/promises'
import { runTasks } from '../../ads/kit/task.ts'
import { adsTasks } from '../../ads/tasks.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { realNow } from '../../process/clock.ts'
import { SliceKeeper } from '../../search/slices/keep-slices.ts'
import { removeDeletedAccounts } from '../../social/accounts/remove-accounts.ts'
import { processJobs } from '../../social/compliance/process-jobs.ts'
import { scoreIfDue } from '../../social/notes/score-notes.ts'
import { runDueTopicWork } from '../../social/topic-work.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { statement } from '../../storage/statement.ts'
import { challengeDue } from '../../webhooks/challenge-webhooks.ts'
import { tidy } from '../../world/housekeeping.ts'

/** When the next thing happens that has a moment of its own: a scheduled post, an attempt of a delivery, a product feed. */
const dueNext = statement(
  'clock_due_next',
  { at: 'timestamptz?' },
  `select min(at) as at from (
     select min(scheduled_at) from ads_scheduled_post where scheduled_status = 'SCHEDULED' and scheduled_at > $1
     union all
     select min(next_fetch_at) from ads_scheduled_feed where next_fetch_at > $1
     union all
     select min(d.next_attempt_at) from webhook w join webhook_delivery d on d.webhook_id = w.id and d.state = 'pending'
      where w.valid and d.next_attempt_at > $1) as n (at)
   where at <= $2`,
)

const isHeld = (lock: number): string =>
  `exists (select from pg_locks where locktype = 'advisory' and objsubid = 1 and objid = ${lock}
     and database = (select oid from pg_database where datname = current_database()))`

/** What other processes have yet to do: move events into the log, plan deliveries, send those that are due. */
const waiting = statement(
  'clock_waiting',
  { events: 'bool', plans: 'bool', deliveries: 'bool' },
  `select ${isHeld(LOCK.sequencer)} and exists (select from event_outbox where id <= $1) as events,
          w.dispatched and exists (select from event_reader r where r.name = 'webhooks' and r.place < $2) as plans,
          w.dispatched and exists (select from webhook w join webhook_delivery d on d.webhook_id = w.id and d.state = 'pending'
                                    where w.valid and d.next_attempt_at <= $3) as deliveries
     from (select ${isHeld(LOCK.deliveries)} and exists (select from webhook where valid) as dispatched) w`,
)
const logEnd = statement(
  'clock_log_end',
  { outbox: 'int8', head: 'int8' },
  `select coalesce((select max(id) from event_outbox), 0) as outbox, (select place from event_head) as head`,
)

// Other processes are waited for: the sender stores results in batches, a receiver may take seconds.
const LOOK_MS = 5
const TASK_ROUNDS = 5

/** The moment after `from` and until `to` at which something falls due. */
export async function nextDue({ database }: Runtime, from: number, to: number): Promise<number | undefined> {
  return (await dueNext.first(database, new Date(from), new Date(to)))?.at?.getTime()
}

/** Does what falls due at a moment of its own. Returns what was not done before `deadline`, which is real time. */
export async function runDueTasks(runtime: Runtime, deadline: number): Promise<string[]> {
  for (let round = 0; round < TASK_ROUNDS && realNow() < deadline; round++) {
    // What a task waits for may never answer, such as the host of a feed.
    const done = await within(deadline, runTasks(runtime, adsTasks))
    if (!done) return ['advertising tasks', ...(await waitForDeliveries(runtime, deadline))]
    if (Object.values(done).every((count) => count === 0)) break
  }
  return waitForDeliveries(runtime, deadline)
}

/** What work returns; undefined if it has not ended by `deadline`. Then it goes on without being waited for. */
async function within<T>(deadline: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, deadline - realNow()))
  })
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Does everything that the time has made due: what has no moment of its own is done once. */
export async function runDueWork(runtime: Runtime, deadline: number): Promise<string[]> {
  const ending = AbortSignal.timeout(Math.max(1, deadline - realNow()))
  const late = await runDueTasks(runtime, deadline)
  const steps: [string, () => Promise<unknown>][] = [
    ['webhook challenges', () => challengeDue(runtime, ending)],
    ['compliance jobs', () => processJobs(runtime, ending)],
    ['deleted accounts', () => removeDeletedAccounts(runtime, ending)],
    ['community notes', () => scoreIfDue(runtime, ending)],
    ['trends and news', () => runDueTopicWork(runtime, ending)],
    ['search slices', () => new SliceKeeper(runtime.database).turn(runtime.clock.now(), realNow())],
    ['housekeeping', () => tidy(runtime)],
  ]
  for (const [name, run] of steps) {
    try {
      if (realNow() >= deadline) late.push(name)
      else await run()
    } catch (error) {
      runtime.log.error({ err: error }, `the clock was moved, but what was due in ${name} failed`)
      late.push(name)
    }
  }
  return late
}

async function waitForDeliveries(runtime: Runtime, deadline: number): Promise<string[]> {
  const { database } = runtime
  // Events that are written later are not what the clock caused.
  const { outbox } = (await logEnd.first(database))!
  let head: string | undefined
  runtime.bus.wake('outbox')
  for (;;) {
    const left = (await waiting.first(database, outbox, head ?? '0', new Date(runtime.clock.now())))!
    if (!left.events && head === undefined) {
      head = (await logEnd.first(database))!.head
      continue
    }
    if (!left.events && !left.plans && !left.deliveries) return []
    if (realNow() >= deadline) return Object.entries(left).flatMap(([name, isLeft]) => (isLeft ? [name] : []))
    await sleep(LOOK_MS)
  }
}
