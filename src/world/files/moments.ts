import { readDuration } from '../../process/quantity.ts'

/** A moment of a world file in milliseconds; undefined for a date that does not exist. `base` is what relative ones count from. */
export function readMoment(text: string, base: number): number | undefined {
  if (text === 'now') return base
  const sign = text[0]
  if (sign === '-' || sign === '+') {
    const ms = readDuration(text.slice(1))
    return ms === undefined ? undefined : base + (sign === '-' ? -ms : ms)
  }
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** Whether a moment means another time when the file is applied later. */
export const isRelative = (text: string): boolean => /^(?:now|[+-])/.test(text)
