import type { Naming } from '../../api-kit/naming/naming.ts'
import { idAt } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { readInPages } from '../../storage/read-in-pages.ts'
import type { SqlValue } from '../../storage/statement.ts'
import { toBase36 } from '../kit/values.ts'
import { conversionMetrics, isConversionGroup, isCountedGroup, type SegmentationType } from './metrics.data.ts'
import { PLACEMENT_NUMBERS } from './placements.data.ts'
import type { EntityStats } from './read-stats.ts'
import {
  type SegmentConversionRow,
  type SegmentRow,
  segmentConversions,
  segmentCounts,
  tagsConverted,
} from './segments.statements.ts'
import { type Segments, segmentsBy } from './segments.ts'
import { conversionsOf, countedMetrics } from './series.ts'
import type { StatsQuestion } from './stats-question.ts'

/** Enough for few round trips; a row can have a value for every hour of 45 days in each metric. */
const ROWS_AT_ONCE = 20

export interface SegmentedQuestion extends StatsQuestion {
  accountId: string
  segmentation: SegmentationType
  country: string | null
  naming: Naming
}

/** One segment of one record. */
export interface SegmentStats {
  id: string
  data: EntityStats['id_data'][number]
}

/** Reads statistics by segment from the events, one segment after the other, in the order of the records asked for. */
export async function* segmentedStats(
  tx: Tx,
  question: SegmentedQuestion,
  slices: readonly Date[],
): AsyncGenerator<SegmentStats> {
  const { entity, metricGroups, segmentation } = question
  const [first, last] = [idAt(question.start.getTime()), idAt(question.end.getTime())]
  const segments = await segmentsOf(tx, question, first, last)
  const parameters: SqlValue[] = [
    entity,
    question.accountId,
    question.entityIds,
    first,
    last,
    PLACEMENT_NUMBERS[question.placement],
    slices.map((slice) => idAt(slice.getTime())),
    segmentation,
    segments.keys,
    segments.values,
  ]
  const converted = metricGroups.filter(isConversionGroup).flatMap((group) => conversionMetrics(group, segmentation))
  // People convert rarely: these are few.
  const conversions = new Conversions(
    converted.length > 0 ? await segmentConversions.all(tx, ...parameters, converted) : [],
  )
  const stats = (id: string, segment: string, row: SegmentRow | undefined): SegmentStats => ({
    id: toBase36(id),
    data: {
      segment: segments.of(segment),
      metrics: {
        ...countedMetrics(metricGroups, entity, row, slices.length),
        ...conversionsOf(metricGroups, segmentation, conversions.take(id, segment), slices.length),
      },
    },
  })
  let current: string | undefined
  if (metricGroups.some(isCountedGroup))
    for await (const rows of readInPages(tx, segmentCounts, ROWS_AT_ONCE, ...parameters))
      for (const row of rows) {
        if (current !== undefined && current !== row.id)
          for (const segment of conversions.segmentsLeft(current)) yield stats(current, segment, undefined)
        current = row.id
        yield stats(row.id, row.segment, row)
      }
  for (const id of current === undefined ? [] : [current])
    for (const segment of conversions.segmentsLeft(id)) yield stats(id, segment, undefined)
  // Records without anything counted.
  for (const id of question.entityIds)
    for (const segment of conversions.segmentsLeft(id)) yield stats(id, segment, undefined)
}

async function segmentsOf(tx: Tx, question: SegmentedQuestion, first: string, last: string): Promise<Segments> {
  const { segmentation, country, naming, accountId } = question
  const tags = segmentation === 'CONVERSION_TAGS' ? await tagsConverted.all(tx, accountId, first, last) : []
  return segmentsBy(segmentation, country, new Map(tags.map(({ id, name }) => [id, name ?? toBase36(id)])), naming)
}

/** The conversions of records and segments, which are taken out as they are told. */
class Conversions {
  readonly #rows = new Map<string, Map<string, SegmentConversionRow[]>>()
  constructor(rows: readonly SegmentConversionRow[]) {
    for (const row of rows) {
      const segments = this.#rows.get(row.id) ?? new Map<string, SegmentConversionRow[]>()
      this.#rows.set(row.id, segments)
      segments.set(row.segment, [...(segments.get(row.segment) ?? []), row])
    }
  }

  take(id: string, segment: string): SegmentConversionRow[] {
    const rows = this.#rows.get(id)?.get(segment) ?? []
    this.#rows.get(id)?.delete(segment)
    return rows
  }

  segmentsLeft(id: string): string[] {
    return [...(this.#rows.get(id)?.keys() ?? [])]
  }
}
