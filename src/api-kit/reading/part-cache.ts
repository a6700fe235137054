import type { Db } from '../../storage/database.ts'
import type { Part } from '../declaring/part.ts'

/** The cached data of one object: the parts loaded so far and the JSON made from them. */
export interface Entry {
  readonly id: string
  readonly values: unknown[]
  /** JSON made from the values, by selection number. */
  fragments: string[] | undefined
  pending: (Promise<void> | undefined)[] | undefined
  createdAt: number
  bytes: number
}

/** The value of a part in an entry that has it; undefined when the object has none. */
export const partOf = <V>(entry: Entry, part: Part<V>): V | undefined => entry.values[part.index] as V | undefined

/** Entries that may still be loading; an object that does not exist has undefined values. */
export interface Load {
  entries: Entry[]
  ready: Promise<unknown> | undefined
}

/** How objects are read: from the cache, or in another way that may differ from what the public sees now. */
export interface PartReader {
  /** The entries of these ids. They have these parts once `ready` has resolved, or already when it is undefined. */
  load(kind: string, ids: readonly string[], parts: readonly Part<unknown>[]): Load
  /** One part of one object, if it can be had without waiting. */
  known<V>(part: Part<V>, id: string): V | undefined
  /** One part of one object, or undefined when there is none. */
  one<V>(part: Part<V>, id: string): Promise<V | undefined>
  /** One part of several objects; those that do not exist are missing in the map. */
  many<V>(part: Part<V>, ids: readonly string[]): Promise<Map<string, V>>
  /** Caches JSON made from an entry's values. */
  addFragment(entry: Entry, selection: number, json: string): void
}

/** Gets what was invalidated; no ids when it is everything. */
type InvalidationListener = (ids: readonly string[]) => void

const ENTRY_BYTES = 200
const CHUNK = 1_000

interface Queue {
  part: Part<unknown>
  entries: Entry[]
  done: Promise<void>
}

interface PartCacheOptions {
  db: Db
  maxBytes: number
  /** How long a value may be used: Infinity if this process is notified of every change to the database. */
  maxAgeMs: number
}

/**
 * Loads and caches parts. Loads in one turn of the event loop share one statement.
 *
 * Freshness: a change invalidates its ids after its commit and before its answer. Invalidation removes the entry; a load in flight
 * fills the removed entry, not a new one, so a stale value never returns.
 */
export class PartCache implements PartReader {
  readonly #options: PartCacheOptions
  readonly #kinds = new Map<string, Generations>()
  #queues = new Map<Part<unknown>, Queue>()
  readonly #listeners = new Map<string, Set<InvalidationListener>>()
  #youngBytes = 0
  #oldBytes = 0

  constructor(options: PartCacheOptions) {
    this.#options = options
  }

  load(kind: string, ids: readonly string[], parts: readonly Part<unknown>[]): Load {
    let generations = this.#kinds.get(kind)
    if (!generations) {
      generations = new Generations()
      this.#kinds.set(kind, generations)
    }
    const entries: Entry[] = []
    for (const id of ids) entries.push(this.#entry(generations, id))
    let waits: Promise<void>[] | undefined
    for (const part of parts) {
      for (const entry of entries) {
        if (entry.values[part.index] !== undefined) continue
        const wait = this.#request(part, entry)
        waits ??= []
        if (waits[waits.length - 1] !== wait) waits.push(wait)
      }
    }
    return { entries, ready: waits ? Promise.all(waits) : undefined }
  }

  known<V>(part: Part<V>, id: string): V | undefined {
    const entry = this.#kinds.get(part.kind)?.young(id)
    return entry && !this.#isOld(entry) ? (entry.values[part.index] as V | undefined) : undefined
  }

  async one<V>(part: Part<V>, id: string): Promise<V | undefined> {
    return this.known(part, id) ?? (await this.many(part, [id])).get(id)
  }

  async many<V>(part: Part<V>, ids: readonly string[]): Promise<Map<string, V>> {
    const found = new Map<string, V>()
    const { entries, ready } = this.load(part.kind, ids, [part])
    if (ready) await ready
    for (const entry of entries) {
      const value = partOf(entry, part)
      if (value !== undefined) found.set(entry.id, value)
    }
    return found
  }

  /** Removes everything cached about these objects. */
  invalidate(kind: string, ids: readonly string[]): void {
    const generations = this.#kinds.get(kind)
    if (generations) for (const id of ids) generations.delete(id)
    for (const listener of this.#listeners.get(kind) ?? []) listener(ids)
  }

  /** Calls back when something of a kind is invalidated: for what a process keeps in a form of its own. Returns how to end that. */
  onInvalidate(kind: string, listener: InvalidationListener): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set()
    this.#listeners.set(kind, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  invalidateAll(): void {
    this.#kinds.clear()
    this.#youngBytes = 0
    this.#oldBytes = 0
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener([])
  }

  /** Caches JSON made from an entry's values, and counts its memory. */
  addFragment(entry: Entry, selection: number, json: string): void {
    entry.fragments ??= []
    entry.fragments[selection] = flattened(json)
    this.#grow(entry, json.length + 16)
  }

  /** About how much memory is used; what was invalidated since the last rotation still counts. */
  get bytes(): number {
    return this.#youngBytes + this.#oldBytes
  }

  #entry(generations: Generations, id: string): Entry {
    let known = generations.young(id)
    if (!known) {
      known = generations.promote(id)
      if (known) this.#youngBytes += known.bytes
    }
    if (known) {
      if (!this.#isOld(known)) return known
      generations.delete(id)
    }
    const entry: Entry = {
      id,
      values: [],
      fragments: undefined,
      pending: undefined,
      createdAt: performance.now(),
      bytes: 0,
    }
    generations.set(id, entry)
    this.#grow(entry, ENTRY_BYTES + id.length)
    return entry
  }

  #isOld(entry: Entry): boolean {
    return this.#options.maxAgeMs !== Infinity && performance.now() - entry.createdAt > this.#options.maxAgeMs
  }

  #request(part: Part<unknown>, entry: Entry): Promise<void> {
    const pending = entry.pending?.[part.index]
    if (pending) return pending
    let queue = this.#queues.get(part)
    if (!queue) {
      const opened: Queue = { part, entries: [], done: Promise.resolve() }
      // After the other requests of this turn, which share the statement.
      opened.done = new Promise<void>((resolve, reject) => setImmediate(() => this.#run(opened).then(resolve, reject)))
      queue = opened
      this.#queues.set(part, queue)
    }
    queue.entries.push(entry)
    entry.pending ??= []
    entry.pending[part.index] = queue.done
    return queue.done
  }

  async #run(queue: Queue): Promise<void> {
    if (this.#queues.get(queue.part) === queue) this.#queues.delete(queue.part)
    const { part, entries } = queue
    try {
      for (let start = 0; start < entries.length; start += CHUNK) {
        const chunk = entries.slice(start, start + CHUNK)
        const rows = await part.load(this.#options.db, [...new Set(chunk.map((entry) => entry.id))])
        for (const entry of chunk) {
          const value = rows.get(entry.id)
          // Absence is not cached: the object may be created at any time, and nothing would invalidate the entry.
          if (value === undefined) this.#drop(part.kind, entry)
          else {
            entry.values[part.index] = value
            this.#grow(entry, sizeOf(value))
          }
        }
      }
    } finally {
      for (const entry of entries) if (entry.pending) entry.pending[part.index] = undefined
    }
  }

  #drop(kind: string, entry: Entry): void {
    const generations = this.#kinds.get(kind)
    if (generations?.peek(entry.id) === entry) generations.delete(entry.id)
  }

  // Entries used since the last rotation may take half of the memory; then the older half is dropped.
  #grow(entry: Entry, bytes: number): void {
    entry.bytes += bytes
    this.#youngBytes += bytes
    if (this.#youngBytes <= this.#options.maxBytes / 2) return
    for (const generations of this.#kinds.values()) generations.rotate()
    this.#oldBytes = this.#youngBytes
    this.#youngBytes = 0
  }
}

// A text that was put together from pieces stays a tree of them, which every answer would walk again.
const flattened = (text: string): string => Buffer.from(text).toString()

/** Two generations of entries: those not used since the last rotation are dropped first. */
class Generations {
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()

  young(id: string): Entry | undefined {
    return this.#young.get(id)
  }

  /** Moves an entry to the young generation. */
  promote(id: string): Entry | undefined {
    const old = this.#old.get(id)
    if (old) {
      this.#old.delete(id)
      this.#young.set(id, old)
    }
    return old
  }

  peek(id: string): Entry | undefined {
    return this.#young.get(id) ?? this.#old.get(id)
  }

  set(id: string, entry: Entry): void {
    this.#young.set(id, entry)
  }

  delete(id: string): void {
    this.#young.delete(id)
    this.#old.delete(id)
  }

  rotate(): void {
    this.#old = this.#young
    this.#young = new Map()
  }
}

// A rough estimate is enough for the memory bound.
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value !== 'object' || value === null) return 8
  if (depth > 4) return 64
  let sum = 48
  for (const item of Object.values(value)) sum += sizeOf(item, depth + 1)
  return sum
}
