import type { Runtime, Singleton } from './runtime.ts'

/** Declares a singleton. It exists in the processes that list it where they create their runtime. */
export const defineSingleton = <T>(singleton: Singleton<T>): Singleton<T> => singleton

/** The singletons of one runtime. */
export class Singletons {
  readonly #instances = new Map<Singleton<unknown>, unknown>()

  /** Creates singletons in order: each may use those before it. */
  create(runtime: Runtime, singletons: readonly Singleton<unknown>[]): void {
    for (const singleton of singletons) this.#instances.set(singleton, singleton.create(runtime))
  }

  get<T>(singleton: Singleton<T>): T {
    if (!this.#instances.has(singleton))
      throw new Error(
        `This process does not have the singleton "${singleton.name}". List it where its runtime is created.`,
      )
    return this.#instances.get(singleton) as T
  }

  /** Stops them in reverse order. */
  async stop(): Promise<void> {
    for (const [singleton, instance] of [...this.#instances].reverse()) await singleton.stop?.(instance)
  }
}
