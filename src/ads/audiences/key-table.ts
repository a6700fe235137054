import { createHash } from 'node:crypto'
import { IDENTIFIERS, type Identifier, PLAIN_IDENTIFIER } from './identifiers.data.ts'

/** Bytes of a stored hash. */
const HASH_BYTES = 32

const INITIAL_CAPACITY = 1_024

/** The distinct keys of a batch, numbered in the order of their first occurrence. Their hashes are in one buffer. */
export class KeyTable {
  readonly kinds: number[] = []
  #hashes = Buffer.allocUnsafe(INITIAL_CAPACITY * HASH_BYTES)
  readonly #numbers = new Map<Identifier, Map<string, number>>()

  /** The number of a key. The value is 64 hexadecimal digits in lower case, or plain text for the plain identifier. */
  add(identifier: Identifier, value: string): number {
    let numbers = this.#numbers.get(identifier)
    if (!numbers) {
      numbers = new Map()
      this.#numbers.set(identifier, numbers)
    }
    const found = numbers.get(value)
    if (found !== undefined) return found
    const number = this.kinds.length
    numbers.set(value, number)
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

  /** A number that identifies a set of keys, in any order: the sum of their hashes, which is random enough. */
  memberOf(numbers: readonly number[]): string {
    let sum = 0n
    // Each kind is read from another byte on, so the same hash has different numbers for two kinds.
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
