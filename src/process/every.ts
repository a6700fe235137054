/** Work that comes again until it is stopped. */
export interface Repeated {
  /** Tells what is under way to end, and waits for it. */
  stop(): Promise<void>
}

/** Does something every so often, never twice at once: a turn that falls into the one before is left out. */
export function every(
  ms: number,
  turn: (stopping: AbortSignal) => Promise<unknown>,
  failed: (error: unknown) => void,
  { atOnce = false } = {},
): Repeated {
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
