import type { AccountAccess } from '../kit/access.ts'
import type { AdsError } from '../kit/errors.ts'
import { AdsProblem, exclusiveParameters, featureNotAvailable, invalidParameter, notFound } from '../kit/errors.ts'
import { required, type ValuesOf } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { idKind, listKind, oneOfKind, toBase36 } from '../kit/values.ts'
import { GROUPS_OF_ENTITY, METRIC_GROUPS, type MetricGroup, STATS_ENTITIES, type StatsEntity } from './metrics.data.ts'
import { STATS_PLACEMENTS, type StatsPlacement } from './placements.data.ts'
import {
  GRANULARITIES,
  type Granularity,
  momentOf,
  rangeErrors,
  sentTimeKind,
  type TimeRange,
  type Zone,
} from './time-range.ts'

/** How many records statistics are asked for at once. */
export const MOST_ENTITIES = 20

export const questionParams = {
  entity: required(oneOfKind(STATS_ENTITIES)),
  entity_ids: required(listKind(idKind, { max: MOST_ENTITIES })),
  start_time: required(sentTimeKind),
  end_time: required(sentTimeKind),
  granularity: required(oneOfKind(GRANULARITIES)),
  placement: required(oneOfKind(STATS_PLACEMENTS)),
  metric_groups: required(listKind(oneOfKind(METRIC_GROUPS), { max: METRIC_GROUPS.length })),
}
type QuestionParams = ValuesOf<typeof questionParams>

/** What statistics are asked for. */
export interface StatsQuestion extends TimeRange {
  entity: StatsEntity
  entityIds: string[]
  granularity: Granularity
  placement: StatsPlacement
  metricGroups: MetricGroup[]
}

const MOBILE_FEATURE = 'MOBILE_CONVERSION_TRANSACTION_VALUE'

function groupErrors(entity: StatsEntity, groups: readonly MetricGroup[], account: AccountAccess): AdsError[] {
  const allowed = GROUPS_OF_ENTITY[entity]
  const wrong = groups.find((group) => !allowed.includes(group))
  if (wrong) return [invalidParameter('metric_groups', `${entity} takes only ${allowed.join(', ')}`, wrong)]
  if (groups.includes('MOBILE_CONVERSION') && groups.length > 1)
    return [exclusiveParameters('metric_groups', 'MOBILE_CONVERSION must be asked for without other groups')]
  const isMobile = groups.some((group) => group.includes('MOBILE_CONVERSION'))
  return isMobile && !account.features.has(MOBILE_FEATURE) ? [featureNotAvailable(MOBILE_FEATURE, 'metric_groups')] : []
}

/** Reads what is asked, and refuses what cannot be: all errors together. */
export function readQuestion(
  params: QuestionParams,
  account: AccountAccess,
  now: number,
  limit: { days: number; because?: string },
  further: readonly AdsError[] = [],
): StatsQuestion {
  const zone: Zone = { name: account.timezone, now }
  const question: StatsQuestion = {
    entity: params.entity,
    entityIds: [...new Set(params.entity_ids)],
    start: momentOf(params.start_time, zone),
    end: momentOf(params.end_time, zone),
    granularity: params.granularity,
    placement: params.placement,
    metricGroups: [...new Set(params.metric_groups)],
  }
  const errors = [
    ...groupErrors(question.entity, question.metricGroups, account),
    ...rangeErrors(question, question.granularity, zone, limit),
    ...further,
  ]
  if (errors.length > 0) throw new AdsProblem(errors)
  return question
}

/** The times of the echo: a bare date is told as the moment that it means. */
export const timesEchoed = ({ start, end }: TimeRange) => ({ start_time: showTime(start), end_time: showTime(end) })

/** Refuses ids that are not records of the account. */
export function checkFound(
  question: Pick<StatsQuestion, 'entity' | 'entityIds'>,
  found: readonly { id: string }[],
): void {
  const known = new Set(found.map(({ id }) => id))
  const missing = question.entityIds.filter((id) => !known.has(id))
  if (missing.length > 0)
    throw new AdsProblem(missing.map((id) => notFound(`${question.entity}_NOT_FOUND`, 'entity_ids', toBase36(id))))
}
