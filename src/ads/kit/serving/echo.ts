import type { Naming } from '../../../api-kit/naming/naming.ts'
import type { Kind } from '../values.ts'
import { LongNumber } from '../values.ts'

/** `request.params`: what the server read, under the names that the caller uses. */
export type Echo = Record<string, unknown>

/** Adds a read value to the echo, its words spelled in the naming. */
export function addToEcho(echo: Echo, name: string, kind: Kind<unknown>, value: unknown, naming: Naming): void {
  echo[naming.rename(name)] = value === null ? null : spell(kind.echo(value), kind.hasWords, naming)
}

function spell(value: unknown, hasWords: boolean, naming: Naming): unknown {
  if (!hasWords) return value
  if (Array.isArray(value)) return value.map((item) => spell(item, true, naming))
  return typeof value === 'string' ? naming.rename(value) : value
}

/** JSON with 64-bit numbers in full. */
export function writeEcho(value: unknown): string {
  if (value instanceof LongNumber) return value.digits
  if (Array.isArray(value)) return `[${value.map(writeEcho).join(',')}]`
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const members = Object.entries(value).filter(([, item]) => item !== undefined)
    return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${writeEcho(item)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
