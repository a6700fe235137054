import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Headers } from '../../api-kit/serving/serve-request.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { idCursor } from '../kit/cursor.ts'
import { type AdsError, AdsProblem, invalidParameter, missingParameter, notFound, refusal } from '../kit/errors.ts'
import { tooManyAdsRequests } from '../kit/limits.ts'
import { pageParams } from '../kit/list-records.ts'
import { lockAccount } from '../kit/lock.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { showTime, wholeSecond } from '../kit/times.ts'
import { decimalKind, listKind, oneOfKind, textKind, toBase36 } from '../kit/values.ts'
import { countryOfTargetingValue } from '../targeting-options/country-of.ts'
import { entitiesFound } from './hours.statements.ts'
import {
  METRIC_GROUPS,
  type MetricGroup,
  SEGMENTATION_TYPES,
  SEGMENTATIONS_OF_GROUP,
  type SegmentationType,
  STATS_ENTITIES,
} from './metrics.data.ts'
import { statsFileAddress } from './stats-file-address.ts'
import { type JobRow, jobAdd, jobCancel, jobOfAccount, jobsOfAccount, jobsRunning } from './stats-job.statements.ts'
import { checkFound, questionParams, readQuestion, timesEchoed } from './stats-question.ts'
import { GRANULARITIES } from './time-range.ts'

const MOST_DAYS = 90
const MOST_DAYS_SEGMENTED = 45
const MOST_RUNNING = 100
const MOST_IDS = 200

const Time = Type.String({ format: 'date-time' })
const StatsJob = component(
  'StatsJob',
  Type.Object({
    // Written with all digits: its values are bigint.
    id: Type.Integer({ format: 'int64' }),
    id_str: Type.String({ pattern: '^[0-9]+$' }),
    account_id: Type.String(),
    status: words(['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED']),
    url: nullable(Type.String({ format: 'uri' })),
    expires_at: nullable(Time),
    start_time: Time,
    end_time: Time,
    entity: words(STATS_ENTITIES),
    entity_ids: Type.Array(Type.String()),
    granularity: words(GRANULARITIES),
    placement: Type.String(),
    metric_groups: Type.Array(words(METRIC_GROUPS)),
    segmentation_type: nullable(words(SEGMENTATION_TYPES)),
    country: nullable(Type.String()),
    platform: nullable(Type.String()),
    created_at: Time,
    updated_at: Time,
  }),
)

const showJob = (runtime: Runtime, job: JobRow) => ({
  ...job,
  id: BigInt(job.id),
  id_str: job.id,
  account_id: toBase36(job.account_id),
  entity_ids: job.entity_ids.map(toBase36),
  url: job.expires_at && statsFileAddress(runtime, job.id, job.expires_at),
  expires_at: job.expires_at && showTime(job.expires_at),
  start_time: showTime(job.start_time),
  end_time: showTime(job.end_time),
  platform: null,
  created_at: showTime(job.created_at),
  updated_at: showTime(job.updated_at),
})

/** Tells how many jobs may be in progress, and how many more. */
function writeJobLimit(headers: Headers, running: number): void {
  headers['x-concurrent-job-limit'] = String(MOST_RUNNING)
  headers['x-concurrent-job-limit-remaining'] = String(Math.max(0, MOST_RUNNING - running))
}

interface Segmentation {
  segmentation_type?: SegmentationType | undefined
  country?: string | undefined
  platform?: string | undefined
  metric_groups: readonly MetricGroup[]
}

function segmentationErrors({ segmentation_type: type, country, platform, metric_groups }: Segmentation): AdsError[] {
  const errors: AdsError[] = []
  if (platform !== undefined)
    errors.push(invalidParameter('platform', 'no segmentation_type takes a platform any more', platform))
  if (type !== 'METROS' && country !== undefined)
    errors.push(invalidParameter('country', 'is taken only with the segmentation_type METROS', country))
  if (type === 'METROS' && country === undefined)
    errors.push(missingParameter('country', 'is needed for the segmentation_type METROS'))
  if (type === 'METROS' && country !== undefined && !countryOfTargetingValue(country.toLowerCase()))
    errors.push(
      invalidParameter(
        'country',
        'must be the targeting value of a country, from targeting_criteria/locations',
        country,
      ),
    )
  const undivided = type && metric_groups.find((group) => !SEGMENTATIONS_OF_GROUP[group].includes(type))
  if (undivided) {
    const allowed = SEGMENTATIONS_OF_GROUP[undivided]
    const details = allowed.length > 0 ? `${undivided} takes only ${allowed.join(', ')}` : `${undivided} takes none`
    errors.push(invalidParameter('segmentation_type', details, type))
  }
  return errors
}

const shared = { data: StatsJob, tag: 'Analytics (asynchronous)', may: 'see campaigns' } as const

const createStatsJob = defineAdsOperation({
  ...shared,
  id: 'createStatsJob',
  route: 'POST /12/stats/jobs/accounts/{account_id}',
  summary: 'Create a job that computes statistics for up to 90 days, or by segment',
  params: {
    ...questionParams,
    segmentation_type: optional(oneOfKind(SEGMENTATION_TYPES)),
    country: optional(textKind({ min: 1, max: 100 })),
    platform: optional(textKind({ min: 1, max: 100 })),
  },
  limit: 'statistics jobs',
  handle: async ({ params, account, runtime, naming, headers }) => {
    const now = runtime.clock.now()
    const type = params.segmentation_type
    const limit = type ? { days: MOST_DAYS_SEGMENTED, because: ' with a segmentation_type' } : { days: MOST_DAYS }
    const question = readQuestion(params, account, now, limit, segmentationErrors(params))
    checkFound(question, await entitiesFound.all(runtime.database, question.entity, account.id, question.entityIds))
    const { job, running } = await change(runtime, async (tx) => {
      await lockAccount(tx, account.id)
      const { count } = (await jobsRunning.first(tx, account.id))!
      writeJobLimit(headers, count)
      if (count >= MOST_RUNNING) throw tooManyAdsRequests(`the account has ${MOST_RUNNING} jobs in progress`)
      const added = await jobAdd.first(
        tx,
        runtime.ids.next(),
        account.id,
        question.entity,
        question.entityIds,
        question.granularity,
        question.placement,
        question.metricGroups,
        type ?? null,
        params.country?.toLowerCase() ?? null,
        question.start,
        question.end,
        naming.id,
        wholeSecond(now),
      )
      return { job: added!, running: count + 1 }
    })
    writeJobLimit(headers, running)
    return { data: showJob(runtime, job), alsoEchoed: timesEchoed(question) }
  },
})

const cursor = idCursor('jobs')

const listStatsJobs = defineAdsOperation({
  ...shared,
  id: 'listStatsJobs',
  route: 'GET /12/stats/jobs/accounts/{account_id}',
  summary: 'List the statistics jobs of an account, newest first',
  params: { job_ids: optional(listKind(decimalKind, { max: MOST_IDS })), ...pageParams(undefined, cursor) },
  envelope: 'list',
  handle: async ({ params, account, runtime, headers }) => {
    const { count, cursor: before, job_ids: ids } = params
    const [found, running] = await Promise.all([
      jobsOfAccount.all(runtime.database, account.id, before ?? LARGEST_ID, ids ?? null, count! + 1),
      jobsRunning.first(runtime.database, account.id),
    ])
    writeJobLimit(headers, running!.count)
    const page = found.slice(0, count)
    return {
      data: page.map((job) => showJob(runtime, job)),
      next_cursor: cursor.after(found.length > page.length ? page.at(-1)?.id : undefined),
    }
  },
})

const deleteStatsJob = defineAdsOperation({
  ...shared,
  id: 'deleteStatsJob',
  route: 'DELETE /12/stats/jobs/accounts/{account_id}/{job_id}',
  summary: 'Cancel a statistics job that is in progress',
  path: { job_id: { kind: decimalKind, missing: 'NOT_FOUND' } },
  limit: 'statistics jobs',
  handle: async ({ path, account, runtime }) => {
    const id = path.job_id!
    const cancelled = await jobCancel.first(runtime.database, id, account.id, wholeSecond(runtime.clock.now()))
    if (cancelled) return { data: showJob(runtime, cancelled) }
    const job = await jobOfAccount.first(runtime.database, id, account.id)
    if (!job) throw new AdsProblem([notFound('NOT_FOUND', 'job_id', id)])
    throw refusal('ACTION_NOT_ALLOWED', 'Only a job in progress can be cancelled', {
      parameter: 'job_id',
      details: `its status is ${job.status}`,
    })
  },
})

export const statsJobOperations = [listStatsJobs, createStatsJob, deleteStatsJob]
