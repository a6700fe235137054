import type { PartReader } from '../../api-kit/reading/part-cache.ts'
import { type MatchablePost, matchablePost, type PostContent } from '../../search/matchable-post.ts'
import { foldCase } from '../../search/tokenize.ts'
import { mediaRow } from '../../social/media/media.object.ts'
import { placeRow } from '../../social/places/place.object.ts'
import { type PostRow, postMetrics, postRow } from '../../social/posts/post.parts.ts'
import { storedAnnotationTerms, textEntities, typedText } from '../../social/text/typed-text.ts'
import type { Affiliation } from '../../social/users/user.object.ts'
import { userMetrics, userRow } from '../../social/users/user.parts.ts'
import { isPublicAccount } from '../../social/visibility.ts'
import type { Memberships } from './list-memberships.ts'

const contentOf = (row: PostRow): PostContent => ({
  text: typedText(row),
  ...textEntities(row),
  annotations: storedAnnotationTerms(row, foldCase),
})

const present = <T>(values: readonly (T | null | undefined)[]): T[] => [
  ...new Set(values.filter((value): value is T => value !== null && value !== undefined)),
]

/** Posts with everything that rules can test, read in a few queries for all of them. */
export async function matchablePosts(
  parts: PartReader,
  rows: readonly PostRow[],
  memberships: Memberships = new Map(),
): Promise<MatchablePost[]> {
  const referred = await parts.many(postRow, present(rows.flatMap((row) => [row.reposted_post_id, row.quoted_post_id])))
  const userIds = present([
    ...rows.flatMap((row) => [row.author_id, row.in_reply_to_user_id]),
    ...[...referred.values()].map((row) => row.author_id),
  ])
  const [users, counts, metrics, places, media] = await Promise.all([
    parts.many(userRow, userIds),
    parts.many(userMetrics, present(rows.map((row) => row.author_id))),
    parts.many(
      postMetrics,
      rows.map((row) => row.id),
    ),
    parts.many(placeRow, present(rows.map((row) => row.place_id))),
    parts.many(mediaRow, present([...rows, ...referred.values()].flatMap((row) => row.media_keys))),
  ])
  const affiliationsOf = (userId: string | null): readonly string[] =>
    ((userId && (users.get(userId)?.affiliation as Affiliation | null)) || undefined)?.user_id ?? []

  return rows.flatMap((row) => {
    const author = users.get(row.author_id)
    if (!author) return []
    const original = row.reposted_post_id ? referred.get(row.reposted_post_id) : undefined
    const quoted = row.quoted_post_id ? referred.get(row.quoted_post_id) : undefined
    const quotedAuthor = quoted && users.get(quoted.author_id)
    // Rules must not reveal text that the public may not read.
    const isQuotePublic = quotedAuthor && isPublicAccount(quotedAuthor)
    const shown = original ?? row
    const kinds = shown.media_keys.flatMap((key) => media.get(key)?.type ?? [])
    const place = row.place_id ? places.get(row.place_id) : undefined
    const count = counts.get(row.author_id)
    const metric = metrics.get(row.id)
    const content = contentOf(shown)
    return matchablePost({
      ...content,
      // A repost mentions the author of the original.
      mentions: original ? [users.get(original.author_id)?.username ?? '', ...content.mentions] : content.mentions,
      quoted: quoted && isQuotePublic ? contentOf(quoted) : undefined,
      id: row.id,
      lang: shown.lang,
      ids: {
        author: row.author_id,
        conversation: row.conversation_id,
        inReplyToPost: row.in_reply_to_post_id,
        inReplyToUser: row.in_reply_to_user_id,
        quotedPost: row.quoted_post_id,
        repostedPost: row.reposted_post_id,
        repostedUser: original?.author_id,
      },
      usernames: {
        inReplyToUser: row.in_reply_to_user_id && users.get(row.in_reply_to_user_id)?.username,
        repostedUser: original && users.get(original.author_id)?.username,
      },
      nullcast: row.nullcast,
      has: {
        media: kinds.length > 0,
        images: kinds.includes('photo'),
        videos: kinds.some((kind) => kind === 'video' || kind === 'animated_gif'),
        geo: place !== undefined,
      },
      place: place && {
        id: place.id,
        name: place.name,
        fullName: place.full_name,
        countryCode: place.country_code,
        ...middleOf(place.bbox as [number, number, number, number]),
      },
      source: row.source,
      repliedAuthorAffiliatedTo: affiliationsOf(row.in_reply_to_user_id),
      metrics: {
        likes: metric?.like_count ?? 0,
        replies: metric?.reply_count ?? 0,
        reposts: metric?.repost_count ?? 0,
      },
      author: {
        username: author.username,
        verified: author.verified_type !== 'none',
        description: author.description,
        name: author.name,
        location: author.location,
        followersCount: count?.followers_count ?? 0,
        followingCount: count?.following_count ?? 0,
        postsCount: count?.post_count ?? 0,
        listedCount: count?.listed_count ?? 0,
        affiliatedTo: affiliationsOf(row.author_id),
        inLists: memberships.get(row.id),
      },
    })
  })
}

const middleOf = ([west, south, east, north]: [number, number, number, number]) => ({
  lon: (west + east) / 2,
  lat: (south + north) / 2,
})
