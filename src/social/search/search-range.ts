import { checkTimes, type IdRange, idRange, narrow, type TimeBounds } from '../../api-kit/reading/time-bounds.ts'
import { invalidRequest } from '../../api-kit/writing/problems.ts'
import { timeOfId } from '../../process/ids.ts'

export type SearchPlace = 'recent' | 'all'

const YOUNGEST_END_MS = 10_000
const DAY_MS = 24 * 3600_000
const RECENT_MS = 7 * DAY_MS
const ALL_DEFAULT_MS = 30 * DAY_MS
const ARCHIVE_START_MS = Date.UTC(2006, 2, 21)

const shown = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

/** The moments that a search looks at, end exclusive. */
interface SearchSpan {
  startMs: number
  endMs: number
}

/** The span of a search: what was asked for, within what the place reaches. */
export function searchSpan(place: SearchPlace, bounds: TimeBounds, now: number): SearchSpan {
  const hasIds = bounds.sinceId !== undefined || bounds.untilId !== undefined
  const hasTimes = bounds.startMs !== undefined || bounds.endMs !== undefined
  if (hasIds && hasTimes) {
    throw invalidRequest([
      {
        parameters: {},
        message: "Invalid use of 'since_id' or 'until_id' in conjunction with 'start_time' or 'end_time'.",
      },
    ])
  }
  const earliest = place === 'recent' ? now - RECENT_MS : ARCHIVE_START_MS
  checkTimes(bounds, { earliestMs: earliest, latestMs: now - YOUNGEST_END_MS })
  if (place === 'recent' && bounds.sinceId !== undefined && timeOfId(bounds.sinceId) < earliest - DAY_MS) {
    const message = `Invalid 'since_id':'${bounds.sinceId}'. 'since_id' must be a post id created after [${shown(earliest)}]`
    throw invalidRequest([{ parameters: { since_id: [bounds.sinceId] }, message }])
  }
  const endMs = bounds.endMs ?? now + 1
  const usual = place === 'recent' ? earliest : bounds.sinceId === undefined ? endMs - ALL_DEFAULT_MS : ARCHIVE_START_MS
  return { startMs: bounds.startMs ?? usual, endMs }
}

/** The ids of a span that lie within the bounds too. A search here sees a post as soon as it is stored. */
export function rangeWithin(span: SearchSpan, bounds: TimeBounds): IdRange {
  const byId = idRange({ ...bounds, startMs: undefined, endMs: undefined })
  const byTime = idRange({ ...bounds, sinceId: undefined, untilId: undefined, ...span })
  return narrow(narrow(byTime, 'newer', byId.after), 'older', byId.before)
}
