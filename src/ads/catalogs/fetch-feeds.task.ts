import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { AdsTask } from '../kit/task.ts'
import { CLAIM_MS, type ClaimedFeed, importFeed } from './import-feed.ts'
import { feedClaim } from './scheduled-feed.statements.ts'

const AT_ONCE = 4
const POLL_MS = 1_000

/** Fetches the feeds that are due, several at a time. A feed is claimed first; the claim of a process that died ends after two minutes. */
export const fetchFeedsTask: AdsTask = {
  name: 'product feeds',
  run: async (runtime, stopping) => {
    const running = new Set<Promise<void>>()
    let done = 0
    const start = ({ feed, runId }: Claimed) => {
      const work = importFeed(runtime, feed, runId, stopping)
        .catch((error: unknown) => {
          runtime.log.error({ err: error, feed: feed.id }, 'a product feed could not be imported')
        })
        .finally(() => running.delete(work))
      running.add(work)
      done += 1
    }
    let claimed = await claim(runtime)
    while (claimed || running.size > 0) {
      if (claimed) start(claimed)
      if (running.size >= AT_ONCE) await Promise.race(running)
      claimed = stopping.aborted ? undefined : await claim(runtime)
      // Feeds that become due while a large one is imported do not wait for it.
      if (!claimed && running.size > 0) await Promise.race([...running, sleep(POLL_MS)])
    }
    return done
  },
}

interface Claimed {
  feed: ClaimedFeed
  runId: string
}

async function claim(runtime: Runtime): Promise<Claimed | undefined> {
  const now = runtime.clock.now()
  const runId = runtime.ids.next()
  const feed = await feedClaim.first(runtime.database, new Date(now), runId, new Date(now + CLAIM_MS))
  return feed && { feed, runId }
}
