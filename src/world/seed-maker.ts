import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedPosts } from './seed-rows.ts'
import { type PackedPosts, packPosts } from './seed-store.ts'

/** Makes the posts of an order, ready to be stored. */
export interface PostMaker {
  /** How many steps are worth asking for before the first of them is taken. */
  readonly ahead: number
  make(from: number, to: number): Promise<PackedPosts>
  close(): Promise<void>
}

const YOUNG_MEMORY_MB = 64
// It works ahead while the database is busy with its indexes.
const STEPS_AHEAD = 4

/** A maker with a thread of its own; where the compiled file is not there, as in tests on the sources, without. */
export function postMaker(order: SeedOrder): PostMaker {
  const file = new URL('./seed-thread.js', import.meta.url)
  if (existsSync(fileURLToPath(file))) return new MakerThread(file, order)
  const plan = new SeedPlan(order)
  return { ahead: 1, make: async (from, to) => packPosts(plan, seedPosts(plan, from, to)), close: async () => {} }
}

/** One thread makes posts faster than two connections store them; it answers in the order in which it is asked. */
class MakerThread implements PostMaker {
  readonly ahead = STEPS_AHEAD
  readonly #worker: Worker
  readonly #waiting: { resolve(made: PackedPosts): void; reject(error: Error): void }[] = []

  constructor(file: URL, order: SeedOrder) {
    this.#worker = new Worker(file, {
      workerData: order,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEMORY_MB },
    })
    this.#worker.on('message', (made: PackedPosts) => this.#waiting.shift()?.resolve(made))
    this.#worker.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  make(from: number, to: number): Promise<PackedPosts> {
    const made = new Promise<PackedPosts>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    // Who asked ahead may never come for it.
    made.catch(() => {})
    this.#worker.postMessage({ from, to })
    return made
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
