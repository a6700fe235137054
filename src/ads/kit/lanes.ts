import { setTimeout as sleep } from 'node:timers/promises'

/** How much work of others may run at once. Tests shorten the times. */
export interface LaneLimits {
  /** How many pieces run at once, without those that have become slow. */
  atOnce: number
  /** How many run at once with the slow ones. */
  most: number
  /** A piece is slow after this time, and another may start beside it. */
  slowMs: number
}

const POLL_MS = 500

/**
 * Runs pieces of work, several at once, until there is none left. Slow pieces, which wait for someone else's server,
 * do not keep others from starting. Returns the number of pieces.
 */
export async function runInLanes<T>(
  limits: LaneLimits,
  stopping: AbortSignal,
  next: () => Promise<T | undefined>,
  work: (item: T) => Promise<void>,
): Promise<number> {
  const running = new Map<Promise<void>, number>()
  const hasRoom = () => {
    const slowSince = performance.now() - limits.slowMs
    const quick = [...running.values()].filter((startedAt) => startedAt > slowSince).length
    return quick < limits.atOnce && running.size < limits.most
  }
  let done = 0
  for (;;) {
    const item = !stopping.aborted && hasRoom() ? await next() : undefined
    if (item !== undefined) {
      const piece = work(item).finally(() => running.delete(piece))
      running.set(piece, performance.now())
      done += 1
    } else if (running.size === 0) return done
    // What becomes due meanwhile does not wait for a slow piece.
    else await Promise.race([...running.keys(), sleep(Math.min(POLL_MS, limits.slowMs))])
  }
}
