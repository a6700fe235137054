import { checkTimes, type TimeBounds } from '../../api-kit/reading/time-bounds.ts'
import { invalidRequest } from '../../api-kit/writing/problems.ts'
import type { Db } from '../../storage/database.ts'
import type { Statement } from '../../storage/statement.ts'
import { DAY_MS, HOUR_MS, hourOf } from './facts.ts'

/** The length of the periods of a series. */
export type Granularity = 'hourly' | 'daily' | 'weekly' | 'total'

/** For how long hours are kept as hours; a day longer than requests can ask for. */
export const HOURS_KEPT_MS = 31 * DAY_MS
const HOURS_READ_MS = 30 * DAY_MS
// Before the first post of the platform.
const EARLIEST_MS = Date.UTC(2006, 2, 21)
/** The most periods of all objects of an answer. */
const MOST_PERIODS = 10_000

/** The first moment for which something can still be counted. */
export const earliestFact = (now: number): number => now - HOURS_READ_MS

const LENGTH_MS = { hourly: HOUR_MS, daily: DAY_MS, weekly: 7 * DAY_MS }
// Weeks begin on Monday, in UTC like days.
const MONDAY_MS = Date.UTC(1970, 0, 5)

/** The periods of a request: whole hours of the requested time, in periods that begin at these moments. */
export interface Periods {
  startMs: number
  endMs: number
  granularity: Granularity
  beginnings: number[]
}

/** The periods between two moments, in ascending order. The first and the last are cut to these moments. */
export function periodsBetween(granularity: Granularity, startMs: number, endMs: number): Periods {
  const start = hourOf(startMs)
  if (granularity === 'total') return { startMs: start, endMs, granularity, beginnings: [start] }
  const length = LENGTH_MS[granularity]
  const first = start - ((((start - MONDAY_MS) % length) + length) % length)
  const count = Math.max(0, Math.ceil((endMs - first) / length))
  return {
    startMs: start,
    endMs,
    granularity,
    beginnings: Array.from({ length: count }, (_item, index) => first + index * length),
  }
}

/** The periods that a request asks for; refused if the answer would be too large. Nothing is counted after now. */
export function requestedPeriods(granularity: Granularity, bounds: TimeBounds, now: number, objects: number): Periods {
  checkTimes(bounds, { earliestMs: granularity === 'hourly' ? now - HOURS_READ_MS : EARLIEST_MS })
  const startMs = bounds.startMs!
  const endMs = Math.max(startMs, Math.min(bounds.endMs!, now + 1))
  const length = granularity === 'total' ? Infinity : LENGTH_MS[granularity]
  const most = (Math.ceil((endMs - startMs) / length) + 1) * objects
  if (most > MOST_PERIODS)
    throw invalidRequest([
      {
        parameters: { granularity: [granularity] },
        message: `The answer would have [${most}] periods; it can have at most ${MOST_PERIODS}. Ask for a shorter time, for fewer ids, or for a longer \`granularity\``,
      },
    ])
  return periodsBetween(granularity, startMs, endMs)
}

/** Reads the counts of objects: for each that has some, a row by the beginning of its period. */
export async function readSeries<R extends { id: string; period: Date }>(
  db: Db,
  reads: Statement<R>,
  ids: readonly string[],
  periods: Periods,
): Promise<(id: string, beginning: number) => R | undefined> {
  const { granularity, startMs, endMs } = periods
  const isTotal = granularity === 'total'
  const rows =
    ids.length === 0
      ? []
      : await reads.all(
          db,
          ids,
          new Date(startMs),
          new Date(endMs),
          new Date(Math.floor(startMs / DAY_MS) * DAY_MS),
          isTotal ? '40000 days' : `${LENGTH_MS[granularity] / HOUR_MS} hours`,
          new Date(isTotal ? Math.floor(startMs / DAY_MS) * DAY_MS : MONDAY_MS),
        )
  const found = new Map(rows.map((row) => [isTotal ? row.id : `${row.id} ${row.period.getTime()}`, row]))
  return (id, beginning) => found.get(isTotal ? id : `${id} ${beginning}`)
}
