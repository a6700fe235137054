import type { Runtime } from '../api-kit/runtime.ts'
import { every } from '../process/every.ts'
import { timeOfId } from '../process/ids.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { startLeader, untilEnd } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'
import { makeNews } from './news/make-news.ts'
import { countTopics } from './trends/count-topics.ts'
import { makeTrends } from './trends/make-trends.ts'
import { topicState } from './trends/topic.statements.ts'

const LOOK_MS = 30_000
/** How old trends and news may become. */
const MADE_EVERY_MS = 5 * 60_000
// Posts are stored in another order than their ids. After this time, the earlier ones are there.
const SETTLED_MS = 3_000

/** Counts new posts and makes trends and news now, whenever the last time was. */
export async function runTopicWork(runtime: Runtime): Promise<{ posts: number; trends: number; stories: number }> {
  const now = runtime.clock.now()
  const posts = await countTopics(runtime, now, new AbortController().signal)
  return { posts, trends: await makeTrends(runtime, now), stories: await makeNews(runtime, now) }
}

/** Counts new posts, and makes trends and news when those before are five minutes old. */
export async function runDueTopicWork(runtime: Runtime, stopping: AbortSignal): Promise<void> {
  const now = runtime.clock.now()
  await countTopics(runtime, now - SETTLED_MS, stopping)
  const state = await topicState.first(runtime.database)
  const madeAt = state?.trends_made_at?.getTime()
  // A clock that was moved back makes them again too.
  if (madeAt !== undefined && madeAt <= now && now - madeAt < MADE_EVERY_MS) return
  if (!state || stopping.aborted) return
  await makeTrends(runtime, now)
  // Without a post since the last time there is no new story.
  const newsAt = state.news_made_at?.getTime() ?? 0
  if (!stopping.aborted && timeOfId(state.last_post_id) > newsAt - SETTLED_MS) await makeNews(runtime, now)
}

const leaderHeld = statement(
  'topics_led',
  { held: 'bool' },
  `select exists (select from pg_locks where locktype = 'advisory' and objsubid = 1 and objid = ${LOCK.topics}
     and database = (select oid from pg_database where datname = current_database())) as held`,
)

/** Keeps trends and news up to date, in one process of all machines. */
export function startTopicWork(runtime: Runtime): Stoppable {
  return startLeader({
    name: 'trends and news',
    lock: [LOCK.topics],
    connection: () => runtime.database.connection,
    log: runtime.log,
    isLed: async () => (await leaderHeld.first(runtime.database))?.held ?? false,
    retryMs: LOOK_MS,
    lead: async (_own, ending) => {
      const turns = every(
        LOOK_MS,
        (stopping) => runDueTopicWork(runtime, stopping),
        (error) => runtime.log.warn({ err: error }, 'trends and news: a turn failed; the next one tries again'),
      )
      await untilEnd(ending)
      await turns.stop()
    },
  })
}
