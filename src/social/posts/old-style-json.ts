import type { Naming } from '../../api-kit/naming/naming.ts'

/** A value in the style of version 1.1. Its numeric ids are larger than a number can hold exactly, so that they are bigint. */
export type OldValue = string | number | bigint | boolean | null | OldValue[] | OldObject
export interface OldObject {
  [name: string]: OldValue | undefined
}

/** Writes JSON with the member names of a naming; a bigint is written with all its digits, undefined is left out. */
export function writeOldStyle(value: OldValue, naming: Naming): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => writeOldStyle(item, naming)).join()}]`
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(naming.rename(name))}:${writeOldStyle(member, naming)}`],
  )
  return `{${members.join()}}`
}

/** An id as the old style has it: as a number and as text. */
export const bothIds = (id: string): { id: bigint; id_str: string } => ({ id: BigInt(id), id_str: id })

/** A time as the old style has it: `Mon May 19 14:01:46 +0000 2025`. */
export function oldTime(ms: number): string {
  const [day, date, month, year, time] = new Date(ms).toUTCString().split(/,? /)
  return `${day} ${month} ${date} ${time} +0000 ${year}`
}
