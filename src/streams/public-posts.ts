import { eventContext } from '../api-kit/reading/read-context.ts'
import type { Selection } from '../api-kit/reading/selection.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { renderEach } from '../api-kit/writing/answer-objects.ts'
import { type LoggedEvent, newPostOf } from '../events/catalog.ts'
import { meterOf } from '../identity/usage/usage-meter.ts'
import { type EventParts, eventReaders } from '../social/event-parts.ts'
import { allRequired, POST_IS_GONE, reasonToWithhold, requiredFor, wasHidden } from '../social/event-visibility.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { userRow } from '../social/users/user.parts.ts'
import type { Subscriber } from './hub.ts'

/** A post that an event created and that was public then. */
export interface NewPost {
  event: LoggedEvent
  row: PostRow
  /** Reads what belongs to it, as it was. */
  parts: EventParts
  /** Why it is not delivered: it became hidden after the event. */
  withheld?: string
}

/** The new posts of events that the public could see, in the order of the events. `gone` gets events whose post cannot be read. */
export async function newPosts(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  gone: (event: LoggedEvent, reason: string) => void,
): Promise<NewPost[]> {
  const created = events.filter((event) => newPostOf(event) !== undefined)
  if (created.length === 0) return []
  const readers = eventReaders(runtime, created)
  const ids = created.map((event) => newPostOf(event)!)
  const rows = await readers.of(created[0]!).many(postRow, ids)
  const accounts = await runtime.parts.many(userRow, allRequired([...rows.values()].map(requiredFor)))
  return created.flatMap((event, index) => {
    const row = rows.get(ids[index]!)
    if (!row) {
      gone(event, POST_IS_GONE)
      return []
    }
    const required = requiredFor(row)
    if (wasHidden(event, required)) return []
    const withheld = reasonToWithhold(accounts, required)
    return { event, row, parts: readers.of(event), ...(withheld === undefined ? {} : { withheld }) }
  })
}

/** The fields that a subscriber selected. */
export interface PostsWanted {
  selection: Selection
}

/** An object to write, the text after it (`,"matching_rules":[...]`), and how it is read. */
export interface Written {
  id: string
  more: string
  parts: EventParts
}

/**
 * Writes posts or likes to subscribers: all, or none when it fails. `pick` returns those for a subscriber. Subscribers with the
 * same selection share the rendering.
 */
export async function writeEach<W extends PostsWanted>(
  runtime: Runtime,
  subscribers: readonly Subscriber<W>[],
  pick: (subscriber: Subscriber<W>) => readonly Written[],
): Promise<void> {
  const groups = new Map<Selection, Subscriber<W>[]>()
  for (const subscriber of subscribers)
    groups.set(subscriber.wants.selection, [...(groups.get(subscriber.wants.selection) ?? []), subscriber])
  const lines: [Subscriber<W>, id: string, line: string][] = []
  for (const [selection, members] of groups) {
    const picked = members.map((member) => pick(member))
    const byReader = new Map<EventParts, Set<string>>()
    for (const { id, parts } of picked.flat()) {
      const ids = byReader.get(parts) ?? new Set()
      byReader.set(parts, ids.add(id))
    }
    // A selection belongs to one naming, so its group has one naming.
    const { naming } = members[0]!.stream
    const rendered = new Map<string, string>()
    for (const [parts, ids] of byReader) {
      const texts = await renderEach(eventContext(runtime, naming, parts), [...ids], selection)
      for (const [id, text] of texts) rendered.set(id, text)
    }
    for (const [index, member] of members.entries()) {
      for (const { id, more } of picked[index]!) {
        const text = rendered.get(id)
        if (text !== undefined) lines.push([member, id, `{${text}${more}}`])
      }
    }
  }
  const { hasUsage } = runtime
  for (const [subscriber, id, line] of lines) {
    subscriber.stream.write(line)
    const { kind } = subscriber.wants.selection.root.object
    if (hasUsage) meterOf(runtime).countDelivered(subscriber.stream.caller.app, kind, [id])
  }
}
