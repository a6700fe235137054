import { type Clock, LARGEST_STEP_MS } from './clock.ts'

const EPOCH_MS = 1288834974657n
const SEQUENCE_BITS = 12n
const TIME_SHIFT = 22n
const SEQUENCE_MASK = 0xfff

/** Machine numbers of running processes are below this. */
export const MACHINE_NUMBERS = 512
const USED_MOMENTS = 200_000

/** Creates 64-bit time-ordered ids as decimal text; `machine` (0 to 511) must differ between running processes. */
export interface IdMaker {
  next(): string
}

/**
 * Real time never goes back (see the clock). The offset of the test clock does, and then moments come a second time: ids of a
 * moved clock have machine numbers of their own, and remember which moments they have used.
 */
export function createIdMaker(clock: Pick<Clock, 'now' | 'offsetMs'>, machine: number): IdMaker {
  const real = createSeries(machine)
  const moved = createSeries(machine + MACHINE_NUMBERS, new Map())
  return { next: () => (clock.offsetMs() === 0 ? real : moved)(clock.now()) }
}

/** Makes ids that grow while time does. With `used`, moments may also come again: it has the last number of each. */
function createSeries(machine: number, used?: Map<number, number>): (now: number) => string {
  let lastMs = 0
  let sequence = 0
  return (now) => {
    let ms = now
    if (!used && ms < lastMs && lastMs - ms < LARGEST_STEP_MS) ms = lastMs
    if (ms === lastMs) sequence += 1
    else sequence = (used?.get(ms) ?? -1) + 1
    while (sequence > SEQUENCE_MASK) {
      ms += 1
      sequence = (used?.get(ms) ?? -1) + 1
    }
    lastMs = ms
    if (used) remember(used, ms, sequence)
    return idAt(ms, machine, sequence)
  }
}

function remember(used: Map<number, number>, ms: number, sequence: number): void {
  used.set(ms, sequence)
  // The moments that were used first are the oldest.
  if (used.size > USED_MOMENTS) used.delete(used.keys().next().value!)
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
