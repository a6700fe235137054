import { defineObject, expands, staticField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { component, DateTime, Type } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import { wireTime } from '../../process/clock.ts'
import { timeOfId } from '../../process/ids.ts'
import { MediaKey, PostId, UserId } from '../../social/ids.ts'
import { likeHex } from '../../social/likes/like-hex.ts'
import { media } from '../../social/media/media.object.ts'
import { post } from '../../social/posts/post.object.ts'
import { user } from '../../social/users/user.object.ts'
import { judgePosts } from '../../social/visibility.ts'
import { statement } from '../../storage/statement.ts'

const likesByKey = statement(
  'stream_likes_by_key',
  { id: 'int8', post_id: 'int8', user_id: 'int8', author_id: 'int8', media_keys: 'text[]' },
  `select l.id, l.post_id, l.user_id, p.author_id, p.media_keys
     from unnest($1::bigint[], $2::bigint[]) as wanted (post_id, id)
     join post_like l on l.post_id = wanted.post_id and l.id = wanted.id
     join post p on p.id = l.post_id`,
)

/** The cache kind of likes. Removing a like does not invalidate it: readers invalidate likes before they read them. */
export const LIKE_KIND = 'like'

/** A like is found by its post and its own id. */
export const likeKey = (like: { post_id: string; id: string }): string => `${like.post_id}:${like.id}`

const likeRow = definePart(LIKE_KIND, 'row', async (db, keys) => {
  const pairs = keys.map((key) => key.split(':'))
  const rows = await likesByKey.all(
    db,
    pairs.map((pair) => pair[0]!),
    pairs.map((pair) => pair[1]!),
  )
  return keyedBy(likeKey, rows)
})

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
    judgePosts(
      context,
      entries.map((entry) => {
        const row = partOf(entry, likeRow)!
        return { authorId: row.author_id, originalAuthorId: row.user_id }
      }),
    ),
})
