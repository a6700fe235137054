import { type AdsError, invalidParameter, invalidTimeWindow, windowErrors } from '../kit/errors.ts'
import { localTime, utcOf } from '../kit/local-time.ts'
import { parseTime } from '../kit/times.ts'
import { type Kind, timeKind } from '../kit/values.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000

export const GRANULARITIES = ['DAY', 'HOUR', 'TOTAL'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** A time as it was sent. A date without a time depends on the account's time zone, which is known later. */
export interface SentTime {
  at: Date
  isBareDate: boolean
}

export const sentTimeKind: Kind<SentTime> = {
  ...timeKind,
  read: (sent, parameter) => {
    const at = parseTime(sent)
    return at
      ? { at, isBareDate: /^[\d-]+$/.test(String(sent).trim()) }
      : invalidParameter(parameter, 'must be an ISO 8601 date and time', sent)
  },
  echo: ({ at }) => timeKind.echo(at),
  show: ({ at }) => timeKind.show(at),
  load: () => {
    throw new Error('a sent time is never stored')
  },
}

/** The time zone of an account, and the product time at which its offset is read for dates. */
export interface Zone {
  name: string
  now: number
}

export interface TimeRange {
  start: Date
  /** Exclusive. */
  end: Date
}

const offsetAt = (ms: number, zone: string): number => {
  const minute = Math.floor(ms / MINUTE_MS) * MINUTE_MS
  return localTime(minute, zone) - minute
}
const modulo = (value: number, by: number): number => ((value % by) + by) % by

/** The moment that was meant: a bare date is midnight in the account's zone, by the offset of today. */
export const momentOf = ({ at, isBareDate }: SentTime, zone: Zone): Date =>
  isBareDate ? new Date(at.getTime() - offsetAt(zone.now, zone.name)) : at

/** True at the beginning of a day of the zone. Where clocks skip midnight, the day begins after it. */
const startsLocalDay = (ms: number, zone: string): boolean => {
  const local = localTime(ms, zone)
  return modulo(ms, MINUTE_MS) === 0 && utcOf(local - modulo(local, DAY_MS), zone) === ms
}
/** True at midnight by the offset of today, which clients use for all dates. */
const startsDayOfToday = (ms: number, zone: Zone): boolean => modulo(ms + offsetAt(zone.now, zone.name), DAY_MS) === 0

const isWholeHour = (ms: number, zone: Zone): boolean =>
  modulo(ms, HOUR_MS) === 0 || modulo(ms + offsetAt(ms, zone.name), HOUR_MS) === 0

/** Whether both ends begin days of the zone, which may have 23 or 25 hours, or days of the offset of today, or neither. */
function daysOf({ start, end }: TimeRange, zone: Zone): 'local' | 'of today' | undefined {
  const ends = [start.getTime(), end.getTime()]
  if (ends.every((ms) => startsLocalDay(ms, zone.name))) return 'local'
  return ends.every((ms) => startsDayOfToday(ms, zone)) ? 'of today' : undefined
}

export function wholeHourErrors(range: TimeRange, zone: Zone): AdsError[] {
  return (['start_time', 'end_time'] as const)
    .filter((name) => !isWholeHour((name === 'start_time' ? range.start : range.end).getTime(), zone))
    .map((name) => invalidParameter(name, 'must be a whole hour'))
}

/** The errors of the range of a question. */
export function rangeErrors(
  range: TimeRange,
  granularity: Granularity,
  zone: Zone,
  limit: { days: number; because?: string },
): AdsError[] {
  const wrong = [...wholeHourErrors(range, zone), ...windowErrors(range.start, range.end)]
  if (wrong.length > 0) return wrong
  // Before the days are looked at one by one.
  const { days, because = '' } = limit
  const tooLong = [invalidTimeWindow('end_time', `must be at most ${days} days after start_time${because}`)]
  const length = range.end.getTime() - range.start.getTime()
  if (length > (days + 1) * DAY_MS) return tooLong
  const kind = daysOf(range, zone)
  if (length > days * DAY_MS && (kind !== 'local' || localDays(range, zone.name).length > days)) return tooLong
  if (granularity !== 'DAY' || kind) return []
  const isStartWrong =
    !startsLocalDay(range.start.getTime(), zone.name) && !startsDayOfToday(range.start.getTime(), zone)
  return [
    invalidParameter(
      isStartWrong ? 'start_time' : 'end_time',
      `must be midnight in the account's time zone, ${zone.name}, for DAY`,
    ),
  ]
}

/** The beginnings of the days of the zone in a range that begins and ends with one. */
function localDays({ start, end }: TimeRange, zone: string): Date[] {
  const days: Date[] = []
  const first = localTime(start.getTime(), zone)
  const midnight = first - modulo(first, DAY_MS)
  for (let at = start.getTime(), day = 1; at < end.getTime(); day++) {
    days.push(new Date(at))
    at = utcOf(midnight + day * DAY_MS, zone)
  }
  return days
}

/** The beginning of each value of a series. */
export function slicesOf(range: TimeRange, granularity: Granularity, zone: Zone): Date[] {
  if (granularity === 'TOTAL') return [range.start]
  if (granularity === 'DAY' && daysOf(range, zone) === 'local') return localDays(range, zone.name)
  const step = granularity === 'HOUR' ? HOUR_MS : DAY_MS
  const count = Math.ceil((range.end.getTime() - range.start.getTime()) / step)
  return Array.from({ length: count }, (_, at) => new Date(range.start.getTime() + at * step))
}
