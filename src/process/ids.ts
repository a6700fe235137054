import type { Clock } from './clock.ts'

const EPOCH_MS = 1288834974657n
const SEQUENCE_BITS = 12n
const TIME_SHIFT = 22n
const SEQUENCE_MASK = 0xfff

/** Creates 64-bit time-ordered ids as decimal text; `machine` (0 to 1023) must differ between running processes. */
export interface IdMaker {
  next(): string
}

export function createIdMaker(clock: Clock, machine: number): IdMaker {
  let lastMs = 0
  let sequence = 0
  return {
    next() {
      let ms = clock.now()
      // The clock may step back (test clock reset, time correction): ids must still grow within one process.
      if (ms < lastMs && lastMs - ms < 5_000) ms = lastMs
      if (ms === lastMs) {
        sequence = (sequence + 1) & SEQUENCE_MASK
        if (sequence === 0) ms = lastMs + 1
      } else {
        sequence = 0
      }
      lastMs = ms
      return idAt(ms, machine, sequence)
    },
  }
}

/** The id of a moment; with machine and sequence 0 it is the smallest id of that millisecond. */
export function idAt(ms: number, machine = 0, sequence = 0): string {
  const time = BigInt(Math.max(0, Math.floor(ms))) - EPOCH_MS
  return (((time > 0n ? time : 0n) << TIME_SHIFT) | (BigInt(machine) << SEQUENCE_BITS) | BigInt(sequence)).toString()
}

/** The moment, in milliseconds, at which an id was created. */
export function timeOfId(id: string): number {
  return Number((BigInt(id) >> TIME_SHIFT) + EPOCH_MS)
}

/** The largest id that a column can hold. */
export const LARGEST_ID = '9223372036854775807'

/** True for decimal text that fits a signed 64-bit column. */
export function isStorableId(text: string): boolean {
  const { length } = text
  if (length === 0 || length > 19) return false
  for (let at = 0; at < length; at++) {
    const sign = text.charCodeAt(at)
    if (sign < 48 || sign > 57) return false
  }
  return length < 19 || text <= LARGEST_ID
}
