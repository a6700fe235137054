import type { ServedItem } from '../inventory.ts'
import { largestGain } from '../response-model.ts'

/** Items and viewers rarely share or have as many interests. The gains of fewer are worked out once. */
const MOST = 32

/** By how much an item is worth more to a viewer with `known` interests, of which it shares some and has at least `fewest`. */
const gain = (shared: number, fewest: number, known: number): number =>
  largestGain(shared === 0 ? 0 : Math.min(1, shared / Math.sqrt(fewest * known)))

/** Items by the interests of what they show. */
export class InterestLists {
  readonly #lists = new Map<string, Int32Array>()
  readonly #stamps: Uint32Array
  readonly #shared: Uint16Array
  /** How many interests each item has: of its creative with the fewest. */
  readonly #fewest: Uint16Array
  /** What `gainOf` returned, for viewers with so many interests, by how many an item has and shares. */
  readonly #gains = new Map<number, Float64Array>()
  #gainsOfViewer: Float64Array = new Float64Array(0)
  #known = 0
  #stamp = 0
  /** The items found last, `count` of them, in no order. */
  readonly found: Int32Array
  count = 0

  constructor(items: readonly ServedItem[]) {
    this.#stamps = new Uint32Array(items.length)
    this.#shared = new Uint16Array(items.length)
    this.#fewest = new Uint16Array(items.length)
    this.found = new Int32Array(items.length)
    const lists = new Map<string, number[]>()
    for (const [at, item] of items.entries()) {
      let fewest = Number.POSITIVE_INFINITY
      for (const { interests } of item.creatives) if (interests.length > 0) fewest = Math.min(fewest, interests.length)
      this.#fewest[at] = fewest === Number.POSITIVE_INFINITY ? 0 : fewest
      for (const interest of new Set(item.creatives.flatMap((creative) => creative.interests))) {
        const list = lists.get(interest)
        if (list) list.push(at)
        else lists.set(interest, [at])
      }
    }
    for (const [interest, list] of lists) this.#lists.set(interest, Int32Array.from(list))
  }

  /** Finds the items that share an interest with a viewer, and from the item `pairsFrom` on those that share two. */
  find(interests: readonly string[], pairsFrom = this.found.length): void {
    this.#stamp += 1
    this.count = 0
    this.#known = interests.length
    this.#gainsOfViewer = this.#gainsFor(interests.length)
    const stamps = this.#stamps
    const shared = this.#shared
    for (const interest of interests) {
      const list = this.#lists.get(interest)
      if (!list) continue
      for (let position = 0; position < list.length; position++) {
        const item = list[position]!
        if (stamps[item] === this.#stamp) {
          shared[item]! += 1
          if (shared[item] === 2 && item >= pairsFrom) this.found[this.count++] = item
        } else {
          stamps[item] = this.#stamp
          shared[item] = 1
          if (item < pairsFrom) this.found[this.count++] = item
        }
      }
    }
  }

  /** By how much an item that was found can be worth more to the viewer than to a stranger. */
  gainOf(item: number): number {
    const shared = this.#shared[item]!
    const fewest = this.#fewest[item]!
    return shared < MOST && fewest < MOST
      ? this.#gainsOfViewer[shared * MOST + fewest]!
      : gain(shared, fewest, this.#known)
  }

  #gainsFor(known: number): Float64Array {
    let gains = this.#gains.get(known)
    if (!gains) {
      gains = Float64Array.from({ length: MOST * MOST }, (_, at) => gain(Math.floor(at / MOST), at % MOST, known))
      this.#gains.set(known, gains)
    }
    return gains
  }

  /** The same for any item that shares one interest. */
  static gainOfOne(interests: number): number {
    return gain(1, 1, interests)
  }
}
