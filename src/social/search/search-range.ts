import { invalidRequest } from '../../api-kit/problems.ts'
import { type IdRange, idRange, type TimeBounds } from '../../api-kit/time-bounds.ts'
import { idAt, timeOfId } from '../../process/ids.ts'

export type SearchPlace = 'recent' | 'all'

const DAY_MS = 24 * 3600_000
const RECENT_MS = 7 * DAY_MS
const ALL_DEFAULT_MS = 30 * DAY_MS
const ARCHIVE_START_MS = Date.UTC(2006, 2, 21)

const shown = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

/** The moments that a search looks at, end exclusive. */
export interface SearchSpan {
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
  if (bounds.startMs !== undefined && bounds.startMs < earliest) {
    fault('start_time', bounds.startMs, `'start_time' must be on or after ${shown(earliest)}`)
  }
  if (bounds.endMs !== undefined && bounds.endMs > now) {
    fault('end_time', bounds.endMs, "'end_time' must not be in the future")
  }
  if (place === 'recent' && bounds.sinceId !== undefined && timeOfId(bounds.sinceId) < earliest - DAY_MS) {
    const message = `Invalid 'since_id':'${bounds.sinceId}'. 'since_id' must be a post id created after [${shown(earliest)}]`
    throw invalidRequest([{ parameters: { since_id: [bounds.sinceId] }, message }])
  }
  const endMs = bounds.endMs ?? now + 1
  const usual = place === 'recent' ? earliest : bounds.sinceId === undefined ? endMs - ALL_DEFAULT_MS : ARCHIVE_START_MS
  return { startMs: bounds.startMs ?? usual, endMs }
}

/** The span as a range of ids. A search here sees a post as soon as it is stored. */
export function searchRange(place: SearchPlace, bounds: TimeBounds, now: number): IdRange {
  const { startMs, endMs } = searchSpan(place, bounds, now)
  return idRange({ ...bounds, startMs: Math.max(startMs, 0), endMs: Math.max(endMs, Number(timeOfId(idAt(endMs)))) })
}

function fault(name: string, ms: number, words: string): never {
  const text = new Date(ms).toISOString()
  throw invalidRequest([{ parameters: { [name]: [text] }, message: `Invalid '${name}':'${text}'. ${words}` }])
}
