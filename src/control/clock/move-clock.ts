import type { Runtime } from '../../api-kit/runtime.ts'
import { type ClockState, realNow } from '../../process/clock.ts'
import { readClockState, storeFrozen, storeRunning } from '../../storage/clock-facts.ts'
import { transaction } from '../../storage/database.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { statement } from '../../storage/statement.ts'
import { nextDue, runDueTasks, runDueWork } from './due-work.ts'

/** How the clock is to be changed, in this order. */
export interface ClockChange {
  reset: boolean
  /** The moment to go to. */
  setMs?: number | undefined
  advanceMs: number
  /** Whether time stands still afterwards; as before where it is not given. */
  frozen?: boolean | undefined
}

const clockLock = statement('clock_lock', {}, `select from (select pg_advisory_xact_lock(${LOCK.clock})) as held`)

// What falls due at more moments than this is done at the last of them.
const MOST_STEPS = 200
const WORK_WITHIN_MS = 20_000
const SECOND_MS = 1_000

/**
 * Moves the clock for all processes. On the way forward it stops at each moment at which something falls due, so everything happens
 * in its order and at its time. Returns what could not be done in time.
 */
export const moveClock = (runtime: Runtime, change: ClockChange): Promise<string[]> =>
  // One change at a time, of all processes of all machines.
  transaction(runtime.database, async (tx) => {
    await clockLock.count(tx)
    const { clock, database } = runtime
    clock.setState(await readClockState(database, clock.home))
    const deadline = realNow() + WORK_WITHIN_MS
    const beganMs = clock.reached()
    // Read once: a millisecond between two readings would be added to the offset.
    const from = clock.state().frozen?.atMs ?? beganMs + clock.state().offsetMs
    const home = change.reset ? clock.home : undefined
    const start = home ? (home.frozen?.atMs ?? beganMs) : from
    const target = (change.setMs ?? start) + change.advanceMs
    const wasFrozen = (home ?? clock.state()).frozen !== undefined
    const isFrozen = change.frozen ?? wasFrozen
    const goTo = (atMs: number) =>
      isFrozen ? freezeAt(runtime, atMs) : apply(runtime, () => storeRunning(database, atMs - beganMs, clock.reached()))

    if (target > from) await takeSteps(runtime, from, target, deadline, goTo)
    // A frozen second is a whole one, and not before what has happened.
    const isStopped = isFrozen && !wasFrozen && change.setMs === undefined
    await goTo(isStopped ? Math.ceil(target / SECOND_MS) * SECOND_MS : target)
    return target > from ? runDueWork(runtime, deadline) : []
  })

/**
 * Moves a clock that stands still, or stops it there: what falls due at a moment of its own on the way is done, what has none is left to
 * the next move. A life takes such a step for each of its ticks.
 */
export const stepClock = (runtime: Runtime, atMs: number): Promise<void> =>
  transaction(runtime.database, async (tx) => {
    await clockLock.count(tx)
    const { clock, database } = runtime
    clock.setState(await readClockState(database, clock.home))
    const from = clock.now()
    const goTo = (ms: number) => freezeAt(runtime, ms)
    if (atMs > from) await takeSteps(runtime, from, atMs, realNow() + WORK_WITHIN_MS, goTo)
    await goTo(atMs)
  })

async function takeSteps(
  runtime: Runtime,
  from: number,
  target: number,
  deadline: number,
  goTo: (atMs: number) => Promise<void>,
): Promise<void> {
  let reached = from
  for (let steps = 0; steps < MOST_STEPS && realNow() < deadline; steps++) {
    const next = await nextDue(runtime, reached, target)
    if (next === undefined) return
    reached = next
    await goTo(next)
    await runDueTasks(runtime, deadline)
  }
}

const freezeAt = (runtime: Runtime, atMs: number): Promise<void> =>
  apply(runtime, () => storeFrozen(runtime.database, atMs, runtime.clock.reached()))

async function apply(runtime: Runtime, store: () => Promise<ClockState>): Promise<void> {
  const state = await store()
  runtime.clock.setState(state)
  runtime.passOn([['clock', ['state']]])
  await runtime.bus.sendAll('clock', state)
}
