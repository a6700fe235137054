const SECOND_MS = 1_000

/** Lets at most `perSecond` items pass in any second, without delay below that rate. */
export class Throttle {
  /** When the last items passed, as a ring: `#next` is the index of the oldest. */
  readonly #passed: Float64Array
  #next = 0

  constructor(perSecond: number) {
    this.#passed = new Float64Array(perSecond).fill(-Infinity)
  }

  /** How many of `wanted` items may pass now; they count as passed. */
  take(wanted: number, nowMs: number): number {
    let taken = 0
    for (; taken < wanted && this.waitMs(nowMs) === 0; taken++) {
      this.#passed[this.#next] = nowMs
      this.#next = (this.#next + 1) % this.#passed.length
    }
    return taken
  }

  /** How long until the next item may pass. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#passed[this.#next]! + SECOND_MS - nowMs)
  }
}
