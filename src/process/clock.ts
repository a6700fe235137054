/** Product time in milliseconds: real time plus the offset that the control interface may set for tests. */
export interface Clock {
  now(): number
  offsetMs(): number
  setOffset(offsetMs: number): void
}

/** The only place that reads real time for product purposes. */
export function createClock(): Clock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    offsetMs: () => offset,
    setOffset: (offsetMs) => {
      offset = offsetMs
    },
  }
}

/** Real time in milliseconds, for rules that clients compare with their own clock (signatures, rate-limit windows). */
export const realNow = (): number => Date.now()

/** The wire form of a time: UTC, three decimals, cut to the whole second as the platform does. */
export function wireTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}.000Z`
}
