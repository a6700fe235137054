import { createHash } from 'node:crypto'
import type { ClockState } from './clock.ts'

/** The moment at which the clock stands in deterministic mode. The first users and apps are a day older. */
const FIXED_MS = Date.UTC(2026, 0, 2, 12)

/** The clock of deterministic mode. */
export const FIXED_CLOCK: ClockState = { offsetMs: 0, frozen: { atMs: FIXED_MS, sinceMs: 0, spentMs: 0 } }

/** The key of an installation that was made with a seed. */
export const keyOfSeed = (seed: string): string => createHash('sha256').update(`rostra key ${seed}`).digest('hex')

/** What fixes the answers of a process: the seed, and how many processes with its number there were before. */
export interface Determinism {
  seed: string
  starts: number
}
