import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedPosts } from './seed-posts.ts'
import { packPosts } from './seed-store.ts'

// Makes posts in its own thread, so one core writes the world while another one stores it.
if (parentPort) serve(parentPort, workerData)

function serve(port: MessagePort, order: SeedOrder): void {
  const plan = new SeedPlan(order)
  port.on('message', ({ from, to }: { from: number; to: number }) => {
    const made = packPosts(plan, seedPosts(plan, from, to))
    port.postMessage(made, [made.posts.buffer, made.terms.buffer, made.mentions.buffer, made.metrics.buffer])
  })
}
