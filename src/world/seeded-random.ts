/** Repeatable random numbers: the same start numbers give the same results on every machine. */
export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(...start: number[]) {
    let mixed = 0x9e3779b9
    for (const number of start) {
      mixed = scramble(mixed ^ (number >>> 0))
      mixed = scramble(mixed ^ Math.floor(number / 0x1_0000_0000))
    }
    this.#a = mixed
    this.#b = scramble(mixed + 1)
    this.#c = scramble(mixed + 2)
    for (let round = 0; round < 8; round++) this.#next()
  }

  /** A whole number from 0 to below `limit`. It uses exact operations only: engines may round logarithms differently. */
  below(limit: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * limit)
  }

  /** True in about `parts` of a thousand calls. */
  chance(parts: number): boolean {
    return this.below(1_000) < parts
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** A rank below `limit`. Low ranks are more frequent, about as 1/rank (Zipf); the first eight are equally likely. */
  rank(limit: number): number {
    const octaves = Math.max(1, 32 - Math.clz32(limit - 1) - 2)
    for (let tries = 0; tries < 20; tries++) {
      const octave = this.below(octaves)
      const rank = octave === 0 ? this.below(8) : (4 << octave) + this.below(4 << octave)
      if (rank < limit) return rank
    }
    return this.below(limit)
  }

  // The sfc32 generator.
  #next(): number {
    const sum = (this.#a + this.#b + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

function scramble(number: number): number {
  let mixed = number | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) | 0
}
