import type { Db } from '../../storage/database.ts'
import { toBase36 } from '../kit/values.ts'
import { type ConversionRow, conversionHours, hoursOf } from './hours.statements.ts'
import { conversionMetrics, isConversionGroup, isCountedGroup } from './metrics.data.ts'
import { PLACEMENT_NUMBERS } from './placements.data.ts'
import { conversionsOf, countedMetrics, type Metrics } from './series.ts'
import { checkFound, type StatsQuestion } from './stats-question.ts'

/** The statistics of a record, in one or more segments. */
export interface EntityStats {
  id: string
  id_data: { segment: { segment_name: string; segment_value: string } | null; metrics: Metrics }[]
}

/** Reads statistics without segments, from the counts of the hours. Refuses records that the account does not have. */
export async function readStats(
  db: Db,
  accountId: string,
  question: StatsQuestion,
  slices: readonly Date[],
): Promise<EntityStats[]> {
  const { entity, entityIds, metricGroups } = question
  const shared = [
    entity,
    accountId,
    entityIds,
    question.start,
    question.end,
    PLACEMENT_NUMBERS[question.placement],
    slices.map((slice) => slice.toISOString()),
  ]
  const counted = metricGroups.filter(isCountedGroup)
  const converted = metricGroups.filter(isConversionGroup).flatMap((group) => conversionMetrics(group, null))
  const [hours, conversions] = await Promise.all([
    counted.length > 0 ? hoursOf(counted, question.granularity === 'HOUR' ? 'hours' : 'sums').all(db, ...shared) : [],
    converted.length > 0 ? conversionHours.all(db, ...shared, converted) : [],
  ])
  checkFound(question, counted.length > 0 ? hours : conversions)
  const hoursById = new Map(hours.map((row) => [row.id, row]))
  const conversionsById = new Map<string, ConversionRow[]>(entityIds.map((id) => [id, []]))
  for (const row of conversions) conversionsById.get(row.id)?.push(row)
  return entityIds.map((id) => ({
    id: toBase36(id),
    id_data: [
      {
        segment: null,
        metrics: {
          ...countedMetrics(metricGroups, entity, hoursById.get(id), slices.length),
          ...conversionsOf(metricGroups, null, conversionsById.get(id) ?? [], slices.length),
        },
      },
    ],
  }))
}
