const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Reads ISO 8601 in any zone, to the second. A date without a time is midnight; a time without a zone is UTC. */
export function parseTime(sent: unknown): Date | undefined {
  const match = typeof sent === 'string' ? TIME.exec(sent.trim()) : null
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined
  const utc = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(utc)
  // Date.UTC would take 31 February for a day in March.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const offset = offsetMs(match[7] ?? 'Z')
  if (offset === undefined || utc - offset < EARLIEST || utc - offset > LATEST) return undefined
  return new Date(utc - offset)
}

// An offset can move a time beyond the years that have four digits.
const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

// No zone is further than 14 hours from UTC.
function offsetMs(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0
  const sign = zone.startsWith('-') ? -1 : 1
  const digits = zone.slice(1).replace(':', '')
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  return hours > 14 || minutes > 59 ? undefined : sign * (hours * 60 + minutes) * 60_000
}

/** UTC with seconds and Z. */
export const showTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** A time without milliseconds, as records store it. */
export const wholeSecond = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)
