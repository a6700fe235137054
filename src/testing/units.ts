import type { Duration } from './types.ts'

const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of a duration. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return Math.round(duration)
  const parts = [...String(duration).matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)]
  if (typeof duration === 'string' && parts.length > 0 && parts.map(([all]) => all).join('') === duration.trim())
    return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS_MS[unit!]!, 0))
  throw new TypeError(
    `${JSON.stringify(duration)} is not a duration. Use milliseconds, or a number with ms, s, m, h, d or w, such as '90s', '2h' or '1h30m'.`,
  )
}

/** Bytes of a size such as `1kb`; 1 kb has 1024. */
export function bytes(size: number | string): number {
  const [, number, unit] = /^(\d+)\s*(b|kb|mb)?$/i.exec(String(size)) ?? []
  if (number === undefined) throw new TypeError(`${JSON.stringify(size)} is not a size. Use bytes, or '10kb' or '1mb'.`)
  return Number(number) * { b: 1, kb: 1024, mb: 1024 ** 2 }[(unit ?? 'b').toLowerCase() as 'b' | 'kb' | 'mb']
}
