import { setTimeout as pause } from 'node:timers/promises'
import { RostraTimeoutError } from './errors.ts'
import type { Duration } from './types.ts'
import { milliseconds } from './units.ts'

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100
const DEFAULT_TIMEOUT_MS = 5_000

// Taken once: tests replace it with a clock of their own.
const measuredMs = performance.now.bind(performance)

/** Asks until there is a value; after the timeout it throws with what `seen` says. */
export async function waitFor<T>(
  what: string,
  timeout: Duration | undefined,
  look: () => Promise<T | undefined>,
  seen: () => Promise<string>,
): Promise<T> {
  const withinMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : milliseconds(timeout)
  const deadline = measuredMs() + withinMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const found = await look()
    if (found !== undefined) return found
    const left = deadline - measuredMs()
    if (left <= 0) throw new RostraTimeoutError(`No ${what} within ${withinMs} ms. ${await seen()}`)
    await pause(Math.min(pauseMs, left))
  }
}
