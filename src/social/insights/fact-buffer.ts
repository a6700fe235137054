import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { every } from '../../process/every.ts'
import { transactionId, wasCommitted } from '../../storage/transaction-outcome.ts'
import type { Fact } from './facts.ts'
import { FactBatch, storeBatch } from './store-facts.ts'

/** How long a fact may wait in the memory of a process: what a process that is killed can lose. */
const FLUSH_MS = 1_000
/** A batch with this many rows is stored at once. */
const MOST_ROWS = 2_000
/** While the database is away facts are kept up to this many rows; later ones are lost. */
const MOST_WAITING_BATCHES = 50

/** Facts that are stored together, and the last transaction that should have stored them. */
interface WaitingBatch {
  facts: FactBatch
  triedIn?: string
}

/** Facts of this process that wait to be stored together. */
class FactBuffer {
  readonly #runtime: Runtime
  readonly #timer
  #batches: WaitingBatch[] = []
  #flushing: Promise<void> | undefined
  #lost = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    onNewWorld(runtime, () => {
      this.#batches = []
    })
    this.#timer = every(
      FLUSH_MS,
      () => this.flush(),
      (error) => runtime.log.warn({ err: error }, 'views and clicks could not be stored yet'),
    )
  }

  add(facts: readonly Fact[]): void {
    for (const fact of facts) {
      let batch = this.#batches.at(-1)
      // What was tried may be stored already, so nothing is added to it.
      if (!batch || batch.triedIn !== undefined || batch.facts.size >= MOST_ROWS) {
        if (this.#batches.length >= MOST_WAITING_BATCHES) {
          this.#lost += 1
          continue
        }
        batch = { facts: new FactBatch() }
        this.#batches.push(batch)
      }
      batch.facts.add(fact)
    }
  }

  /** Stores what waits. A batch that could not be stored stays first. */
  flush(): Promise<void> {
    this.#flushing ??= this.#storeAll().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #storeAll(): Promise<void> {
    if (this.#lost > 0) this.#runtime.log.error(`${this.#lost} views and clicks were lost while the database was away`)
    this.#lost = 0
    let batch = this.#batches.shift()
    while (batch) {
      try {
        await this.#storeOnce(batch)
      } catch (error) {
        this.#batches.unshift(batch)
        throw error
      }
      batch = this.#batches.shift()
    }
  }

  /** Stores a batch. A connection lost during commit leaves open whether it was stored: the database knows. */
  async #storeOnce(batch: WaitingBatch): Promise<void> {
    const { triedIn } = batch
    if (triedIn !== undefined && (await wasCommitted(this.#runtime.database, triedIn))) return
    await storeBatch(this.#runtime, batch.facts, async (tx) => {
      batch.triedIn = await transactionId(tx)
    })
  }

  async stop(): Promise<void> {
    await this.#timer.stop()
    await this.flush().catch((error: unknown) =>
      this.#runtime.log.error({ err: error }, 'the last views and clicks were not stored'),
    )
  }
}

export const factBuffer = defineSingleton({
  name: 'views and clicks',
  create: (runtime) => new FactBuffer(runtime),
  stop: (buffer) => buffer.stop(),
})

/**
 * Counts what viewers did, without waiting until it is stored: for pages, short links and the ad server. A process that is killed
 * loses what came in the last second. `storeFacts` waits.
 */
export const addFacts = (runtime: Runtime, facts: readonly Fact[]): void => runtime.singleton(factBuffer).add(facts)

/** Counts what viewers did and returns when it is stored, in one transaction. */
export async function storeFacts(runtime: Runtime, facts: readonly Fact[]): Promise<void> {
  const batch = new FactBatch()
  for (const fact of facts) batch.add(fact)
  await storeBatch(runtime, batch)
}
