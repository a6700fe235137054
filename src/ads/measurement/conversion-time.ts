import { Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../kit/errors.ts'
import { parseTime } from '../kit/times.ts'
import type { Kind } from '../kit/values.ts'

const ZONED = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i
const FRACTION = /T\d\d:\d\d:\d\d\.(\d{1,3})/i

/**
 * Reads the time of a conversion: to the millisecond, with a zone. A time without milliseconds is the end of its second,
 * because a click in the same second came before it.
 */
export function readConversionTime(sent: unknown): number | undefined {
  const time = typeof sent === 'string' && ZONED.test(sent.trim()) ? parseTime(sent) : undefined
  if (!time) return undefined
  const fraction = FRACTION.exec(sent as string)?.[1]
  return time.getTime() + (fraction === undefined ? 999 : Number(fraction.padEnd(3, '0')))
}

export const CONVERSION_TIME_SAYS = 'must be a time with its zone, in the form yyyy-MM-ddTHH:mm:ss.SSSZ'

// The clocks of others may be a little ahead.
const AHEAD_MS = 5 * 60_000

export const isFuture = (at: number, now: number): boolean => at > now + AHEAD_MS

/** A moment to the millisecond. */
export const momentKind: Kind<Date> = {
  schema: Type.String({ format: 'date-time' }),
  column: 'timestamptz',
  read: (sent, parameter) => {
    const at = readConversionTime(sent)
    return at === undefined ? invalidParameter(parameter, CONVERSION_TIME_SAYS, sent) : new Date(at)
  },
  echo: (value) => value.toISOString(),
  show: (value) => value.toISOString(),
  load: (raw) => raw as Date,
  hasWords: false,
}
