import type { PartReader } from '../../api-kit/reading/part-cache.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type MediaFacts, mediaFacts } from '../media/media.statements.ts'
import { type PlaceRow, placeRow } from '../places/place.object.ts'
import {
  type PostMetricsRow,
  type PostRow,
  type PostVersionsRow,
  postMetrics,
  postRow,
  postVersions,
} from '../posts/post.parts.ts'
import { type UserMetricsRow, type UserRow, userMetrics, userRow } from '../users/user.parts.ts'

/** Everything that posts and users in the shapes of version 1.1 are composed from, by id. */
export interface V1Objects {
  baseUrl: string
  posts: ReadonlyMap<string, PostRow>
  postCounts: ReadonlyMap<string, PostMetricsRow>
  /** Only of edited posts. */
  versions: ReadonlyMap<string, PostVersionsRow>
  users: ReadonlyMap<string, UserRow>
  /** Of authors and of the users that were asked for, not of those who are only mentioned. */
  userCounts: ReadonlyMap<string, UserMetricsRow>
  places: ReadonlyMap<string, PlaceRow>
  media: ReadonlyMap<string, MediaFacts>
}

/** The distinct ids among values of which some are absent. */
export const distinctIds = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]

/** Posts with what they repost and quote, and what the reposted ones quote: all that is shown inside a post. */
export async function readNestedPosts(parts: PartReader, ids: readonly string[]): Promise<Map<string, PostRow>> {
  const posts = new Map<string, PostRow>()
  const add = async (wanted: (string | null)[]): Promise<PostRow[]> => {
    const found = await parts.many(postRow, distinctIds(wanted))
    for (const [id, row] of found) posts.set(id, row)
    return [...found.values()]
  }
  const first = await add([...ids])
  const originals = new Set(distinctIds(first.map((row) => row.reposted_post_id)))
  const second = await add([...originals, ...first.map((row) => row.quoted_post_id)])
  await add(second.filter((row) => originals.has(row.id)).map((row) => row.quoted_post_id))
  return posts
}

/** Reads what posts, and further users, are composed from. */
export async function readV1Objects(
  runtime: Runtime,
  posts: ReadonlyMap<string, PostRow>,
  furtherUserIds: readonly (string | null)[] = [],
  parts: PartReader = runtime.parts,
): Promise<V1Objects> {
  const rows = [...posts.values()]
  const shownUserIds = distinctIds([...rows.map((row) => row.author_id), ...furtherUserIds])
  const namedUserIds = rows.flatMap((row) => [...row.mentioned_user_ids, row.in_reply_to_user_id])
  const edited = rows.filter((row) => row.first_version_id !== row.id)
  const [postCounts, versions, users, userCounts, places, media] = await Promise.all([
    parts.many(postMetrics, [...posts.keys()]),
    parts.many(
      postVersions,
      edited.map((row) => row.id),
    ),
    parts.many(userRow, distinctIds([...shownUserIds, ...namedUserIds])),
    parts.many(userMetrics, shownUserIds),
    parts.many(placeRow, distinctIds(rows.map((row) => row.place_id))),
    readMediaFacts(
      runtime,
      rows.flatMap((row) => row.media_keys),
    ),
  ])
  return { baseUrl: runtime.baseUrl, posts, postCounts, versions, users, userCounts, places, media }
}

/** What is shown of media items, by key. */
export async function readMediaFacts(runtime: Runtime, keys: readonly string[]): Promise<Map<string, MediaFacts>> {
  const rows = keys.length === 0 ? [] : await mediaFacts.all(runtime.database, [...new Set(keys)])
  return new Map(rows.map((row) => [row.media_key, row]))
}
