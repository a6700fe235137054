import { hash } from '../process/hash.ts'
import type { Persona } from './personas/load-personas.ts'

/** The share of a person's looks in each hour of their day: little at night, most in the evening. The sum is 24. */
const HOURS = [
  0.4, 0.15, 0.1, 0.08, 0.1, 0.2, 0.55, 1.0, 1.25, 1.15, 1.05, 1.1, 1.35, 1.3, 1.1, 1.05, 1.1, 1.25, 1.52, 1.6, 1.85,
  1.95, 1.8, 1.0,
]
const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const LOOK_STREAM = 11

/** Finds who looks at a moment. It depends on seed and tick only, so it can be found again. */
export class LookPlan {
  readonly #seed: number
  readonly #tickMs: number
  /** Per persona: the share of 2^32 in an hour of weight 1. */
  readonly #shares: Float64Array
  readonly #shifts: Int16Array

  constructor(seed: number, tickMs: number, personas: readonly Persona[]) {
    this.#seed = seed
    this.#tickMs = tickMs
    const ticksPerDay = (DAY_MINUTES * MINUTE_MS) / tickMs
    this.#shares = Float64Array.from(personas, ({ looksPerDay }) => (looksPerDay / ticksPerDay) * 0x1_0000_0000)
    // Somebody who gets up later lives in an earlier zone.
    this.#shifts = Int16Array.from(personas, ({ zone, later }) => zone - later * 60)
  }

  /** The positions of those who look at `atMs`, in order. */
  lookers(atMs: number): number[] {
    const tick = Math.floor(atMs / this.#tickMs)
    const minute = Math.floor(atMs / MINUTE_MS) % DAY_MINUTES
    const found: number[] = []
    for (let position = 0; position < this.#shares.length; position++) {
      const hour = Math.floor(((minute + this.#shifts[position]! + 2 * DAY_MINUTES) % DAY_MINUTES) / 60)
      if (hash(this.#seed, position, tick, LOOK_STREAM) < this.#shares[position]! * HOURS[hour]!) found.push(position)
    }
    return found
  }
}
