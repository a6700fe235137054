import type { Naming } from '../../api-kit/naming/naming.ts'

/** A value in the shapes of version 1.1. Numeric ids are bigint, since they exceed what a number holds exactly. */
export type V1Value = string | number | bigint | boolean | null | V1Value[] | V1Object
export interface V1Object {
  [name: string]: V1Value | undefined
}

/** Writes JSON with the member names of a naming. A bigint is written with all its digits; undefined is left out. */
export function writeV1Json(value: V1Value, naming: Naming): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => writeV1Json(item, naming)).join()}]`
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(naming.rename(name))}:${writeV1Json(member, naming)}`],
  )
  return `{${members.join()}}`
}

/** An id as version 1.1 has it: as a number and as text. */
export const v1Ids = (id: string): { id: bigint; id_str: string } => ({ id: BigInt(id), id_str: id })

/** The numeric form of an id that may be absent. */
export const v1NumericId = (id: string | null): bigint | null => (id === null ? null : BigInt(id))

/** A time as version 1.1 has it: `Mon May 19 14:01:46 +0000 2025`. */
export function v1Time(ms: number): string {
  const [day, date, month, year, time] = new Date(ms).toUTCString().split(/,? /)
  return `${day} ${month} ${date} ${time} +0000 ${year}`
}
