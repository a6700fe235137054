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

/** The local time in a zone, to the minute, encoded as if it were UTC. */
function localTime(ms: number, zone: string): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!)
}

/** The UTC time of a local time: the first of two when clocks are set back, the next possible one when it is skipped. */
function utcOf(local: number, zone: string): number {
  const offsets = [local - DAY_MS, local + DAY_MS].map((near) => localTime(near, zone) - near)
  const candidates = [...new Set(offsets)].map((offset) => local - offset)
  const exact = candidates.filter((time) => localTime(time, zone) === local)
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates)
}
