import { localTime, utcOf } from '../kit/local-time.ts'

export const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
export const HOURS = ['1', '2', '3', '4', '6', '8', '12'] as const

/** When a feed is fetched, in the local time of a zone. */
export interface Schedule {
  frequency: 'HOURLY' | 'DAILY' | 'WEEKLY'
  /** A weekday for WEEKLY, a number of hours for HOURLY, null for DAILY. */
  repeat: string | null
  /** HH:MM */
  start_time: string
  time_zone: string
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The first time after `afterMs` at which a feed is due. */
export function nextFetch(schedule: Schedule, afterMs: number): number {
  const [hour, minute] = schedule.start_time.split(':').map(Number) as [number, number]
  const hours =
    schedule.frequency === 'HOURLY'
      ? Array.from({ length: 24 / Number(schedule.repeat) }, (_, at) => (hour + at * Number(schedule.repeat)) % 24)
      : [hour]
  const today = localTime(afterMs, schedule.time_zone)
  const midnight = today - (today % DAY_MS)
  let first = Number.POSITIVE_INFINITY
  // More than a week: a weekly time that has passed today comes again in seven days.
  for (let day = -1; day <= 8; day++) {
    const localMidnight = midnight + day * DAY_MS
    if (schedule.frequency === 'WEEKLY' && WEEKDAYS[(new Date(localMidnight).getUTCDay() + 6) % 7] !== schedule.repeat)
      continue
    for (const at of hours) {
      const time = utcOf(localMidnight + (at * 60 + minute) * MINUTE_MS, schedule.time_zone)
      if (time > afterMs && time < first) first = time
    }
  }
  return first
}
