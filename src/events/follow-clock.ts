import { isDeepStrictEqual } from 'node:util'
import type { Runtime } from '../api-kit/runtime.ts'
import { every } from '../process/every.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { readClockState } from '../storage/clock-facts.ts'

const EVERY_MS = 1_000

/** Sets the clock of this process to what another machine has stored. */
export async function followClock({ database, clock, log }: Runtime): Promise<void> {
  try {
    const state = await readClockState(database, clock.home)
    if (!isDeepStrictEqual(state, clock.state())) clock.setState(state)
  } catch (error) {
    log.debug({ err: error }, 'the state of the clock could not be read')
  }
}

/** Follows the clock where other machines may move it. A message says so at once, but may be lost. */
export function startFollowingClock(runtime: Runtime): Stoppable {
  if (!runtime.isShared) return { stop: async () => {} }
  return every(
    EVERY_MS,
    () => followClock(runtime),
    () => {},
    { atOnce: true },
  )
}
