import type { ServedItem } from '../inventory.ts'
import { largestGain } from '../response-model.ts'

/** Items by the interests of what they show. */
export class InterestLists {
  readonly #lists = new Map<string, Int32Array>()
  readonly #stamps: Uint32Array
  readonly #shared: Uint16Array
  /** Of each item, one by the root of its number of interests. */
  readonly #weights: Float64Array
  #stamp = 0
  /** The items found last, `count` of them, in no order. */
  readonly found: Int32Array
  count = 0

  constructor(items: readonly ServedItem[]) {
    this.#stamps = new Uint32Array(items.length)
    this.#shared = new Uint16Array(items.length)
    this.#weights = new Float64Array(items.length)
    this.found = new Int32Array(items.length)
    const lists = new Map<string, number[]>()
    for (const [at, item] of items.entries()) {
      let fewest = Number.POSITIVE_INFINITY
      for (const { interests } of item.creatives) if (interests.length > 0) fewest = Math.min(fewest, interests.length)
      this.#weights[at] = 1 / Math.sqrt(fewest)
      for (const interest of new Set(item.creatives.flatMap((creative) => creative.interests))) {
        const list = lists.get(interest)
        if (list) list.push(at)
        else lists.set(interest, [at])
      }
    }
    for (const [interest, list] of lists) this.#lists.set(interest, Int32Array.from(list))
  }

  /** Finds the items that share an interest with a viewer. */
  find(interests: readonly string[]): void {
    this.#stamp += 1
    this.count = 0
    const stamps = this.#stamps
    const shared = this.#shared
    for (const interest of interests) {
      const list = this.#lists.get(interest)
      if (!list) continue
      for (let position = 0; position < list.length; position++) {
        const item = list[position]!
        if (stamps[item] === this.#stamp) shared[item]! += 1
        else {
          stamps[item] = this.#stamp
          shared[item] = 1
          this.found[this.count++] = item
        }
      }
    }
  }

  /** By how much a found item can be worth more to the viewer, who has so many interests, than to a stranger. */
  gainOf(item: number, interests: number): number {
    return largestGain(Math.min(1, (this.#shared[item]! * this.#weights[item]!) / Math.sqrt(interests)))
  }
}
