import { type CompiledQuery, compileQuery } from './match-query.ts'
import type { MatchablePost } from './matchable-post.ts'
import type { QueryNode } from './parse-query.ts'
import { rarityOf } from './term-rarity.ts'

/** A rule of a stream: a checked tree, and the ids of the usernames in it. */
export interface IndexedRule<K> {
  key: K
  tree: QueryNode
  userIds?: ReadonlyMap<string, string>
}

interface Entry<K> {
  key: K
  order: number
  /** A second required term. Most posts that have the first do not have it and need no further check. */
  guard: string | undefined
  matches: CompiledQuery['matches']
  query: CompiledQuery
  /** The terms it is filed under; undefined when it is evaluated for every post. */
  filedUnder: readonly string[] | undefined
  /** The last round that evaluated it: a rule filed under two terms of a post is evaluated once. */
  round: number
}

const NO_IDS: ReadonlyMap<string, string> = new Map()

/** Finds the rules that a post matches by the rarest term that each of them requires. */
export class RuleIndex<K extends string | number | bigint> {
  readonly #entries = new Map<K, Entry<K>>()
  readonly #byTerm = new Map<string, Entry<K>[]>()
  readonly #always: Entry<K>[] = []
  /** How many rules require each term. A term that many rules require is likely to occur in many posts. */
  readonly #uses = new Map<string, number>()
  #order = 0
  #round = 0

  constructor(rules: Iterable<IndexedRule<K>> = []) {
    // All terms are counted before the first rule is filed.
    const entries = Array.from(rules, (rule) => this.#enter(rule))
    for (const entry of entries) if (this.#entries.get(entry.key) === entry) this.#file(entry)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds a rule after the others. A rule with the same key is replaced. */
  add(rule: IndexedRule<K>): void {
    this.#file(this.#enter(rule))
  }

  /** Removes a rule; false when there is none with that key. */
  remove(key: K): boolean {
    const entry = this.#entries.get(key)
    if (!entry) return false
    this.#entries.delete(key)
    for (const term of entry.query.terms) {
      const left = this.#uses.get(term)! - 1
      if (left === 0) this.#uses.delete(term)
      else this.#uses.set(term, left)
    }
    if (entry.filedUnder === undefined) removeUnordered(this.#always, entry)
    else {
      for (const term of entry.filedUnder) {
        const entries = this.#byTerm.get(term)!
        removeUnordered(entries, entry)
        if (entries.length === 0) this.#byTerm.delete(term)
      }
    }
    return true
  }

  /** The keys of the rules that the post matches, in the order of the rules. */
  match(post: MatchablePost): K[] {
    this.#round += 1
    const found: Entry<K>[] = []
    this.#collect(this.#always, post, found)
    for (const term of post.terms) {
      const entries = this.#byTerm.get(term)
      if (entries) this.#collect(entries, post, found)
    }
    if (found.length > 1) found.sort((left, right) => left.order - right.order)
    return found.map((entry) => entry.key)
  }

  #collect(entries: readonly Entry<K>[], post: MatchablePost, found: Entry<K>[]): void {
    for (const entry of entries) {
      if (entry.round === this.#round) continue
      entry.round = this.#round
      if (entry.guard !== undefined && !post.terms.has(entry.guard)) continue
      if (entry.matches(post)) found.push(entry)
    }
  }

  #enter({ key, tree, userIds = NO_IDS }: IndexedRule<K>): Entry<K> {
    this.remove(key)
    const query = compileQuery(tree, userIds, String(key))
    const entry: Entry<K> = {
      key,
      order: this.#order++,
      round: 0,
      guard: undefined,
      matches: query.matches,
      query,
      filedUnder: [],
    }
    this.#entries.set(key, entry)
    for (const term of query.terms) this.#uses.set(term, (this.#uses.get(term) ?? 0) + 1)
    return entry
  }

  #file(entry: Entry<K>): void {
    const filing = entry.query.filing((term) => (this.#uses.get(term) ?? 1) / rarityOf(term))
    entry.filedUnder = filing?.keys
    entry.guard = filing?.guard
    if (entry.filedUnder === undefined) {
      this.#always.push(entry)
      return
    }
    for (const term of entry.filedUnder) {
      const entries = this.#byTerm.get(term)
      if (entries) entries.push(entry)
      else this.#byTerm.set(term, [entry])
    }
  }
}

// The order of entries does not matter, since matches are sorted.
function removeUnordered<T>(entries: T[], entry: T): void {
  const at = entries.indexOf(entry)
  const last = entries.pop()!
  if (at < entries.length) entries[at] = last
}
