import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { cutText } from '../process/cut-text.ts'
import { OutgoingError } from '../process/outgoing.ts'
import { createWakeSignal } from '../process/wake-signal.ts'
import { deliveriesDue, deliveriesNote } from './delivery.statements.ts'
import { deliveryHeaders } from './sign-delivery.ts'

const TIMEOUT_MS = 10_000
/** After a failed attempt the next one waits this long; after the last the delivery is given up. */
export const RETRY_MS = [3_000, 30_000, 300_000] as const
const POLL_MS = 1_000
const AHEAD = 500
// One at a time keeps the order. A receiver that falls behind gets several at once: late and orderly serves nobody.
const BEHIND = 50
const AT_ONCE = 16
const NOTE_MS = 20
const NOTE_AGAIN_MS = 1_000
const ANSWER_CHARACTERS = 500
const LAST_ANSWERS_MS = 2_000

type Due = { id: string; webhook_id: string; app_id: string; url: string; body: string; attempts: number }

/** What waits for one receiver, and how much is under way to it. */
interface Lane {
  queue: Due[]
  inFlight: number
}

interface Noted {
  id: string
  state: 'pending' | 'delivered' | 'given_up'
  nextAttemptAt: Date
  entry: string
}

/** Sends due deliveries; only the process that leads may have one running. */
export interface Sender {
  /** Says that there may be something to send. */
  wake(): void
  stop(): Promise<void>
}

export function startSender(runtime: Runtime): Sender {
  const lanes = new Map<string, Lane>()
  // Read or under way and not yet noted: these must not be read again.
  const held = new Set<string>()
  let noted: Noted[] = []
  let isStopped = false
  const wakeSignal = createWakeSignal()
  let noting: Promise<void> = Promise.resolve()
  let noteTimer: NodeJS.Timeout | undefined
  const sending = new Set<Promise<void>>()

  const refill = async () => {
    const full = [...lanes].filter(([, lane]) => lane.queue.length >= AHEAD / 2).map(([id]) => id)
    const due = await deliveriesDue.all(runtime.database, new Date(runtime.clock.now()), [...held], AHEAD, full)
    for (const row of due) {
      held.add(row.id)
      let lane = lanes.get(row.webhook_id)
      if (!lane) {
        lane = { queue: [], inFlight: 0 }
        lanes.set(row.webhook_id, lane)
      }
      lane.queue.push(row)
    }
    for (const [id, lane] of lanes) {
      if (lane.queue.length === 0 && lane.inFlight === 0) lanes.delete(id)
      else drive(lane)
    }
  }

  const drive = (lane: Lane) => {
    const most = lane.queue.length + lane.inFlight > BEHIND ? AT_ONCE : 1
    while (!isStopped && lane.inFlight < most && lane.queue.length > 0) {
      const row = lane.queue.shift()!
      lane.inFlight += 1
      const way = send(runtime, row).then(note, (error: unknown) => {
        // Nothing was sent: it is read again, and has lost none of its attempts.
        runtime.log.warn({ err: error }, 'a delivery could not be made ready')
        held.delete(row.id)
      })
      void way.then(() => {
        lane.inFlight -= 1
        sending.delete(way)
        drive(lane)
        if (lane.queue.length < AHEAD / 4) wakeSignal.set()
      })
      sending.add(way)
    }
  }

  const note = (result: Noted) => {
    noted.push(result)
    noteTimer ??= setTimeout(flush, NOTE_MS)
  }
  const flush = () => {
    noteTimer = undefined
    const batch = noted
    noted = []
    if (batch.length === 0) return
    noting = noting.then(async () => {
      try {
        await deliveriesNote.count(
          runtime.database,
          batch.map((item) => item.id),
          batch.map((item) => item.state),
          batch.map((item) => item.nextAttemptAt.toISOString()),
          batch.map((item) => item.entry),
        )
      } catch (error) {
        runtime.log.warn({ err: error }, 'the results of deliveries could not be noted')
        if (isStopped) return
        // They stay held, and are not sent again while it may only be the database that is away.
        noted.unshift(...batch)
        noteTimer ??= setTimeout(flush, NOTE_AGAIN_MS)
        return
      }
      for (const item of batch) held.delete(item.id)
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
  return {
    wake: wakeSignal.set,
    stop: async () => {
      isStopped = true
      wakeSignal.set()
      await running
      // A receiver that stalls is not waited for: what is not noted is sent again.
      await Promise.race([Promise.all(sending), sleep(LAST_ANSWERS_MS, undefined, { ref: false })])
      clearTimeout(noteTimer)
      flush()
      await noting
    },
  }
}

/** Makes one attempt; throws only where it could not be made ready. */
async function send(runtime: Runtime, row: Due): Promise<Noted> {
  const started = performance.now()
  const at = new Date(runtime.clock.now()).toISOString()
  const told = (outcome: Record<string, unknown>) =>
    JSON.stringify([{ at, ms: Math.round(performance.now() - started), ...outcome }])
  // Read for each: a secret that was changed signs from the next delivery on.
  const app = await runtime.parts.one(appPart, row.app_id)
  try {
    if (!app) throw new OutgoingError('network', 'the app is gone')
    const answer = await runtime.outgoing.call({
      method: 'POST',
      url: row.url,
      headers: deliveryHeaders(runtime.secretBox.open(app.api_key_secret_sealed), row.body),
      body: row.body,
      timeoutMs: TIMEOUT_MS,
      keepAlive: true,
    })
    const entry = told({ status: answer.status, answer: storable(answer.body) })
    const isTaken = answer.status >= 200 && answer.status < 300
    return isTaken ? { ...ended(runtime, row, 'delivered'), entry } : { ...failed(runtime, row), entry }
  } catch (error) {
    const words = error instanceof OutgoingError ? error.message : 'an unexpected error'
    if (!(error instanceof OutgoingError)) runtime.log.error({ err: error }, 'a delivery failed unexpectedly')
    return { ...failed(runtime, row), entry: told({ error: words }) }
  }
}

const ended = (runtime: Runtime, row: Due, state: Noted['state']) => ({
  id: row.id,
  state,
  nextAttemptAt: new Date(runtime.clock.now()),
})

function failed(runtime: Runtime, row: Due): Omit<Noted, 'entry'> {
  const wait = RETRY_MS[row.attempts]
  if (wait === undefined) return ended(runtime, row, 'given_up')
  return { id: row.id, state: 'pending', nextAttemptAt: new Date(runtime.clock.now() + wait) }
}

// jsonb takes no NUL.
const storable = (answer: string): string => cutText(answer, ANSWER_CHARACTERS).replaceAll('\0', '')
