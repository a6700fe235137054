import { wireTime } from '../../process/clock.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const LONGEST_COUNT = 10
const ZERO = 0x30
const COMMA = 0x2c
const BRACE = 0x7d

const END = '{"end":"'
const START = '","start":"'
const END_AT = END.length
const START_AT = END_AT + wireTime(0).length + START.length
// Where hours and minutes are in `2026-01-31T00:00:00.000Z`.
const HOUR_AT = 11
const MINUTE_AT = 14

/** Equal periods without a gap, of which the first and the last can be cut. They are numbered from 1970. */
export interface Periods {
  startMs: number
  endMs: number
  sliceMs: number
}

export const firstPeriodOf = ({ startMs, sliceMs }: Periods): number => Math.floor(startMs / sliceMs)

/**
 * Writes the counts of periods as JSON objects with commas between them, after `head` and before `tail`. A week has ten thousand
 * minutes. Of those of one day only hours, minutes and counts differ, so these bytes are written over those of the line before.
 */
export function writeCounts(
  counts: Uint32Array,
  periods: Periods,
  { head, name, tail }: { head: string; name: string; tail: string },
): string {
  const { startMs, endMs, sliceMs } = periods
  const first = firstPeriodOf(periods)
  const lineOf = (from: number, to: number) =>
    Buffer.from(`${END}${wireTime(to)}${START}${wireTime(from)}","${name}":`, 'latin1')
  const lineBytes = lineOf(0, 0).length + LONGEST_COUNT + 2
  const bytes = Buffer.allocUnsafe(head.length + counts.length * lineBytes + tail.length)
  let end = bytes.write(head, 0, 'latin1')
  let ofDay: Buffer | undefined
  for (let index = 0; index < counts.length; index++) {
    const from = Math.max((first + index) * sliceMs, startMs)
    const to = Math.min((first + index + 1) * sliceMs, endMs)
    let line: Buffer
    // The last minute of a day ends on the next one, and the first and last of all can be cut.
    const minute = (first + index) % DAY_MINUTES
    if (sliceMs === MINUTE_MS && minute < DAY_MINUTES - 1 && to - from === sliceMs) {
      ofDay ??= lineOf(from, to)
      line = ofDay
      putTime(line, END_AT, minute + 1)
      putTime(line, START_AT, minute)
    } else {
      line = lineOf(from, to)
      ofDay = undefined
    }
    bytes.set(line, end)
    end = putCount(bytes, end + line.length, counts[index]!)
    bytes[end++] = BRACE
    bytes[end++] = COMMA
  }
  if (counts.length > 0) end -= 1
  end += bytes.write(tail, end, 'latin1')
  return bytes.toString('latin1', 0, end)
}

function putCount(bytes: Buffer, at: number, count: number): number {
  if (count > 9) return at + bytes.write(String(count), at, 'latin1')
  bytes[at] = ZERO + count
  return at + 1
}

function putTime(line: Buffer, at: number, minute: number): void {
  const hour = (minute / 60) | 0
  putTwo(line, at + HOUR_AT, hour)
  putTwo(line, at + MINUTE_AT, minute - hour * 60)
}

function putTwo(line: Buffer, at: number, number: number): void {
  const tens = (number / 10) | 0
  line[at] = ZERO + tens
  line[at + 1] = ZERO + number - tens * 10
}
