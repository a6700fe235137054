import type { Runtime } from '../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../events/catalog.ts'
import { type App, appPart } from '../identity/credentials.parts.ts'
import type { EventParts } from '../social/event-parts.ts'
import type { MediaFacts } from '../social/media/media.statements.ts'
import { MEDIA_FACTS } from '../social/posts/keep-removed.ts'
import type { PostRow } from '../social/posts/post.parts.ts'
import { type RelationRow, relation } from '../social/users/user.parts.ts'
import { readV1Messages, type V1Message } from '../social/v1/compose-message.ts'
import { v1PostUrl } from '../social/v1/compose-post.ts'
import { distinctIds, readNestedPosts, readV1Objects, type V1Objects } from '../social/v1/read-v1-objects.ts'
import { isPublicAccount } from '../social/visibility.ts'
import { isMessageEvent, shownPost } from './concerned-users.ts'

/** Everything that the bodies of a batch show, by id. */
export interface EventObjects extends V1Objects {
  /** The relations between users, keyed `viewer:target`. */
  relations: ReadonlyMap<string, RelationRow>
  messages: ReadonlyMap<string, V1Message>
  /** The apps through which messages were sent. */
  apps: ReadonlyMap<string, App>
}

/** Reads what the bodies of events show. `pairs` are the users whose relation is shown, keyed `viewer:target`. */
export async function readEventObjects(
  runtime: Runtime,
  parts: EventParts,
  events: readonly LoggedEvent[],
  pairs: readonly string[],
): Promise<EventObjects> {
  const posts = await readNestedPosts(parts, distinctIds(events.map(shownPost)))
  const userIds = events.flatMap((event) => [
    event.actor_id,
    event.target_id,
    ...(isMessageEvent(event) ? event.payload.recipient_ids : []),
  ])
  const messages = await readV1Messages(
    runtime,
    parts,
    events.flatMap((event) => (isEventOf(event, 'message.create') ? event.payload.event_id : [])),
  )
  const [objects, relations, apps] = await Promise.all([
    readV1Objects(runtime, posts, userIds, parts),
    runtime.parts.many(relation, [...new Set(pairs)]),
    runtime.parts.many(appPart, distinctIds([...messages.values()].map(({ row }) => row.source_app_id))),
  ])
  const keys = [...posts.values()].flatMap((row) => row.media_keys)
  const removed = keys.flatMap((key) => (parts.removedValue(MEDIA_FACTS, key) as MediaFacts | undefined) ?? [])
  const media = new Map([...objects.media, ...removed.map((facts) => [facts.media_key, facts] as const)])
  return { ...objects, media, relations, messages, apps }
}

/** Posts of protected and of suspended authors are delivered only to the author; a post without its author, to nobody. */
export function isShownTo(row: PostRow, objects: EventObjects, userId: string): boolean {
  const author = objects.users.get(row.author_id)
  return author !== undefined && (author.id === userId || isPublicAccount(author))
}

/** The address of a post. */
export const urlOfPost = (row: PostRow, { baseUrl, users }: EventObjects): string =>
  v1PostUrl(baseUrl, users.get(row.author_id)?.username, row.id)
