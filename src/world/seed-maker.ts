import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedPosts } from './seed-rows.ts'
import { type PackedPosts, packPosts } from './seed-store.ts'

/** Makes the posts of an order, ready to be stored. */
export interface PostMaker {
  /** How many steps can be made at once. */
  readonly lanes: number
  make(from: number, to: number): Promise<PackedPosts>
  close(): Promise<void>
}

const YOUNG_MEMORY_MB = 64

// Two threads keep a second core busy whenever the database leaves it one.
const LANES = 2

/** A maker with threads of its own; where the compiled file is not there, as in tests on the sources, without. */
export function postMaker(order: SeedOrder): PostMaker {
  const file = new URL('./seed-thread.js', import.meta.url)
  if (!existsSync(fileURLToPath(file))) {
    const plan = new SeedPlan(order)
    return { lanes: 1, make: async (from, to) => packPosts(plan, seedPosts(plan, from, to)), close: async () => {} }
  }
  const threads = Array.from(
    { length: LANES },
    () => new Worker(file, { workerData: order, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEMORY_MB } }),
  )
  let next = 0
  return {
    lanes: LANES,
    async make(from, to) {
      const thread = threads[next++ % LANES]!
      thread.postMessage({ from, to })
      const [made] = await once(thread, 'message')
      return made
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}
