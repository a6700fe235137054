import { setTimeout as sleep } from 'node:timers/promises'

/** Work that goes on until it is stopped. */
export interface Stoppable {
  /** Resolves when the work has ended. */
  stop(): Promise<void>
}

interface KeepTryingOptions {
  /** One attempt. It calls `works` when it has what it needs, such as a connection; it ends early when `stopping` aborts. */
  attempt(stopping: AbortSignal, works: () => void): Promise<void>
  /** Called with the first error of an outage, and not again until an attempt has worked. */
  failed(error: unknown): void
  /** Waits between two attempts. */
  pause(stopping: AbortSignal): Promise<unknown>
}

/** Repeats attempts until it is stopped, whether they fail or end. */
export function keepTrying({ attempt, failed, pause }: KeepTryingOptions): Stoppable {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    let hasReported = false
    while (!signal.aborted) {
      try {
        await attempt(signal, () => {
          hasReported = false
        })
      } catch (error) {
        if (!signal.aborted && !hasReported) failed(error)
        hasReported = true
      }
      if (!signal.aborted) await pause(signal)
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Waits for a time, or until `stopping` aborts. */
export async function pauseFor(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => {})
}
