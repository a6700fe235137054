const DAY_MS = 24 * 3600_000

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
export function localTime(ms: number, zone: string): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!)
}

/** The UTC time of a local time: the first of two when clocks are set back, the next possible one when it is skipped. */
export function utcOf(local: number, zone: string): number {
  const offsets = [local - DAY_MS, local + DAY_MS].map((near) => localTime(near, zone) - near)
  const candidates = [...new Set(offsets)].map((offset) => local - offset)
  const exact = candidates.filter((time) => localTime(time, zone) === local)
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates)
}

/** A day of a time zone: 23, 24 or 25 hours. */
export interface LocalDay {
  /** As YYYY-MM-DD. */
  date: string
  from: number
  to: number
}

const days = new Map<string, LocalDay>()

/** The day in a zone that has a moment in it. */
export function localDay(ms: number, zone: string): LocalDay {
  const known = days.get(zone)
  if (known && ms >= known.from && ms < known.to) return known
  const start = Math.floor(localTime(ms, zone) / DAY_MS) * DAY_MS
  const day = {
    date: new Date(start).toISOString().slice(0, 10),
    from: utcOf(start, zone),
    to: utcOf(start + DAY_MS, zone),
  }
  if (days.size >= MOST_FORMATS) days.clear()
  days.set(zone, day)
  return day
}

const HOUR_MS = 3_600_000

/** The beginning of the hour in a zone that has a moment in it. Hours begin with the day, which in some zones is at half past in UTC. */
export function localHour(ms: number, zone: string): number {
  const { from } = localDay(ms, zone)
  return from + Math.floor((ms - from) / HOUR_MS) * HOUR_MS
}
