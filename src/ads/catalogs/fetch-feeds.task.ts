import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { AdsTask } from '../kit/task.ts'
import { CLAIM_MS, type ClaimedFeed, importFeed } from './import-feed.ts'
import { feedClaim } from './scheduled-feed.statements.ts'

const AT_ONCE = 4
const LOOK_AGAIN_MS = 1_000

/** Fetches feeds that are due, some side by side. A feed is claimed before it is fetched; a claim outlives its process for two minutes. */
export const fetchFeedsTask: AdsTask = {
  name: 'product feeds',
  run: async (runtime, stopping) => {
    const under = new Set<Promise<void>>()
    let done = 0
    const begin = ({ feed, runId }: Claimed) => {
      const work = importFeed(runtime, feed, runId, stopping)
        .catch((error: unknown) => {
          runtime.log.error({ err: error, feed: feed.id }, 'a product feed could not be imported')
        })
        .finally(() => under.delete(work))
      under.add(work)
      done += 1
    }
    let claimed = await claim(runtime)
    while (claimed || under.size > 0) {
      if (claimed) begin(claimed)
      if (under.size >= AT_ONCE) await Promise.race(under)
      claimed = stopping.aborted ? undefined : await claim(runtime)
      // Those that fall due while a large one is under way do not wait for its end.
      if (!claimed && under.size > 0) await Promise.race([...under, sleep(LOOK_AGAIN_MS)])
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
