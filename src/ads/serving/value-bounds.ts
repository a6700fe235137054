import { dollarsOf } from './bids.ts'
import type { Contender } from './contender.ts'
import { appeal, predicted } from './response-model.ts'

/**
 * What items are worth at most to somebody with whom they have nothing in common, in millionths of a dollar: the present bid times
 * the chance at first sight. Items are in about that order, and `from[n]` is the largest value of item n and all after it.
 */
export class ValueBounds {
  readonly from: Float64Array
  /** Of each item by itself. */
  readonly of: Float64Array
  /** The value of an event times its chance, without what pacing changes; for one hour of the day. */
  readonly #plain: Float64Array
  #hour = -1

  constructor(items: number) {
    this.from = new Float64Array(items + 1)
    this.of = new Float64Array(items)
    this.#plain = new Float64Array(items)
  }

  /** Computes them anew: paces have changed, or the hour has. */
  update(contenders: readonly Contender[], hour: number): void {
    if (hour !== this.#hour) {
      for (const [at, contender] of contenders.entries()) this.#plain[at] = plainValue(contender, hour)
      this.#hour = hour
    }
    let largest = 0
    for (let at = contenders.length - 1; at >= 0; at--) {
      const { pace, kappa } = contenders[at]!
      const value = this.#plain[at]! * pace.lambda * kappa
      this.of[at] = value
      if (value > largest) largest = value
      this.from[at] = largest
    }
  }

  /** The first item from which on all are worth less than a value. */
  firstBelow(value: number): number {
    let from = 0
    let until = this.of.length
    while (from < until) {
      const middle = (from + until) >> 1
      if (this.from[middle]! < value) until = middle
      else from = middle + 1
    }
    return from
  }
}

/** What an item is worth to a stranger at first sight, at its own bid. */
export function plainValue({ item }: Pick<Contender, 'item'>, hour: number): number {
  const { bid } = item
  let most = 0
  for (const creative of item.creatives) {
    const base = appeal(creative, { affinity: 0, position: 0, seen: 0, hour })
    most = Math.max(most, predicted(bid.valued, creative, base))
  }
  return bid.amount * bid.share * dollarsOf(bid.currency) * most
}
