/** Whom an item may reach: somebody who has a term of every group and none of the excluded ones. Terms are small numbers. */
export interface Targeting {
  groups: readonly (readonly number[])[]
  excluded: readonly number[]
}

/** True for terms that are among those of the viewer. */
export type HasTerm = (term: number) => boolean

/** The rule by itself, without an index. */
export function reaches({ groups, excluded }: Targeting, has: HasTerm): boolean {
  for (const term of excluded) if (has(term)) return false
  for (const group of groups) if (!group.some(has)) return false
  return true
}

/**
 * Finds the items that may reach a viewer, in the order of the items. Each item is listed under the terms of that one of its groups
 * which fewest viewers fit; what is found there is checked against the rest.
 */
export class TargetingIndex {
  readonly #items: readonly Targeting[]
  readonly #lists: (Int32Array | undefined)[] = []
  readonly #unlimited: Int32Array
  /** The group that is known to fit when an item is found; -1 without groups. */
  readonly #listedGroup: Int16Array
  #stamps = new Uint32Array(1_024)
  #stamp = 0
  // The lists of the present viewer, as a heap by the next item of each.
  #heapLists: Int32Array[] = []
  #heapPositions: number[] = []
  #last = -1

  /** `shareOf` tells which part of the viewers has a term, where that is known. */
  constructor(items: readonly Targeting[], shareOf: (term: number) => number) {
    this.#items = items
    this.#listedGroup = new Int16Array(items.length).fill(-1)
    const lists: number[][] = []
    const unlimited: number[] = []
    for (const [at, { groups }] of items.entries()) {
      const rarest = rarestGroup(groups, shareOf)
      this.#listedGroup[at] = rarest
      if (rarest < 0) unlimited.push(at)
      else
        for (const term of new Set(groups[rarest])) {
          const list = lists[term]
          if (list) list.push(at)
          else lists[term] = [at]
        }
    }
    for (const [term, list] of lists.entries()) if (list) this.#lists[term] = Int32Array.from(list)
    this.#unlimited = Int32Array.from(unlimited)
  }

  /** Begins with a viewer: `next` returns the items for their terms. */
  begin(...terms: readonly ArrayLike<number>[]): void {
    this.#stamp += 1
    this.#last = -1
    this.#heapLists.length = 0
    this.#heapPositions.length = 0
    if (this.#unlimited.length > 0) this.#push(this.#unlimited)
    for (const some of terms) for (let at = 0; at < some.length; at++) this.#addTerm(some[at]!)
  }

  #addTerm(term: number): void {
    if (term >= this.#stamps.length) this.#grow(term)
    if (this.#stamps[term] === this.#stamp) return
    this.#stamps[term] = this.#stamp
    const list = this.#lists[term]
    if (list) this.#push(list)
  }

  /** The next item in order that may reach the viewer; -1 at the end. */
  next(): number {
    while (this.#heapLists.length > 0) {
      const item = this.#pop()
      if (item === this.#last) continue
      this.#last = item
      if (this.#fits(item, this.#listedGroup[item]!)) return item
    }
    return -1
  }

  /** True for an item that may reach the viewer. */
  fits(item: number): boolean {
    return this.#fits(item, -1)
  }

  /** `known` is a group that fits already. */
  #fits(item: number, known: number): boolean {
    const { groups, excluded } = this.#items[item]!
    const stamps = this.#stamps
    const stamp = this.#stamp
    for (const term of excluded) if (stamps[term] === stamp) return false
    for (let at = 0; at < groups.length; at++) {
      if (at === known) continue
      const group = groups[at]!
      let found = false
      for (let index = 0; index < group.length; index++)
        if (stamps[group[index]!] === stamp) {
          found = true
          break
        }
      if (!found) return false
    }
    return true
  }

  #grow(term: number): void {
    const stamps = new Uint32Array(Math.max(term + 1, this.#stamps.length * 2))
    stamps.set(this.#stamps)
    this.#stamps = stamps
  }

  #push(list: Int32Array): void {
    const lists = this.#heapLists
    const positions = this.#heapPositions
    let at = lists.length
    lists.push(list)
    positions.push(0)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (lists[parent]![positions[parent]!]! <= list[0]!) break
      lists[at] = lists[parent]!
      positions[at] = positions[parent]!
      at = parent
    }
    lists[at] = list
    positions[at] = 0
  }

  #pop(): number {
    const lists = this.#heapLists
    const positions = this.#heapPositions
    const found = lists[0]![positions[0]!]!
    positions[0] = positions[0]! + 1
    if (positions[0] >= lists[0]!.length) {
      const list = lists.pop()!
      const position = positions.pop()!
      if (lists.length === 0) return found
      lists[0] = list
      positions[0] = position
    }
    this.#sink()
    return found
  }

  #sink(): void {
    const lists = this.#heapLists
    const positions = this.#heapPositions
    const list = lists[0]!
    const position = positions[0]!
    const value = list[position]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= lists.length) break
      let least = lists[child]![positions[child]!]!
      if (child + 1 < lists.length) {
        const other = lists[child + 1]![positions[child + 1]!]!
        if (other < least) {
          least = other
          child += 1
        }
      }
      if (least >= value) break
      lists[at] = lists[child]!
      positions[at] = positions[child]!
      at = child
    }
    lists[at] = list
    positions[at] = position
  }
}

function rarestGroup(groups: Targeting['groups'], shareOf: (term: number) => number): number {
  let rarest = -1
  let least = Number.POSITIVE_INFINITY
  for (const [at, group] of groups.entries()) {
    let share = 0
    for (const term of group) share += shareOf(term)
    if (share < least) {
      least = share
      rarest = at
    }
  }
  return rarest
}
