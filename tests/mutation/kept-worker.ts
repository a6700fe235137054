import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type PoolWorker,
  type WorkerRequest,
} from 'vitest/node'

/**
 * Runs that one process serves before a new one takes its place: what mutants leave behind in it must not add up.
 */
const RUNS_A_PROCESS = 100

interface Kept {
  process: ForksPoolWorker
  runs: number
}

let kept: Kept | undefined

// biome-ignore lint/suspicious/noExplicitAny: the type that Vitest gives these callbacks.
type Callback = (value: any) => void

/**
 * A worker whose process outlives the run. Vitest starts a process for each run, which imports the whole product before the
 * first test; with thousands of mutants that takes most of the time. Here the modules stay, and a mutant is switched on in
 * them. Static mutants are seen only while modules are imported, so each of them gets a process of its own.
 */
class KeptWorker implements PoolWorker {
  readonly name = 'kept'
  readonly cacheFs = true
  readonly #options: PoolOptions
  readonly #listeners: [event: string, callback: Callback][] = []
  #config: unknown
  #isNew = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    if (kept && (this.#isStatic() || kept.runs >= RUNS_A_PROCESS)) await endKept()
    if (!kept) {
      kept = { process: new ForksPoolWorker(this.#options), runs: 0 }
      this.#isNew = true
      await kept.process.start()
    }
    kept.runs += 1
  }

  async stop(): Promise<void> {
    for (const [event, callback] of this.#listeners) kept?.process.off(event, callback)
    if (this.#isStatic()) await endKept()
  }

  on(event: string, callback: Callback): void {
    this.#listeners.push([event, callback])
    kept!.process.on(event, callback)
  }

  off(event: string, callback: Callback): void {
    kept?.process.off(event, callback)
  }

  send(message: WorkerRequest): void {
    // A process that runs already only learns the configuration of the new run; one that goes on is not stopped.
    if (message.type === 'start' && !this.#isNew) {
      this.#config = message.context.config
      this.#answer('started')
    } else if (message.type === 'stop') this.#answer('stopped')
    else if (message.type === 'run' && this.#config)
      kept!.process.send({ ...message, context: { ...message.context, config: this.#config } as never })
    else kept!.process.send(message)
  }

  deserialize(data: unknown): unknown {
    return data
  }

  #answer(type: 'started' | 'stopped'): void {
    setImmediate(() => {
      for (const [event, callback] of this.#listeners)
        if (event === 'message') callback({ type, __vitest_worker_response__: true })
    })
  }

  #isStatic(): boolean {
    return (this.#options.project.getProvidedContext() as { mutantActivation?: string }).mutantActivation === 'static'
  }
}

async function endKept(): Promise<void> {
  const ended = kept
  kept = undefined
  await ended?.process.stop()
}

export const keptPool: PoolRunnerInitializer = {
  name: 'kept',
  createPoolWorker: (options) => new KeptWorker(options),
}
