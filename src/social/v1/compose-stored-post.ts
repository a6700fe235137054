import { timeOfId } from '../../process/ids.ts'
import type { PostRow } from '../posts/post.parts.ts'
import { composeV1Post, type V1Post, type V1PostOptions } from './compose-post.ts'
import type { V1Objects } from './read-v1-objects.ts'
import { type V1Object, v1NumericId } from './v1-json.ts'

/** What of a post is not stored with it: what its author says of its video, and what the viewer did with it. */
type V1PostView = Pick<V1Post, 'videoDetails' | 'favorited' | 'reposted'>

const NO_VIEW: V1PostView = { videoDetails: null, favorited: false, reposted: false }

/** What a stored post is composed from; undefined when its author is gone. */
export function v1PostOf(row: PostRow, objects: V1Objects, view: V1PostView = NO_VIEW): V1Post | undefined {
  const author = objects.users.get(row.author_id)
  const counts = objects.postCounts.get(row.id)
  return (
    author && {
      id: row.id,
      createdAt: timeOfId(row.id),
      written: row,
      lang: row.lang,
      source: row.source,
      author,
      authorCounts: objects.userCounts.get(author.id),
      inReplyTo: {
        postId: row.in_reply_to_post_id,
        userId: row.in_reply_to_user_id,
        username: objects.users.get(row.in_reply_to_user_id ?? '')?.username ?? null,
      },
      place: objects.places.get(row.place_id ?? ''),
      cardUri: row.card_uri,
      media: row.media_keys.flatMap((key) => objects.media.get(key) ?? []),
      isSensitive: row.possibly_sensitive,
      repostCount: counts?.repost_count ?? 0,
      likeCount: counts?.like_count ?? 0,
      ...view,
    }
  )
}

interface V1NestedPostOptions extends V1PostOptions {
  /** Whether a post may be shown inside another one. */
  isShown: (row: PostRow) => boolean
  /** Adds `timestamp_ms`, which posts have when they are delivered as events. */
  withTimestamp?: boolean
}

/** Which of the posts that a post refers to are shown inside it: a repost shows a quote inside its original. */
type Nesting = 'reposted and quoted' | 'quoted' | 'nothing'

/** A stored post in the shape of version 1.1 with the posts that it reposts and quotes; undefined when its author is gone. */
export function composeV1StoredPost(
  row: PostRow,
  objects: V1Objects,
  options: V1NestedPostOptions,
  nesting: Nesting = 'reposted and quoted',
): V1Object | undefined {
  const post = v1PostOf(row, objects)
  if (!post) return undefined
  const nested = (id: string | null, deeper: Nesting): V1Object | undefined => {
    const found = objects.posts.get(id ?? '')
    return found && options.isShown(found) ? composeV1StoredPost(found, objects, options, deeper) : undefined
  }
  const counts = objects.postCounts.get(row.id)
  return {
    ...composeV1Post(post, objects, options),
    is_quote_status: row.quoted_post_id !== null,
    quoted_status_id: v1NumericId(row.quoted_post_id) ?? undefined,
    quoted_status_id_str: row.quoted_post_id ?? undefined,
    quoted_status: nesting === 'nothing' ? undefined : nested(row.quoted_post_id, 'nothing'),
    reposted_status: nesting === 'reposted and quoted' ? nested(row.reposted_post_id, 'quoted') : undefined,
    quote_count: counts?.quote_count ?? 0,
    reply_count: counts?.reply_count ?? 0,
    edit_history: editHistory(row, objects),
    timestamp_ms: options.withTimestamp ? String(post.createdAt) : undefined,
  }
}

// Each version of an edited post is a post of its own; only this member connects them.
function editHistory(row: PostRow, { versions }: V1Objects): V1Object | undefined {
  const found = versions.get(row.id)
  return found && { initial_post_id: found.first_version_id, edit_post_ids: found.version_ids }
}
