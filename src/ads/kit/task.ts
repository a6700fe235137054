import type { House } from '../../api-kit/house.ts'
import { every } from '../../process/every.ts'
import { holdLead, type Lead } from '../../storage/lead.ts'
import { LOCK } from '../../storage/lock-numbers.ts'

/** Work that falls due by the clock: posts to publish, feeds to fetch, audiences to count. */
export interface AdsTask {
  name: string
  /**
   * Does what is due, and says how many things that were. Nothing due must cost one cheap statement at most; what takes
   * long ends early when the process stops.
   */
  run(house: House, stopping: AbortSignal): Promise<number>
}

const EVERY_MS = 1_000

/** Looks every second, in one process of all machines, whether something is due. */
export function startTasks(house: House, tasks: readonly AdsTask[]): Lead {
  return holdLead({
    name: 'rostra ads',
    lockKey: LOCK.adsTasks,
    connection: () => house.database.connection,
    failed: (error) => house.log.warn({ err: error }, 'the work of the advertising interface begins again'),
    begin: async () => {
      // Each by itself: one that takes long does not hold up the others.
      const repeated = tasks.map((task) =>
        every(
          EVERY_MS,
          (stopping) => task.run(house, stopping),
          (error) => tellFailure(house, task, error),
        ),
      )
      return async () => {
        await Promise.all(repeated.map((work) => work.stop()))
      }
    },
  })
}

const tellFailure = (house: House, task: AdsTask, error: unknown): void =>
  house.log.error({ err: error, task: task.name }, 'a task of the advertising interface failed')

/** Does what is due in every task; one that fails does not keep the others from their work. */
export async function runTasks(house: House, tasks: readonly AdsTask[]): Promise<Record<string, number>> {
  const { signal } = new AbortController()
  const done: Record<string, number> = {}
  for (const task of tasks) {
    try {
      done[task.name] = await task.run(house, signal)
    } catch (error) {
      tellFailure(house, task, error)
    }
  }
  return done
}
