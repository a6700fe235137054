import type { Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'

const WATCH_EVERY_MS = 5_000
const WATCHED_MS = 3 * WATCH_EVERY_MS

/** Which deliveries were planned or attempted, for whoever watches. One process of all sends them; any may watch. */
export class DeliveryChanges {
  readonly #runtime: Runtime
  readonly #listeners = new Set<(ids: string[]) => void>()
  #watching: NodeJS.Timeout | undefined
  #watchedUntil = Number.NEGATIVE_INFINITY

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    runtime.bus.answer('deliveries-watch', () => {
      this.#watchedUntil = performance.now() + WATCHED_MS
    })
    runtime.bus.answer('deliveries-changed', (ids: string[]) => this.#deliver(ids))
  }

  /** Nothing is sent while nobody watches. */
  report(ids: string[]): void {
    if (ids.length === 0) return
    this.#deliver(ids)
    if (performance.now() < this.#watchedUntil) void this.#runtime.bus.sendAll('deliveries-changed', ids)
  }

  /** Calls back with the ids of deliveries that changed on this machine. Returns how to end that. */
  async listen(listener: (ids: string[]) => void): Promise<() => void> {
    this.#listeners.add(listener)
    const watch = () => this.#runtime.bus.sendAll('deliveries-watch', null)
    // Said again and again, because a process that starts later does not know it.
    this.#watching ??= setInterval(watch, WATCH_EVERY_MS).unref()
    await watch()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  stop(): void {
    clearInterval(this.#watching)
    this.#watching = undefined
  }

  #deliver(ids: string[]): void {
    for (const listener of this.#listeners) listener(ids)
  }
}

export const deliveryChanges = defineSingleton<DeliveryChanges>({
  name: 'delivery changes',
  create: (runtime) => new DeliveryChanges(runtime),
  stop: (changes) => changes.stop(),
})
