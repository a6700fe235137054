import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedPosts } from './seed-posts.ts'
import { type PackedPosts, packPosts } from './seed-store.ts'

/** Makes the posts of an order, ready for storing. */
interface PostMaker {
  /** How many steps a caller should request in advance. */
  readonly ahead: number
  make(from: number, to: number): Promise<PackedPosts>
  close(): Promise<void>
}

const YOUNG_MEMORY_MB = 64
// The thread makes posts while the database updates its indexes.
const STEPS_AHEAD = 4

/** A maker with its own thread. Without the compiled file, as in tests on the sources, it works in this thread. */
export function postMaker(order: SeedOrder): PostMaker {
  const file = path.join(PROGRAM_FOLDER, 'world', 'seed-thread.js')
  if (existsSync(file)) return new MakerThread(pathToFileURL(file), order)
  const plan = new SeedPlan(order)
  return { ahead: 1, make: async (from, to) => packPosts(plan, seedPosts(plan, from, to)), close: async () => {} }
}

/** One thread makes posts faster than two connections store them. It answers in the order of the calls. */
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
    // A caller that stops early never awaits the steps it requested in advance.
    made.catch(() => {})
    this.#worker.postMessage({ from, to })
    return made
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
