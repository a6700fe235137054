import { type Clock, LARGEST_STEP_MS } from './clock.ts'
import { chooseByRequest } from './random.ts'

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
  /** In deterministic mode ids are counted from the beginning again. */
  restart?(): void
}

/**
 * Real time never goes back (see the clock). The offset of the test clock does, and then moments come a second time: ids of a
 * moved clock have machine numbers of their own, and remember which moments they have used.
 */
export function createIdMaker(clock: Pick<Clock, 'now' | 'offsetMs' | 'state' | 'reached'>, machine: number): IdMaker {
  const real = createSeries(machine)
  const moved = createSeries(machine + MACHINE_NUMBERS, new Map())
  const frozen = createFrozenSeries(machine)
  return {
    next: () => {
      const { frozen: stopped } = clock.state()
      if (stopped) return frozen(stopped.atMs, stopped.spentMs + Math.max(0, clock.reached() - stopped.sinceMs))
      return (clock.offsetMs() === 0 ? real : moved)(clock.now())
    },
  }
}

const COUNTED_STARTS_MS = 5

/**
 * Makes the ids of deterministic mode: they are counted, whatever the real time. A process that starts on the same data continues a
 * few milliseconds later.
 */
export function createCountingIdMaker(clock: Pick<Clock, 'now'>, machine: number, starts: number): IdMaker {
  let ofRequests = createSeries(machine, new Map())
  let ofBackground = createSeries(machine + MACHINE_NUMBERS, new Map())
  return {
    next: () => chooseByRequest(ofRequests, ofBackground)(clock.now() + starts * COUNTED_STARTS_MS),
    restart: () => {
      ofRequests = createSeries(machine, new Map())
      ofBackground = createSeries(machine + MACHINE_NUMBERS, new Map())
    },
  }
}

// Above the machine numbers that the first processes with a moved clock use.
const FIRST_SLOT = 524
const SLOTS = 500
const SLOT_MS = 2
const SLOT_IDS = 8
const FINE_MS = 900_000
const COARSE_MS = 1_000

/**
 * Makes ids while time stands still. They still grow in the order of creation, also between processes and after a restart: a
 * real second is written as a millisecond, so the ids of a quarter of an hour stay within the second. After that real time is
 * written more coarsely, and only the ids of one process grow.
 */
function createFrozenSeries(machine: number): (atMs: number, spentMs: number) => string {
  const used = new Map<number, number>()
  return (atMs, spentMs) => {
    const fine = Math.floor(Math.min(spentMs, FINE_MS) / SLOT_MS)
    const coarse = Math.floor(Math.max(0, spentMs - FINE_MS) / COARSE_MS)
    const last = Math.max((used.get(atMs) ?? -1) + 1, (fine + coarse) * SLOT_IDS)
    remember(used, atMs, last)
    const slot = Math.floor(last / SLOT_IDS)
    const within = FIRST_SLOT + (slot % SLOTS)
    return idAt(atMs + Math.floor(slot / SLOTS), within, machine * SLOT_IDS + (last % SLOT_IDS))
  }
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
