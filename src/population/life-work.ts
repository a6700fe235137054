import type { Runtime } from '../api-kit/runtime.ts'
import { pauseFor, type Stoppable } from '../process/keep-trying.ts'
import { startLeader } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { lifeMoved, lifeOpen } from './life.statements.ts'
import { countsOf, type LifeClock, type LifeRow } from './life.ts'
import { runLife } from './run-life.ts'

const POLL_MS = 250
/** A life that fails so often at one tick, for a reason that is not its own, ends. */
const MOST_FAILURES = 5

/** Lives the life that is not over, in one process of all machines. Another process goes on where one ended. */
export function startLife(runtime: Runtime, clock: LifeClock): Stoppable {
  let failures: { at: string; count: number } | undefined
  const attempt = async (row: LifeRow, ending: AbortSignal) => {
    try {
      await runLife(runtime, row, clock, ending)
      failures = undefined
    } catch (error) {
      if (ending.aborted) return
      const at = `${row.id} ${row.done} ${row.decided}`
      failures = { at, count: failures?.at === at ? failures.count + 1 : 1 }
      runtime.log.error({ err: error, life: row.id }, 'a life failed')
      if (failures.count < MOST_FAILURES) throw error
      const reason = `It failed ${MOST_FAILURES} times after ${row.done} ticks: ${(error as Error).message}`
      if (!row.was_frozen) await clock.run()
      await lifeMoved.first(runtime.database, row.id, 'failed', reason, JSON.stringify(countsOf(row)), row.busy_ms)
    }
  }
  return startLeader({
    name: 'life',
    lock: [LOCK.life],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      while (!ending.aborted) {
        const row = await lifeOpen.first(runtime.database)
        if (row) await attempt(row, ending)
        else await pauseFor(POLL_MS, ending)
      }
    },
  })
}
