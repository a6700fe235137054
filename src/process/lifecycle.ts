import type { Logger } from './logger.ts'

const STOP_WITHIN_MS = 10_000

/** What a start throws when the process was asked to stop meanwhile. */
export class StoppedWhileStarting extends Error {
  constructor() {
    super('Stopped while starting.')
  }
}

/** Something that is started, and how it is stopped. */
export interface LifecycleStep<T> {
  name: string
  /** May end early, by throwing, when `stopping` aborts. */
  start(stopping: AbortSignal): T | Promise<T>
  stop?(started: T): void | Promise<void>
  /** A stop that takes longer is reported, and the next one begins. */
  stopWithinMs?: number
}

/** Starts things in order and stops them in reverse, at whatever moment the stop comes. */
export class Lifecycle {
  readonly #log: Logger
  readonly #onStep: (name: string) => void
  readonly #started: { name: string; stop(): void | Promise<void>; withinMs: number }[] = []
  readonly #stopping = new AbortController()
  #starting: Promise<unknown> = Promise.resolve()
  #stopped: Promise<void> | undefined

  /** `onStep` hears of each step before it is started. */
  constructor(log: Logger, onStep: (name: string) => void = () => {}) {
    this.#log = log
    this.#onStep = onStep
  }

  /** Aborts when the stop begins. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Starts a step. After an error, or when a stop has begun, everything that was started is stopped before this throws. */
  async start<T>({ name, start, stop, stopWithinMs = STOP_WITHIN_MS }: LifecycleStep<T>): Promise<T> {
    try {
      this.#refuseWhenStopping()
      this.#onStep(name)
      const starting = (async () => start(this.stopping))().then((value) => {
        if (stop) this.#started.push({ name, stop: () => stop(value), withinMs: stopWithinMs })
        return value
      })
      this.#starting = starting.catch(() => {})
      const value = await starting
      this.#refuseWhenStopping()
      return value
    } catch (error) {
      const wasStopping = this.stopping.aborted
      await this.stop()
      throw wasStopping ? new StoppedWhileStarting() : error
    }
  }

  /** Stops everything in reverse order. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll()
    return this.#stopped
  }

  #refuseWhenStopping(): void {
    if (this.stopping.aborted) throw new StoppedWhileStarting()
  }

  async #stopAll(): Promise<void> {
    this.#stopping.abort()
    // A step that is just being started is stopped like the others.
    await this.#starting
    for (const step of this.#started.reverse()) {
      try {
        await within(step.withinMs, (async () => step.stop())())
      } catch (error) {
        this.#log.error({ err: error }, `stopping failed: ${step.name}`)
      }
    }
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not stop within ${ms} ms`)), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
