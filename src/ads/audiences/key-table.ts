import { createHash } from 'node:crypto'
import { IDENTIFIERS, type Identifier, PLAIN_IDENTIFIER } from './identifiers.data.ts'

/** Bytes of a stored hash. */
export const HASH_BYTES = 32

const FIRST_ROOM = 1_024

/** The distinct keys of a batch, numbered in order of appearance: their kinds, and their hashes in one buffer. */
export class KeyTable {
  readonly kinds: number[] = []
  #hashes = Buffer.allocUnsafe(FIRST_ROOM * HASH_BYTES)
  readonly #known = new Map<Identifier, Map<string, number>>()

  /** The number of a key; the value is 64 hexadecimal digits in lower case, or plain where the kind is sent plain. */
  add(identifier: Identifier, value: string): number {
    let known = this.#known.get(identifier)
    if (!known) {
      known = new Map()
      this.#known.set(identifier, known)
    }
    const found = known.get(value)
    if (found !== undefined) return found
    const number = this.kinds.length
    known.set(value, number)
    this.kinds.push(IDENTIFIERS[identifier])
    const at = number * HASH_BYTES
    if (at === this.#hashes.length) this.#hashes = Buffer.concat([this.#hashes], at * 2)
    if (identifier === PLAIN_IDENTIFIER) createHash('sha256').update(value).digest().copy(this.#hashes, at)
    else this.#hashes.write(value, at, 'hex')
    return number
  }

  get size(): number {
    return this.kinds.length
  }

  /** A number for these keys together, in whatever order: the hashes are random enough to be added up. */
  memberOf(numbers: readonly number[]): string {
    let sum = 0n
    // From another byte on for each kind, so that the same hash of two kinds counts differently.
    for (const number of numbers) sum += this.#hashes.readBigUInt64LE(number * HASH_BYTES + this.kinds[number]!)
    return (BigInt.asIntN(64, sum) || 1n).toString()
  }

  /** The hashes of some keys, one after the other. */
  hashesOf(numbers: readonly number[]): Buffer {
    const picked = Buffer.allocUnsafe(numbers.length * HASH_BYTES)
    for (const [index, number] of numbers.entries())
      this.#hashes.copy(picked, index * HASH_BYTES, number * HASH_BYTES, (number + 1) * HASH_BYTES)
    return picked
  }
}
