export const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
export const HOURS = ['1', '2', '3', '4', '6', '8', '12'] as const

/** When a feed is fetched: by the local time of a zone. */
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

/** The first time after a moment that a feed is due. */
export function nextFetch(schedule: Schedule, afterMs: number): number {
  const [hour, minute] = schedule.start_time.split(':').map(Number) as [number, number]
  const hours =
    schedule.frequency === 'HOURLY'
      ? Array.from({ length: 24 / Number(schedule.repeat) }, (_, at) => (hour + at * Number(schedule.repeat)) % 24)
      : [hour]
  const today = localTime(afterMs, schedule.time_zone)
  const midnight = today - (today % DAY_MS)
  let first = Number.POSITIVE_INFINITY
  // A week and a day: a weekly time that has passed today comes again in seven days.
  for (let day = -1; day <= 8; day++) {
    const localMidnight = midnight + day * DAY_MS
    if (schedule.frequency === 'WEEKLY' && WEEKDAYS[(new Date(localMidnight).getUTCDay() + 6) % 7] !== schedule.repeat)
      continue
    for (const at of hours) {
      const moment = momentOf(localMidnight + (at * 60 + minute) * MINUTE_MS, schedule.time_zone)
      if (moment > afterMs && moment < first) first = moment
    }
  }
  return first
}

/** True for a name of the IANA time zone database. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name) || name.length > 64) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()
const MOST_FORMATS = 1_000

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    if (formats.size >= MOST_FORMATS) formats.clear()
    formats.set(zone, format)
  }
  return format
}

/** What the clock on a zone's walls shows, as if it were UTC, to the minute. */
function localTime(ms: number, zone: string): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!)
}

/** The moment that a zone's walls show a time; of two the first, and of a time that is skipped the next there is. */
function momentOf(local: number, zone: string): number {
  const offsets = [local - DAY_MS, local + DAY_MS].map((near) => localTime(near, zone) - near)
  const moments = [...new Set(offsets)].map((offset) => local - offset)
  const right = moments.filter((moment) => localTime(moment, zone) === local)
  return right.length > 0 ? Math.min(...right) : Math.max(...moments)
}
