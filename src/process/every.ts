import type { Stoppable } from './keep-trying.ts'

/** Does something at an interval, never twice at once: a turn that is due while the one before still runs is left out. */
export function every(
  ms: number,
  turn: (stopping: AbortSignal) => Promise<unknown>,
  failed: (error: unknown) => void,
  { atOnce = false } = {},
): Stoppable {
  const stopping = new AbortController()
  let running: Promise<unknown> | undefined
  const take = () => {
    running ??= turn(stopping.signal)
      .catch(failed)
      .finally(() => {
        running = undefined
      })
  }
  if (atOnce) take()
  const timer = setInterval(take, ms)
  return {
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
