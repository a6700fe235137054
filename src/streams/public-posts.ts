import { readContext } from '../api-kit/reading/read-context.ts'
import type { Selection } from '../api-kit/reading/selection.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { renderEach } from '../api-kit/writing/answer-objects.ts'
import { type LoggedEvent, newPostOf } from '../events/catalog.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { userRow } from '../social/users/user.parts.ts'
import { isPublicAccount } from '../social/visibility.ts'
import type { Subscriber } from './hub.ts'

/** The new posts of events that the public may see, in the order of the events. */
export async function newPublicPosts(runtime: Runtime, events: readonly LoggedEvent[]): Promise<PostRow[]> {
  const ids = events.flatMap((event) => newPostOf(event) ?? [])
  if (ids.length === 0) return []
  const rows = await runtime.parts.many(postRow, ids)
  const authors = await runtime.parts.many(userRow, [...new Set([...rows.values()].map((row) => row.author_id))])
  return ids.flatMap((id) => {
    const row = rows.get(id)
    const author = row && authors.get(row.author_id)
    return author && isPublicAccount(author) ? [row] : []
  })
}

/** The fields that a subscriber selected. */
export interface PostsWanted {
  selection: Selection
}

/**
 * Writes posts or likes to subscribers. `pick` returns the objects for a subscriber and the text after each
 * (`,"matching_rules":[...]`). Subscribers with the same selection share the rendering.
 */
export async function writeEach<W extends PostsWanted>(
  runtime: Runtime,
  subscribers: readonly Subscriber<W>[],
  pick: (subscriber: Subscriber<W>) => readonly { id: string; more: string }[],
): Promise<void> {
  const groups = new Map<Selection, Subscriber<W>[]>()
  for (const subscriber of subscribers)
    groups.set(subscriber.wants.selection, [...(groups.get(subscriber.wants.selection) ?? []), subscriber])
  for (const [selection, members] of groups) {
    const picked = members.map((member) => pick(member))
    const ids = new Set(picked.flatMap((posts) => posts.map((post) => post.id)))
    if (ids.size === 0) continue
    // A selection belongs to one naming, so its group has one naming.
    const rendered = await renderEach(readContext(runtime, undefined, members[0]!.stream.naming), [...ids], selection)
    for (const [index, member] of members.entries()) {
      for (const { id, more } of picked[index]!) {
        const text = rendered.get(id)
        if (text !== undefined) member.stream.write(`{${text}${more}}`)
      }
    }
  }
}
