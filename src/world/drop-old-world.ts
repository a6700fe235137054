import { announceNewWorld, type Runtime } from '../api-kit/runtime.ts'
import type { ClockState } from '../process/clock.ts'
import { readClockState, storeFrozen } from '../storage/clock-facts.ts'
import { STREAMS_RESUMED } from '../streams/stream-fault.ts'

/** Lets all processes follow the clock of a new world, and drop what they keep about the one before. */
export async function dropOldWorld(runtime: Runtime, clock: ClockState): Promise<void> {
  runtime.clock.setState(clock)
  runtime.passOn([['clock', ['state']]])
  await Promise.all([runtime.bus.sendAll('clock', clock), announceNewWorld(runtime, [STREAMS_RESUMED])])
}

/** The same for a world that has a clock of its own, as steps of its restore. */
export function followingWorld(runtime: Runtime): { whenRestored(): Promise<void>; announce(): Promise<void> } {
  const { database, clock } = runtime
  let state = clock.home
  return {
    whenRestored: async () => {
      const stored = await readClockState(database, clock.home)
      state = stored.frozen ? await storeFrozen(database, stored.frozen.atMs, clock.reached()) : stored
    },
    announce: () => dropOldWorld(runtime, state),
  }
}
