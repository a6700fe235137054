import type { Runtime } from '../../api-kit/runtime.ts'
import { every } from '../../process/every.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'

/** Work that falls due by the clock: posts to publish, feeds to fetch, audiences to count. */
export interface AdsTask {
  name: string
  /**
   * Does what is due, and says how many things that were. Nothing due must cost one cheap statement at most; what takes
   * long ends early when the process stops.
   */
  run(runtime: Runtime, stopping: AbortSignal): Promise<number>
}

const EVERY_MS = 1_000

/** Looks every second, in one process of all machines, whether something is due. */
export function startTasks(runtime: Runtime, tasks: readonly AdsTask[]): Stoppable {
  return startLeader({
    name: 'ads tasks',
    lock: [LOCK.adsTasks],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      // Each by itself: one that takes long does not hold up the others.
      const repeated = tasks.map((task) =>
        every(
          EVERY_MS,
          (stopping) => task.run(runtime, stopping),
          (error) => tellFailure(runtime, task, error),
        ),
      )
      await untilEnd(ending)
      await Promise.all(repeated.map((work) => work.stop()))
    },
  })
}

const tellFailure = (runtime: Runtime, task: AdsTask, error: unknown): void =>
  runtime.log.error({ err: error, task: task.name }, 'a task of the advertising interface failed')

/** Does what is due in every task; one that fails does not keep the others from their work. */
export async function runTasks(runtime: Runtime, tasks: readonly AdsTask[]): Promise<Record<string, number>> {
  const { signal } = new AbortController()
  const done: Record<string, number> = {}
  for (const task of tasks) {
    try {
      done[task.name] = await task.run(runtime, signal)
    } catch (error) {
      tellFailure(runtime, task, error)
    }
  }
  return done
}
