import { setImmediate } from 'node:timers/promises'

const TURN_MS = 20

/** Handles items one after the other. Other work of the process runs in between when they take long. */
export async function inTurns<I, O>(items: readonly I[], handle: (item: I) => O): Promise<O[]> {
  const results: O[] = []
  let began = performance.now()
  for (const item of items) {
    results.push(handle(item))
    if (performance.now() - began < TURN_MS) continue
    await setImmediate()
    began = performance.now()
  }
  return results
}
