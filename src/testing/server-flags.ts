import type { ServerOptions } from './options.ts'

/** The flags of `rostra start` for options that a single server and the servers of a test run share. */
export function serverFlags(options: ServerOptions): string[] {
  const { world, rateLimits, usage, strict, deterministic, workers = 1, flags = [] } = options
  return [
    ...flag('world', world),
    ...flag('rate-limits', onOff(rateLimits)),
    ...flag('usage', onOff(usage)),
    ...flag('strict', onOff(strict)),
    ...flag('deterministic', deterministic),
    ...flag('workers', workers),
    ...flags,
  ]
}

/** A flag with a value; nothing without one. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, String(value)]

const onOff = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? 'on' : 'off'
