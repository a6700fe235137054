import type { Naming } from '../../api-kit/naming/naming.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { adsLegacyNaming } from '../../legacy-words.ts'
import { sqlState, type Tx, transaction } from '../../storage/database.ts'
import { outageOf } from '../../storage/outage.ts'
import type { AdsTask } from '../kit/task.ts'
import { wholeSecond } from '../kit/times.ts'
import { toBase36 } from '../kit/values.ts'
import type { MetricGroup, SegmentationType, StatsEntity } from './metrics.data.ts'
import type { StatsPlacement } from './placements.data.ts'
import { readStats } from './read-stats.ts'
import { type SegmentStats, segmentedStats } from './segmented-stats.ts'
import { writeStatsFile } from './stats-file.ts'
import { filePartAdd, jobEnd, jobWaiting, type WaitingJob } from './stats-job.statements.ts'
import { type StatsQuestion, timesEchoed } from './stats-question.ts'
import { type Granularity, slicesOf } from './time-range.ts'

const KEPT_MS = 48 * 3_600_000
const UNIQUE_VIOLATION = '23505'

/** A job that was cancelled while it was processed. */
class Cancelled extends Error {}

const questionOf = (job: WaitingJob): StatsQuestion => ({
  entity: job.entity as StatsEntity,
  entityIds: job.entity_ids,
  start: job.start_time,
  end: job.end_time,
  granularity: job.granularity as Granularity,
  placement: job.placement as StatsPlacement,
  metricGroups: job.metric_groups as MetricGroup[],
})

async function* wholeStats(tx: Tx, job: WaitingJob, slices: readonly Date[]): AsyncGenerator<SegmentStats> {
  for (const { id, id_data } of await readStats(tx, job.account_id, questionOf(job), slices))
    yield { id, data: id_data[0]! }
}

const spelled = (words: readonly string[], naming: Naming): string[] => words.map((word) => naming.rename(word))

/** Computes a job and stores its file and that it is done in one transaction: a process may die at any moment. */
async function processJob(runtime: Runtime, job: WaitingJob): Promise<void> {
  const question = questionOf(job)
  const naming = job.naming === 'legacy' ? adsLegacyNaming : neutral
  // The days are those of the moment at which the job was asked for.
  const slices = slicesOf(question, question.granularity, { name: job.timezone, now: job.created_at.getTime() })
  const head = {
    ids: job.entity_ids.map(toBase36),
    timeSeriesLength: slices.length,
    naming,
    params: {
      ...timesEchoed(question),
      entity: naming.rename(job.entity),
      entity_ids: job.entity_ids.map(toBase36),
      granularity: job.granularity,
      placement: naming.rename(job.placement),
      metric_groups: spelled(job.metric_groups, naming),
      segmentation_type: job.segmentation_type,
      country: job.country,
      platform: null,
    },
  }
  await transaction(runtime.database, async (tx) => {
    const segmentation = job.segmentation_type as SegmentationType | null
    const stats = segmentation
      ? segmentedStats(
          tx,
          { ...question, accountId: job.account_id, segmentation, country: job.country, naming },
          slices,
        )
      : wholeStats(tx, job, slices)
    await writeStatsFile(head, stats, (part, bytes) => filePartAdd.count(tx, job.id, part, bytes))
    const now = wholeSecond(runtime.clock.now())
    if (!(await jobEnd.first(tx, job.id, 'SUCCESS', now, new Date(now.getTime() + KEPT_MS)))) throw new Cancelled()
  })
}

/** Processes statistics jobs, oldest first. After a kill, the job in progress is done again from the beginning. */
export const processStatsJobs: AdsTask = {
  name: 'statistics jobs',
  run: async (runtime, stopping) => {
    let done = 0
    for (; !stopping.aborted; done++) {
      const job = await jobWaiting.first(runtime.database)
      if (!job) break
      try {
        await processJob(runtime, job)
      } catch (error) {
        // Another process has stored the same parts.
        if (error instanceof Cancelled || sqlState(error) === UNIQUE_VIOLATION) continue
        if (outageOf(error) !== undefined) throw error
        runtime.log.error({ err: error, job: job.id }, 'a statistics job failed')
        await jobEnd.count(runtime.database, job.id, 'FAILED', wholeSecond(runtime.clock.now()), null)
      }
    }
    return done
  },
}
