import { wireTime } from '../../process/clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 3600_000
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

/**
 * Writes the counts of many slices as JSON objects. Of those of one day only hours, minutes and counts differ, so these bytes are
 * written over those of the slice before.
 */
export class CountLines {
  readonly #name: string
  readonly #bytes: Buffer
  #end = 0
  /** The object up to its count, with the times of `#day`. */
  #line: Buffer
  #day = Number.NaN

  /** `name` is the member of the count; `most` is how many slices there are at most. */
  constructor(name: string, most: number) {
    this.#name = name
    this.#line = this.#lineOf(0, 0)
    this.#bytes = Buffer.allocUnsafe(Math.max(0, most) * (this.#line.length + LONGEST_COUNT + 2))
  }

  add(from: number, to: number, count: number): void {
    const day = Math.floor(from / DAY_MS)
    const isPlain = from % MINUTE_MS === 0 && to % MINUTE_MS === 0 && to < (day + 1) * DAY_MS
    if (isPlain) {
      if (day !== this.#day) {
        this.#day = day
        this.#line = this.#lineOf(from, to)
      }
      putTime(this.#line, END_AT, to)
      putTime(this.#line, START_AT, from)
      this.#put(this.#line, count)
    } else this.#put(this.#lineOf(from, to), count)
  }

  /** All objects with commas between them. */
  text(): string {
    return this.#bytes.toString('latin1', 0, Math.max(0, this.#end - 1))
  }

  #lineOf(from: number, to: number): Buffer {
    return Buffer.from(`${END}${wireTime(to)}${START}${wireTime(from)}","${this.#name}":`, 'latin1')
  }

  #put(line: Buffer, count: number): void {
    const bytes = this.#bytes
    line.copy(bytes, this.#end)
    let end = this.#end + line.length
    const digits = String(count)
    for (let index = 0; index < digits.length; index++) bytes[end++] = digits.charCodeAt(index)
    bytes[end++] = BRACE
    bytes[end++] = COMMA
    this.#end = end
  }
}

function putTime(line: Buffer, at: number, ms: number): void {
  const minutes = Math.floor((ms % DAY_MS) / MINUTE_MS)
  putTwo(line, at + HOUR_AT, Math.floor(minutes / 60))
  putTwo(line, at + MINUTE_AT, minutes % 60)
}

function putTwo(line: Buffer, at: number, number: number): void {
  line[at] = ZERO + Math.floor(number / 10)
  line[at + 1] = ZERO + (number % 10)
}
