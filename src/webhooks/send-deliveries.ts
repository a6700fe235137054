import { setTimeout as sleep } from 'node:timers/promises'
import { onNewWorld, type Runtime } from '../api-kit/runtime.ts'
import { type App, appPart } from '../identity/credentials.parts.ts'
import { meterOf } from '../identity/usage/usage-meter.ts'
import { cutText } from '../process/cut-text.ts'
import { OutgoingError } from '../process/outgoing.ts'
import { createWakeSignal } from '../process/wake-signal.ts'
import { hiddenReason } from '../social/event-visibility.ts'
import { deliveriesDue, deliveriesRecord } from './delivery.statements.ts'
import { deliveryChanges } from './delivery-changes.ts'
import { faultOutcome } from './delivery-fault.ts'
import { withheldEntry } from './planned-delivery.ts'
import { deliveryHeaders } from './sign-delivery.ts'

const TIMEOUT_MS = 10_000
/** The delays between attempts. After the last one the delivery is given up. */
const RETRY_MS = [3_000, 30_000, 300_000] as const
const POLL_MS = 1_000
const AHEAD = 500
// One delivery at a time keeps the order. A receiver with a backlog gets several at once, because speed matters more then.
const BEHIND = 50
const AT_ONCE = 16
const RECORD_MS = 20
const RECORD_RETRY_MS = 1_000
const ANSWER_CHARACTERS = 500
const LAST_ANSWERS_MS = 2_000

type Due = Awaited<ReturnType<typeof deliveriesDue.all>>[number]

/** The queue of one receiver, and how many of its deliveries are in flight. */
interface Lane {
  queue: Due[]
  inFlight: number
}

interface AttemptResult {
  id: string
  state: 'pending' | 'delivered' | 'given_up' | 'withheld'
  nextAttemptAt: Date
  entry: string
}

/** Sends due deliveries. Only the leading process runs one. */
export interface Sender {
  /** Checks for due deliveries soon. */
  wake(): void
  stop(): Promise<void>
}

export function startSender(runtime: Runtime): Sender {
  const lanes = new Map<string, Lane>()
  // Queued or in flight, or without a recorded result. These must not be read again.
  const claimed = new Set<string>()
  let results: AttemptResult[] = []
  let isStopped = false
  const wakeSignal = createWakeSignal()
  let recording: Promise<void> = Promise.resolve()
  let recordTimer: NodeJS.Timeout | undefined
  const sending = new Set<Promise<void>>()

  const refill = async () => {
    const full = [...lanes].filter(([, lane]) => lane.queue.length >= AHEAD / 2).map(([id]) => id)
    const due = await deliveriesDue.all(runtime.database, new Date(runtime.clock.now()), [...claimed], AHEAD, full)
    for (const row of due) {
      claimed.add(row.id)
      if (row.hidden_user_id !== null) {
        withhold(row, hiddenReason(row.hidden_user_id, row.suspended === true))
        continue
      }
      let lane = lanes.get(row.webhook_id)
      if (!lane) {
        lane = { queue: [], inFlight: 0 }
        lanes.set(row.webhook_id, lane)
      }
      lane.queue.push(row)
    }
    for (const [id, lane] of lanes) {
      if (lane.queue.length === 0 && lane.inFlight === 0) lanes.delete(id)
      else sendNext(lane)
    }
  }

  const withhold = (row: Due, reason: string) => {
    runtime.log.info(`delivery ${row.id} to webhook ${row.webhook_id} is withheld: ${reason}`)
    const now = new Date(runtime.clock.now())
    keep({ ...ended(runtime, row, 'withheld'), entry: withheldEntry(now, reason) })
  }

  const sendNext = (lane: Lane) => {
    const most = lane.queue.length + lane.inFlight > BEHIND ? AT_ONCE : 1
    while (!isStopped && lane.inFlight < most && lane.queue.length > 0) {
      const row = lane.queue.shift()!
      lane.inFlight += 1
      const attempt = send(runtime, row).then(keep, (error: unknown) => {
        // Nothing was sent, so this does not count as an attempt.
        runtime.log.warn({ err: error }, 'a delivery could not be prepared')
        claimed.delete(row.id)
      })
      void attempt.then(() => {
        lane.inFlight -= 1
        sending.delete(attempt)
        sendNext(lane)
        if (lane.queue.length < AHEAD / 4) wakeSignal.set()
      })
      sending.add(attempt)
    }
  }

  const keep = (result: AttemptResult) => {
    results.push(result)
    recordTimer ??= setTimeout(flush, RECORD_MS)
  }
  const flush = () => {
    recordTimer = undefined
    const batch = results
    results = []
    if (batch.length === 0) return
    recording = recording.then(async () => {
      try {
        await deliveriesRecord.count(
          runtime.database,
          batch.map((item) => item.id),
          batch.map((item) => item.state),
          batch.map((item) => item.nextAttemptAt.toISOString()),
          batch.map((item) => item.entry),
        )
      } catch (error) {
        runtime.log.warn({ err: error }, 'the results of deliveries could not be stored')
        if (isStopped) return
        // They stay claimed, so a short outage of the database does not send them twice.
        results.unshift(...batch)
        recordTimer ??= setTimeout(flush, RECORD_RETRY_MS)
        return
      }
      for (const item of batch) claimed.delete(item.id)
      runtime.singleton(deliveryChanges).report(batch.map(({ id }) => id))
      wakeSignal.set()
    })
  }

  const run = async () => {
    while (!isStopped) {
      wakeSignal.clear()
      try {
        await refill()
      } catch (error) {
        runtime.log.warn({ err: error }, 'deliveries could not be read')
      }
      if (!isStopped) await wakeSignal.wait(POLL_MS)
    }
  }
  const running = run()
  // What is due has changed.
  const endMoves = runtime.clock.onMove(wakeSignal.set)
  // What waits in memory belongs to the world before.
  const endWorlds = onNewWorld(runtime, () => {
    for (const lane of lanes.values()) for (const row of lane.queue.splice(0)) claimed.delete(row.id)
    wakeSignal.set()
  })
  return {
    wake: wakeSignal.set,
    stop: async () => {
      isStopped = true
      endMoves()
      endWorlds()
      wakeSignal.set()
      await running
      // A slow receiver must not delay the stop. Deliveries without a recorded result are sent again.
      await Promise.race([Promise.all(sending), sleep(LAST_ANSWERS_MS, undefined, { ref: false })])
      clearTimeout(recordTimer)
      flush()
      await recording
    },
  }
}

/** Makes one attempt; throws only if it could not be prepared. */
async function send(runtime: Runtime, row: Due): Promise<AttemptResult> {
  const started = performance.now()
  const at = new Date(runtime.clock.now()).toISOString()
  const entryOf = (outcome: Record<string, unknown>) =>
    JSON.stringify([{ at, ms: Math.round(performance.now() - started), ...outcome }])
  const failing = await faultOutcome(runtime, row.webhook_id, TIMEOUT_MS)
  if (failing) return { ...failed(runtime, row), entry: entryOf(failing) }
  // Read for each delivery, so a new secret signs the next one.
  const app = await runtime.parts.one(appPart, row.app_id)
  try {
    if (!app) throw new OutgoingError('network', 'the app was removed')
    const answer = await runtime.outgoing.call({
      method: 'POST',
      url: row.url,
      headers: deliveryHeaders(runtime.secretBox.open(app.api_key_secret_sealed), row.body),
      body: row.body,
      timeoutMs: TIMEOUT_MS,
      keepAlive: true,
    })
    const entry = entryOf({ status: answer.status, answer: storable(answer.body) })
    const isAccepted = answer.status >= 200 && answer.status < 300
    if (isAccepted) countPost(runtime, app, row.post_id)
    return isAccepted ? { ...ended(runtime, row, 'delivered'), entry } : { ...failed(runtime, row), entry }
  } catch (error) {
    const words = error instanceof OutgoingError ? error.message : 'an unexpected error'
    if (!(error instanceof OutgoingError)) runtime.log.error({ err: error }, 'a delivery failed unexpectedly')
    return { ...failed(runtime, row), entry: entryOf({ error: words }) }
  }
}

/** A post that a receiver accepted counts as usage, like one that was read. */
function countPost(runtime: Runtime, app: App, postId: string | null): void {
  if (!runtime.hasUsage || postId === null) return
  meterOf(runtime).countDelivered({ id: app.id, projectId: app.project_id }, 'post', [postId])
}

const ended = (runtime: Runtime, row: Due, state: AttemptResult['state']) => ({
  id: row.id,
  state,
  nextAttemptAt: new Date(runtime.clock.now()),
})

function failed(runtime: Runtime, row: Due): Omit<AttemptResult, 'entry'> {
  const wait = RETRY_MS[row.attempts]
  if (wait === undefined) return ended(runtime, row, 'given_up')
  return { id: row.id, state: 'pending', nextAttemptAt: new Date(runtime.clock.now() + wait) }
}

// jsonb cannot contain NUL.
const storable = (answer: string): string => cutText(answer, ANSWER_CHARACTERS).replaceAll('\0', '')
