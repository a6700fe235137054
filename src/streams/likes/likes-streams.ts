import type { Operation } from '../../api-kit/declaring/operation.ts'
import { singleReply } from '../../api-kit/declaring/reply.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import type { LoggedEvent } from '../../events/catalog.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { defineStream } from '../define-stream.ts'
import type { Channel } from '../hub.ts'
import { type PostsWanted, writeEach } from '../public-posts.ts'
import { isInPartition, shareOf } from '../share.ts'
import { LIKE_KIND, likeKey, likeWithPostAuthor } from './like.object.ts'

/** A share of all public likes. */
interface LikesWanted extends PostsWanted {
  belongs(likeId: string): boolean
}

const isLike = (event: LoggedEvent): event is LoggedEvent<'like.create'> => event.type === 'like.create'

const likesChannel: Channel<LikesWanted> = {
  async deliver(runtime, events, subscribers) {
    const likes = events.filter(isLike).map(({ post_id, payload }) => ({
      likeId: payload.like_id,
      key: likeKey({ post_id: post_id!, id: payload.like_id }),
    }))
    if (likes.length === 0) return
    runtime.parts.invalidate(
      LIKE_KIND,
      likes.map(({ key }) => key),
    )
    await writeEach(runtime, subscribers, ({ wants }) =>
      likes.flatMap(({ likeId, key }) => (wants.belongs(likeId) ? [{ id: key, more: '' }] : [])),
    )
  },
}

const reply = singleReply('StreamingLikeResponseV2', likeWithPostAuthor)

const likesStream = (stream: {
  id: string
  route: `GET /${string}`
  summary: string
  endpoint: string
  partitions: number
  belongs: (likeId: string) => boolean
}): Operation =>
  defineStream({
    id: stream.id,
    route: stream.route,
    tag: 'Stream',
    summary: stream.summary,
    endpoint: stream.endpoint,
    tiers: FULL_TIERS,
    connections: () => 2,
    partitions: stream.partitions,
    recovery: true,
    query: selects(() => likeWithPostAuthor),
    reply,
    channel: likesChannel,
    wants: async ({ query }) => ({
      selection: query.selection as Selection,
      belongs: (likeId) => stream.belongs(likeId) && isInPartition(likeId, query.partition!, stream.partitions),
    }),
  })

/** Streams of all public likes or of a part of them. */
export const likesStreams: readonly Operation[] = [
  likesStream({
    id: 'streamLikesFirehose',
    route: 'GET /2/likes/firehose/stream',
    summary: 'Stream all public likes',
    endpoint: 'likes_firehose_stream',
    partitions: 20,
    belongs: () => true,
  }),
  likesStream({
    id: 'streamLikesSample10',
    route: 'GET /2/likes/sample10/stream',
    summary: 'Stream one in ten public likes',
    endpoint: 'likes_sample10_stream',
    partitions: 2,
    belongs: (likeId) => shareOf(likeId, 10) === 0,
  }),
]
