import { readDuration, readSize } from '../process/quantity.ts'
import type { Duration } from './types.ts'

/** Milliseconds of a duration. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return Math.round(duration)
  const read = typeof duration === 'string' ? readDuration(duration.trim()) : undefined
  if (read !== undefined) return read
  throw new TypeError(
    `${JSON.stringify(duration)} is not a duration. Use milliseconds, or a number with ms, s, m, h, d or w, such as '90s', '2h' or '1h30m'.`,
  )
}

/** Bytes of a size such as `1kb`; 1 kb has 1024. */
export function bytes(size: number | string): number {
  const read = readSize(String(size))
  if (read === undefined) throw new TypeError(`${JSON.stringify(size)} is not a size. Use bytes, or '10kb' or '1mb'.`)
  return read
}
