const TIMES: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const SIZES: Record<string, number> = { b: 1, kb: 1_024, mb: 1_024 ** 2 }

/** The milliseconds of a text such as `500ms`, `90s`, `2h` or `1d12h`; undefined if it is not one. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h|d|w))+$/.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h|d|w)/g)) ms += Number(amount) * TIMES[unit!]!
  return Math.round(ms)
}

/** The bytes of a text such as `512`, `10kb` or `1mb`, where 1 kb has 1024; undefined if it is not one. */
export function readSize(text: string): number | undefined {
  const [, amount, unit = 'b'] = /^(\d{1,9}(?:\.\d{1,3})?)(b|kb|mb)?$/.exec(text.toLowerCase()) ?? []
  return amount === undefined ? undefined : Math.round(Number(amount) * SIZES[unit]!)
}
