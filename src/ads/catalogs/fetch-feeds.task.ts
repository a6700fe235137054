import type { Runtime } from '../../api-kit/runtime.ts'
import { type LaneLimits, runInLanes } from '../kit/lanes.ts'
import type { AdsTask } from '../kit/task.ts'
import { CLAIM_MS, type ClaimedFeed, importFeed } from './import-feed.ts'
import { feedClaim, runDied } from './scheduled-feed.statements.ts'

/** A user has one feed, so slow feeds are those of as many users; they leave room for the feeds of others. */
export const FEED_LANES: LaneLimits = { atOnce: 4, most: 32, slowMs: 10_000 }

/**
 * Fetches the feeds that are due, several at a time. A feed is claimed first. If the process dies, the claim ends after two
 * minutes, and the feed waits longer with each death: it may be its file that ends processes.
 */
export const fetchFeedsTask: AdsTask = {
  name: 'product feeds',
  run: (runtime, stopping) =>
    runInLanes(
      FEED_LANES,
      stopping,
      () => claim(runtime),
      async ({ feed, runId }) => {
        try {
          await importFeed(runtime, feed, runId, stopping)
        } catch (error) {
          runtime.log.error({ err: error, feed: feed.id }, 'a product feed could not be imported')
        }
      },
    ),
}

interface Claimed {
  feed: ClaimedFeed
  runId: string
}

async function claim(runtime: Runtime): Promise<Claimed | undefined> {
  const now = runtime.clock.now()
  const runId = runtime.ids.next()
  const feed = await feedClaim.first(runtime.database, new Date(now), runId, new Date(now + CLAIM_MS))
  if (!feed) return undefined
  await runDied.count(runtime.database, feed.id, runId, new Date(now))
  return { feed, runId }
}
