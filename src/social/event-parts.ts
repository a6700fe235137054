import type { Part } from '../api-kit/declaring/part.ts'
import type { Entry, Load, PartReader } from '../api-kit/reading/part-cache.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent, newPostOf } from '../events/catalog.ts'
import { findRemoved, partName, type RemovedParts } from '../events/removed-objects.ts'
import { postRow, postVersions } from './posts/post.parts.ts'
import { type UserRow, userRow } from './users/user.parts.ts'

/** The clocks of two machines may differ by this much. */
const CLOCK_SKEW_MS = 1_000

/** The kinds whose ids are ids of posts. */
const POST_KINDS: readonly string[] = [postRow.kind, 'post_metrics']

/** Deleted posts that the events of a batch show, each read once. */
class RemovedPosts {
  readonly #runtime: Runtime
  readonly #events: readonly LoggedEvent[]
  readonly #lookups = new Map<string, Promise<void>>()
  readonly #parts = new Map<string, Map<string, unknown>>()

  constructor(runtime: Runtime, events: readonly LoggedEvent[]) {
    this.#runtime = runtime
    this.#events = events
  }

  /** Reads the posts among these that were not looked for yet. */
  async find(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter((id) => !this.#lookups.has(id))
    if (wanted.length > 0) {
      const lookup = this.#read(wanted)
      for (const id of wanted) this.#lookups.set(id, lookup)
    }
    await Promise.all(new Set(ids.map((id) => this.#lookups.get(id))))
  }

  async #read(wanted: readonly string[]): Promise<void> {
    const own = new Set(this.#events.flatMap((event) => [event.post_id, newPostOf(event)]))
    const since = this.#events.reduce((first, event) => Math.min(first, event.happened_at.getTime()), Infinity)
    for (const { id, parts, removedAt } of await findRemoved(this.#runtime.database, 'post', wanted)) {
      // The post of an event was there when it happened. Another one may have been deleted long before.
      if (own.has(id) || removedAt.getTime() >= since - CLOCK_SKEW_MS) this.#add(parts)
    }
  }

  #add(parts: RemovedParts): void {
    for (const [name, values] of Object.entries(parts)) {
      const known = this.#parts.get(name) ?? new Map<string, unknown>()
      for (const [id, value] of Object.entries(values)) known.set(id, value)
      this.#parts.set(name, known)
    }
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0
  }

  value(name: string, id: string): unknown {
    return this.#parts.get(name)?.get(id)
  }
}

/**
 * Reads objects as they were when events happened: also posts that were deleted since, without versions that were written since,
 * and with users as protected or suspended as they were. Only for what events deliver: the public does not see deleted posts.
 */
export class EventParts implements PartReader {
  readonly #cache: PartReader
  readonly #removed: RemovedPosts
  readonly #hidden: NonNullable<LoggedEvent['hidden_users']>
  /** Posts that the events created. */
  readonly #created: ReadonlySet<string>
  /** Entries that differ from the cached ones, by kind and id. */
  readonly #entries = new Map<string, Entry>()
  readonly #own = new WeakSet<Entry>()

  constructor(
    cache: PartReader,
    removed: RemovedPosts,
    options: { hidden: LoggedEvent['hidden_users']; created: ReadonlySet<string> },
  ) {
    this.#cache = cache
    this.#removed = removed
    this.#hidden = options.hidden ?? {}
    this.#created = options.created
  }

  load(kind: string, ids: readonly string[], parts: readonly Part<unknown>[]): Load {
    const known = this.#known(kind, ids, parts)
    if (known) return { entries: known, ready: undefined }
    const { entries: cached, ready } = this.#cache.load(kind, ids, parts)
    const isComplete = () => cached.every((entry) => parts.every((part) => entry.values[part.index] !== undefined))
    if (!ready && this.#isUnchanged(kind) && (!POST_KINDS.includes(kind) || isComplete()))
      return {
        entries: parts.includes(postVersions) ? this.#replaceAll(kind, cached, parts) : cached,
        ready: undefined,
      }
    const entries = [...cached]
    const replace = async () => {
      await ready
      const missing = POST_KINDS.includes(kind)
        ? cached.filter((entry) => parts.some((part) => entry.values[part.index] === undefined))
        : []
      if (missing.length > 0) await this.#removed.find(missing.map((entry) => entry.id))
      for (const [index, entry] of this.#replaceAll(kind, cached, parts).entries()) entries[index] = entry
    }
    return { entries, ready: replace() }
  }

  /** Nothing is: what is in memory may have changed since the events. */
  known(): undefined {
    return undefined
  }

  /** The entries of these ids if each has its own and all parts. */
  #known(kind: string, ids: readonly string[], parts: readonly Part<unknown>[]): Entry[] | undefined {
    if (this.#entries.size === 0) return undefined
    const found = ids.flatMap((id) => this.#entries.get(`${kind} ${id}`) ?? [])
    const isAll =
      found.length === ids.length &&
      found.every((entry) => parts.every((part) => entry.values[part.index] !== undefined))
    return isAll ? found : undefined
  }

  async one<V>(part: Part<V>, id: string): Promise<V | undefined> {
    return (await this.many(part, [id])).get(id)
  }

  async many<V>(part: Part<V>, ids: readonly string[]): Promise<Map<string, V>> {
    const { entries, ready } = this.load(part.kind, ids, [part])
    if (ready) await ready
    const found = new Map<string, V>()
    for (const entry of entries) {
      const value = entry.values[part.index] as V | undefined
      if (value !== undefined) found.set(entry.id, value)
    }
    return found
  }

  addFragment(entry: Entry, selection: number, json: string): void {
    if (this.#own.has(entry)) {
      entry.fragments ??= []
      entry.fragments[selection] = json
    } else this.#cache.addFragment(entry, selection, json)
  }

  /** A value that was kept of a deleted post besides its parts. */
  removedValue(name: string, id: string): unknown {
    return this.#removed.value(name, id)
  }

  /** Sets the value of a part that is known from the event itself. */
  set<V>(part: Part<V>, id: string, value: V): void {
    this.#ownEntry(part.kind, id).values[part.index] = value
  }

  // Most batches show nothing that differs from what the public sees now.
  #isUnchanged(kind: string): boolean {
    return this.#removed.isEmpty && (kind !== userRow.kind || Object.keys(this.#hidden).length === 0)
  }

  #replaceAll(kind: string, entries: readonly Entry[], parts: readonly Part<unknown>[]): Entry[] {
    return entries.map((entry) => this.#replaced(kind, entry, parts))
  }

  /** The entry as it was when the events happened: the cached one where nothing differs. */
  #replaced(kind: string, cached: Entry, parts: readonly Part<unknown>[]): Entry {
    const known = this.#entries.get(`${kind} ${cached.id}`)
    const values = parts.map((part) => this.#value(part, cached))
    if (!known && values.every((value, index) => value === cached.values[parts[index]!.index])) return cached
    const own = known ?? this.#ownEntry(kind, cached.id)
    for (const [index, part] of parts.entries()) own.values[part.index] ??= values[index]
    return own
  }

  #value(part: Part<unknown>, cached: Entry): unknown {
    const removed = this.#removed.isEmpty ? undefined : this.#removed.value(partName(part), cached.id)
    const value = removed ?? cached.values[part.index]
    if (value === undefined) return undefined
    if (part === postVersions && this.#created.has(cached.id)) return untilVersion(value, cached.id)
    const hidden = part === userRow ? this.#hidden[cached.id] : undefined
    // A post in a closed community is hidden; its author is not.
    return hidden === undefined || hidden === 'closed' ? value : asHidden(value, hidden)
  }

  #ownEntry(kind: string, id: string): Entry {
    const key = `${kind} ${id}`
    let entry = this.#entries.get(key)
    if (!entry) {
      entry = { id, values: [], fragments: undefined, pending: undefined, createdAt: performance.now(), bytes: 0 }
      this.#entries.set(key, entry)
      this.#own.add(entry)
    }
    return entry
  }
}

// Versions that were written later have their own events.
function untilVersion(value: unknown, id: string): unknown {
  const versions = value as { version_ids: string[] }
  const until = versions.version_ids.filter((version) => BigInt(version) <= BigInt(id))
  return until.length === versions.version_ids.length ? value : { ...versions, version_ids: until }
}

const asHidden = (value: unknown, state: 'protected' | 'suspended'): UserRow => ({
  ...(value as UserRow),
  [state]: true,
})

/** The readers of some events. */
export interface EventReaders {
  /** The reader for one event. Events whose users were equally visible share one. */
  of(event: LoggedEvent): EventParts
  /** Each reader with its events, in their order. */
  groups: readonly { parts: EventParts; events: LoggedEvent[] }[]
}

/** How to read what events show. */
export function eventReaders(runtime: Runtime, events: readonly LoggedEvent[]): EventReaders {
  const removed = new RemovedPosts(runtime, events)
  const created = new Set(
    events.flatMap((event) => (isEventOf(event, 'post.create', 'post.edit') ? (event.post_id ?? []) : [])),
  )
  const groups = new Map<string, { parts: EventParts; events: LoggedEvent[] }>()
  const keyOf = (event: LoggedEvent) => (event.hidden_users ? JSON.stringify(event.hidden_users) : '')
  for (const event of events) {
    let group = groups.get(keyOf(event))
    if (!group) {
      const parts = new EventParts(runtime.parts, removed, { hidden: event.hidden_users, created })
      group = { parts, events: [] }
      groups.set(keyOf(event), group)
    }
    group.events.push(event)
  }
  return { of: (event) => groups.get(keyOf(event))!.parts, groups: [...groups.values()] }
}
