import type { Runtime } from '../../api-kit/runtime.ts'
import { every } from '../../process/every.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'

/** Work that becomes due with time: posts to publish, feeds to fetch, audiences to count. */
export interface AdsTask {
  name: string
  /**
   * Does the work that is due and returns the number of items done. A run with nothing due costs at most one cheap
   * statement. A long run ends early when the process stops.
   */
  run(runtime: Runtime, stopping: AbortSignal): Promise<number>
}

const EVERY_MS = 1_000

/** Runs each task every second, in one process of all machines. */
export function startTasks(runtime: Runtime, tasks: readonly AdsTask[]): Stoppable {
  return startLeader({
    name: 'ads tasks',
    lock: [LOCK.adsTasks],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      // Each task has its own timer, so a long one does not delay the others.
      const repeated = tasks.map((task) =>
        every(
          EVERY_MS,
          (stopping) => task.run(runtime, stopping),
          (error) => logFailure(runtime, task, error),
        ),
      )
      await untilEnd(ending)
      await Promise.all(repeated.map((work) => work.stop()))
    },
  })
}

const logFailure = (runtime: Runtime, task: AdsTask, error: unknown): void =>
  runtime.log.error({ err: error, task: task.name }, 'a task of the advertising interface failed')

/** Runs every task once. A task that fails does not prevent the others from running. */
export async function runTasks(runtime: Runtime, tasks: readonly AdsTask[]): Promise<Record<string, number>> {
  const { signal } = new AbortController()
  const done: Record<string, number> = {}
  for (const task of tasks) {
    try {
      done[task.name] = await task.run(runtime, signal)
    } catch (error) {
      logFailure(runtime, task, error)
    }
  }
  return done
}
