const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The milliseconds of a text such as `2h`, `90s` or `1d12h`; undefined if it is not one. */
export function readDuration(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h|d|w))+$/.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h|d|w)/g)) ms += Number(amount) * UNITS[unit!]!
  return Math.round(ms)
}
