import type { Part } from '../api-kit/declaring/part.ts'
import type { PartCache } from '../api-kit/reading/part-cache.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { type MediaFacts, mediaFacts } from '../social/media/media.statements.ts'
import { placeRow } from '../social/places/place.object.ts'
import { type PostRow, postMetrics, postRow, postVersions } from '../social/posts/post.parts.ts'
import { relation, userMetrics, userRow } from '../social/users/user.parts.ts'
import { shownPost } from './concerned-users.ts'

type ValueOf<P> = P extends Part<infer V> ? V : never
export type UserRow = ValueOf<typeof userRow>
export type UserCounts = ValueOf<typeof userMetrics>
export type PlaceRow = ValueOf<typeof placeRow>

/** Everything that the bodies of a batch show, by id. */
export interface EventObjects {
  baseUrl: string
  posts: ReadonlyMap<string, PostRow>
  postCounts: ReadonlyMap<string, ValueOf<typeof postMetrics>>
  /** Of edited posts alone. */
  versions: ReadonlyMap<string, ValueOf<typeof postVersions>>
  users: ReadonlyMap<string, UserRow>
  userCounts: ReadonlyMap<string, UserCounts>
  places: ReadonlyMap<string, PlaceRow>
  media: ReadonlyMap<string, MediaFacts>
  /** How users stand to each other, keyed `viewer:target`. */
  relations: ReadonlyMap<string, ValueOf<typeof relation>>
}

const present = (ids: (string | null)[]): string[] => ids.filter((id) => id !== null)

/** Posts with what they repost and quote, and what the reposted ones quote: all that is shown inside a post. */
export async function readPosts(parts: PartCache, ids: readonly string[]): Promise<Map<string, PostRow>> {
  const posts = new Map<string, PostRow>()
  const add = async (wanted: (string | null)[]): Promise<PostRow[]> => {
    const found = await parts.many(postRow, [...new Set(present(wanted))])
    for (const [id, row] of found) posts.set(id, row)
    return [...found.values()]
  }
  const first = await add([...ids])
  const originals = new Set(present(first.map((row) => row.reposted_post_id)))
  const second = await add([...originals, ...first.map((row) => row.quoted_post_id)])
  await add(second.filter((row) => originals.has(row.id)).map((row) => row.quoted_post_id))
  return posts
}

/** Reads what the bodies of events show. `pairs` are the users whose relation is told, keyed `viewer:target`. */
export async function readEventObjects(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  pairs: readonly string[],
): Promise<EventObjects> {
  const { parts } = runtime
  const posts = await readPosts(parts, present(events.map(shownPost)))
  const rows = [...posts.values()]
  const ids = rows.map((row) => row.id)
  const edited = rows.filter((row) => row.first_version_id !== row.id)
  const userIds = new Set([
    ...rows.flatMap((row) => [row.author_id, ...row.mentioned_user_ids, ...present([row.in_reply_to_user_id])]),
    ...present(events.flatMap((event) => [event.actor_id, event.target_id])),
  ])
  const mediaKeys = [...new Set(rows.flatMap((row) => row.media_keys))]
  const [postCounts, versions, users, userCounts, places, relations, media] = await Promise.all([
    parts.many(postMetrics, ids),
    parts.many(
      postVersions,
      edited.map((row) => row.id),
    ),
    parts.many(userRow, [...userIds]),
    parts.many(userMetrics, [...userIds]),
    parts.many(placeRow, [...new Set(present(rows.map((row) => row.place_id)))]),
    parts.many(relation, [...new Set(pairs)]),
    mediaKeys.length === 0 ? [] : mediaFacts.all(runtime.database, mediaKeys),
  ])
  return {
    baseUrl: runtime.baseUrl,
    posts,
    postCounts,
    versions,
    users,
    userCounts,
    places,
    relations,
    media: new Map(media.map((item) => [item.media_key, item])),
  }
}

/** Posts of protected and of suspended authors are told to nobody but the author; nor is a post whose author is gone. */
export function isShownTo(row: PostRow, objects: EventObjects, userId: string): boolean {
  const author = objects.users.get(row.author_id)
  return author !== undefined && (author.id === userId || (!author.protected && !author.suspended))
}

/** The address of a post. */
export const ownUrlOf = (row: PostRow, { baseUrl, users }: EventObjects): string =>
  `${baseUrl}/${users.get(row.author_id)?.username}/status/${row.id}`
