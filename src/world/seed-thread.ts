import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedPosts } from './seed-rows.ts'
import { packPosts } from './seed-store.ts'

// Makes posts beside the thread that stores them: one core writes the world while the other one indexes it.
if (parentPort) serve(parentPort, workerData)

function serve(port: MessagePort, order: SeedOrder): void {
  const plan = new SeedPlan(order)
  port.on('message', ({ from, to }: { from: number; to: number }) => {
    const made = packPosts(plan, seedPosts(plan, from, to))
    port.postMessage(made, [made.posts.buffer, made.mentions.buffer, made.metrics.buffer])
  })
}
