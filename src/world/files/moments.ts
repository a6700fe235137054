const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
}

/** A moment of a world file in milliseconds; undefined for a date that does not exist. `base` is what relative ones count from. */
export function readMoment(text: string, base: number): number | undefined {
  if (text === 'now') return base
  const sign = text[0]
  if (sign === '-' || sign === '+') {
    let sum = 0
    for (const [, count, unit] of text.matchAll(/([0-9]+)(ms|s|m|h|d|w)/g)) sum += Number(count) * UNITS_MS[unit!]!
    return base + (sign === '-' ? -sum : sum)
  }
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** Whether a moment means another time when the file is applied later. */
export const isRelative = (text: string): boolean => /^(?:now|[+-])/.test(text)
