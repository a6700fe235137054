import type { Operation } from '../../api-kit/declaring/operation.ts'
import { singleReply } from '../../api-kit/declaring/reply.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { eventReaders } from '../../social/event-parts.ts'
import { allRequired, POST_IS_GONE, reasonToWithhold, wasHidden } from '../../social/event-visibility.ts'
import { postRow } from '../../social/posts/post.parts.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { defineStream } from '../define-stream.ts'
import { type Channel, reporting } from '../hub.ts'
import { type PostsWanted, writeEach } from '../public-posts.ts'
import { isInPartition, shareOf } from '../share.ts'
import { likeKey, likeRow, likeWithPostAuthor } from './like.object.ts'

/** A share of all public likes. */
interface LikesWanted extends PostsWanted {
  belongs(likeId: string): boolean
}

const likesChannel: Channel<LikesWanted> = {
  async deliver(runtime, events, subscribers) {
    const likes = await publicLikes(runtime, events)
    if (likes.length === 0) return
    await writeEach(runtime, subscribers, ({ wants }) =>
      likes.flatMap(({ likeId, key, parts }) => (wants.belongs(likeId) ? [{ id: key, more: '', parts }] : [])),
    )
  },
}

/** The likes of events that the public may see. As with a repost, both users must be public. */
async function publicLikes(runtime: Runtime, events: readonly LoggedEvent[]) {
  const likes = events.filter((event) => isEventOf(event, 'like.create')) as LoggedEvent<'like.create'>[]
  if (likes.length === 0) return []
  const readers = eventReaders(runtime, likes)
  const posts = await readers.of(likes[0]!).many(
    postRow,
    likes.map((event) => event.post_id!),
  )
  const requiredOf = (event: LoggedEvent) => ({ public: [event.actor_id!, event.target_id!], active: [] })
  const accounts = await runtime.parts.many(userRow, allRequired(likes.map(requiredOf)))
  const report = reporting(runtime)
  return likes.flatMap((event) => {
    const required = requiredOf(event)
    if (wasHidden(event, required)) return []
    const row = posts.get(event.post_id!)
    const withheld = row ? reasonToWithhold(accounts, required) : POST_IS_GONE
    if (withheld !== undefined) report(event, withheld)
    if (!row || withheld !== undefined) return []
    const like = { id: event.payload.like_id, post_id: row.id, user_id: event.actor_id!, author_id: row.author_id }
    const [key, parts] = [likeKey(like), readers.of(event)]
    parts.set(likeRow, key, { ...like, media_keys: row.media_keys })
    return { likeId: like.id, key, parts }
  })
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
