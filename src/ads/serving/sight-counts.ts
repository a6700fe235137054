const SLOTS = 1 << 22
const MOST = Math.floor(SLOTS * 0.7)
const MOST_CREATIVES = 2 ** 20

/**
 * How often viewers saw creatives, in a table of fixed size. When it is full it begins anew: people forget. Frequency caps do not
 * depend on it.
 */
export class SightCounts {
  #keys = new Float64Array(0)
  #counts = new Uint8Array(0)
  #size = 0
  readonly #numbers = new Map<string, number>()

  /** The number of a creative. */
  numberOf(promotedId: string): number {
    let number = this.#numbers.get(promotedId)
    if (number === undefined) {
      number = 1 + (this.#numbers.size % (MOST_CREATIVES - 1))
      this.#numbers.set(promotedId, number)
    }
    return number
  }

  get(viewer: number, creative: number): number {
    if (this.#size === 0) return 0
    return this.#counts[this.#find(viewer * MOST_CREATIVES + creative)]!
  }

  add(viewer: number, creative: number): void {
    if (this.#keys.length === 0) {
      this.#keys = new Float64Array(SLOTS)
      this.#counts = new Uint8Array(SLOTS)
    }
    if (this.#size >= MOST) this.#forget()
    const key = viewer * MOST_CREATIVES + creative
    const at = this.#find(key)
    if (this.#keys[at] === 0) {
      this.#keys[at] = key
      this.#size += 1
    }
    if (this.#counts[at]! < 255) this.#counts[at]! += 1
  }

  #find(key: number): number {
    let at = (Math.imul((key % 0x7fffffff) | 0, 0x9e3779b1) ^ (key / 0x7fffffff)) & (SLOTS - 1)
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) & (SLOTS - 1)
    return at
  }

  #forget(): void {
    this.#keys.fill(0)
    this.#counts.fill(0)
    this.#size = 0
  }
}
