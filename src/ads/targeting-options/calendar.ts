import { CALENDAR, type CalendarEvent, type EventDay } from '../../social/annotations/data/events.data.ts'
import { byValue, option, type TargetingOption } from './option.ts'
import { targetingValue } from './targeting-value.ts'

export const EVENT_TYPES = [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
] as const

/** One event in one year, in whole days of UTC. */
export interface CalendarDay extends TargetingOption {
  type: CalendarEvent['type']
  start: Date
  /** The first moment after it. */
  end: Date
  countryCode: string | null
  /** Its name without the year. */
  about: string
}

const DAY_MS = 24 * 3600_000
// The years that the calendar covers.
const FIRST_YEAR = 2020
const LAST_YEAR = 2040

/** Easter Sunday by the Gregorian reckoning (Meeus). */
function easter(year: number): number {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114
  return Date.UTC(year, Math.floor(f / 31) - 1, (f % 31) + 1)
}

function dayOf(when: EventDay, year: number): number {
  if ('easter' in when) return easter(year) + when.easter * DAY_MS
  if ('day' in when) return Date.UTC(year, when.month - 1, when.day)
  const first = Date.UTC(year, when.month - 1, 1)
  const offset = (when.weekday - new Date(first).getUTCDay() + 7) % 7
  const last = Date.UTC(year, when.month, 0)
  let day = first + (offset + 7 * (when.nth - 1)) * DAY_MS
  // The fifth weekday means the last one, which is the fourth in some months.
  if (day > last) day -= 7 * DAY_MS
  return day + (when.plus ?? 0) * DAY_MS
}

function eventsOf(year: number): CalendarDay[] {
  return CALENDAR.filter(
    ({ every }) => !every || (((year - every.first) % every.years) + every.years) % every.years === 0,
  ).map(({ name, type, when, days = 1, country = null }) => {
    const start = dayOf(when, year)
    return option(targetingValue('event', `${name}/${year}`), `${name} ${year}`, {
      type,
      start: new Date(start),
      end: new Date(start + days * DAY_MS),
      countryCode: country,
      about: name,
    })
  })
}

/** The events of all years, in the order in which they begin. */
export const EVENTS: readonly CalendarDay[] = Array.from({ length: LAST_YEAR - FIRST_YEAR + 1 }, (_, at) =>
  eventsOf(FIRST_YEAR + at),
)
  .flat()
  .sort((one, other) => one.start.getTime() - other.start.getTime() || (one.name < other.name ? -1 : 1))
export const eventByValue = byValue(EVENTS)
