import { checkTimes, type IdRange, idRange, narrow, type TimeBounds } from '../../api-kit/reading/time-bounds.ts'
import { invalidRequest } from '../../api-kit/writing/problems.ts'
import { timeOfId } from '../../process/ids.ts'
import type { QueryScope } from '../../search/operators.ts'

/** Whether a search covers recent posts or all. */
export type SearchScope = Extract<QueryScope, 'recent' | 'all'>

const YOUNGEST_END_MS = 10_000
const DAY_MS = 24 * 3600_000
const RECENT_MS = 7 * DAY_MS
const ALL_DEFAULT_MS = 30 * DAY_MS
const ARCHIVE_START_MS = Date.UTC(2006, 2, 21)

const shown = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

/** The period that a search covers, end exclusive. */
interface SearchSpan {
  startMs: number
  endMs: number
}

/** The period of a search: what was requested, within what the scope covers. */
export function searchSpan(scope: SearchScope, bounds: TimeBounds, now: number): SearchSpan {
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
  const earliest = scope === 'recent' ? now - RECENT_MS : ARCHIVE_START_MS
  checkTimes(bounds, { earliestMs: earliest, latestMs: now - YOUNGEST_END_MS })
  if (scope === 'recent' && bounds.sinceId !== undefined && timeOfId(bounds.sinceId) < earliest - DAY_MS) {
    const message = `Invalid 'since_id':'${bounds.sinceId}'. 'since_id' must be a post id created after [${shown(earliest)}]`
    throw invalidRequest([{ parameters: { since_id: [bounds.sinceId] }, message }])
  }
  const endMs = bounds.endMs ?? now + 1
  const usual = scope === 'recent' ? earliest : bounds.sinceId === undefined ? endMs - ALL_DEFAULT_MS : ARCHIVE_START_MS
  return { startMs: bounds.startMs ?? usual, endMs }
}

/** The ids of a period that are also within the bounds. Search finds a post as soon as it is stored. */
export function rangeWithin(span: SearchSpan, bounds: TimeBounds): IdRange {
  const byId = idRange({ ...bounds, startMs: undefined, endMs: undefined })
  const byTime = idRange({ ...bounds, sinceId: undefined, untilId: undefined, ...span })
  return narrow(narrow(byTime, 'newer', byId.after), 'older', byId.before)
}
