import { defineObject, expands, staticField } from '../../api-kit/declaring/object.ts'
import { definePart } from '../../api-kit/declaring/part.ts'
import { component, DateTime, Type } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import { wireTime } from '../../process/clock.ts'
import { timeOfId } from '../../process/ids.ts'
import { MediaKey, PostId, UserId } from '../../social/ids.ts'
import { likeHex } from '../../social/likes/like-hex.ts'
import { media } from '../../social/media/media.object.ts'
import { post } from '../../social/posts/post.object.ts'
import { user } from '../../social/users/user.object.ts'
import { judgeUnlessPublic } from '../../social/visibility.ts'

/** A like as its event has it. */
interface LikeRow {
  id: string
  post_id: string
  user_id: string
  author_id: string
  media_keys: string[]
}

/** A like is found by its post and its own id. */
export const likeKey = (like: { post_id: string; id: string }): string => `${like.post_id}:${like.id}`

/** Likes are known from their events, also those that were removed since: none is read. */
export const likeRow = definePart<LikeRow>('like', 'row', async () => new Map())

/** A like as streams show it: with the author of the post, but without the user who liked it. */
export const likeWithPostAuthor = defineObject({
  name: 'like_with_post_author',
  resource: 'post',
  plural: 'likes',
  component: 'LikeWithPostAuthor',
  always: ['id', 'liked_post_id', 'post_author_id'],
  existence: likeRow,
  fields: {
    id: staticField(likeRow, component('LikeId', Type.String({ pattern: '^[A-Za-z0-9_]{1,40}$' })), (row) =>
      likeHex(row.id),
    ),
    created_at: staticField(likeRow, DateTime, (row) => wireTime(timeOfId(row.id))),
    timestamp_ms: staticField(likeRow, Type.Integer({ format: 'int64' }), (row) => timeOfId(row.id)),
    liked_post_id: staticField(likeRow, PostId, (row) => row.post_id),
    // The parameter and the object of the interface have different names for it, so both exist.
    liked_post_author_id: staticField(likeRow, UserId, (row) => row.author_id),
    post_author_id: staticField(likeRow, UserId, (row) => row.author_id),
    attachments_media_keys: staticField(likeRow, Type.Array(MediaKey, { minItems: 1 }), (row) =>
      row.media_keys.length === 0 ? undefined : row.media_keys,
    ),
  },
  expansions: {
    liked_post_id: expands(
      likeRow,
      () => post,
      (row) => [row.post_id],
      'liked_post_id',
    ),
    liked_post_author_id: expands(
      likeRow,
      () => user,
      (row) => [row.author_id],
      'liked_post_author_id',
    ),
    'attachments.media_keys': expands(
      likeRow,
      () => media,
      (row) => row.media_keys,
      'attachments_media_keys',
    ),
  },
  // As with a repost, both users must be public: likes of a protected account are not public either.
  judge: (context, entries) =>
    judgeUnlessPublic(
      context,
      entries.map((entry) => {
        const row = partOf(entry, likeRow)!
        return { authorId: row.author_id, originalAuthorId: row.user_id }
      }),
    ),
})
