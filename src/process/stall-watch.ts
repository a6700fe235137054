/** Notices that the event loop of this process stood still. */
export interface StallWatch {
  /** Called before something is served; `now` is `performance.now()`. */
  check(now: number): void
  stop(): void
}

// The other processes wait longer than this for a confirmation, so what they no longer wait for is always noticed.
const STALL_MS = 1_000
const TICK_MS = 250

/** Calls `onStall` when nothing ran for a second: messages of other processes may be waiting behind what is handled now. */
export function createStallWatch(onStall: (forMs: number) => void): StallWatch {
  let ranAt = performance.now()
  const check = (now: number) => {
    const forMs = now - ranAt
    ranAt = now
    if (forMs > STALL_MS) onStall(forMs)
  }
  const timer = setInterval(() => check(performance.now()), TICK_MS)
  timer.unref()
  return { check, stop: () => clearInterval(timer) }
}
