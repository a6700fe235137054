import type { Runtime } from '../api-kit/runtime.ts'

/** Empties the caches of all processes. */
export async function invalidateAll(runtime: Runtime): Promise<void> {
  runtime.parts.invalidateAll()
  await runtime.bus.sendAll('invalidate-all', null)
}
