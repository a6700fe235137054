import type { Operation } from '../../api-kit/declaring/operation.ts'
import { singleReply } from '../../api-kit/declaring/reply.ts'
import { type Selection, selects } from '../../api-kit/reading/selection.ts'
import { FULL_TIERS, hasFullTier } from '../../identity/tier-caps.ts'
import { post } from '../../social/posts/post.object.ts'
import type { PostRow } from '../../social/posts/post.parts.ts'
import { defineStream } from '../define-stream.ts'
import { type Channel, notWithheld, reporting } from '../hub.ts'
import { newPosts, type PostsWanted, writeEach } from '../public-posts.ts'
import { isInPartition, shareOf } from '../share.ts'

/** A share of all public posts. */
interface VolumeWanted extends PostsWanted {
  belongs(row: PostRow): boolean
}

const volumeChannel: Channel<VolumeWanted> = {
  async deliver(runtime, events, subscribers) {
    // Posts that are only shown as advertisements are not public.
    const posts = (await newPosts(runtime, events, reporting(runtime))).filter(({ row }) => !row.nullcast)
    const shown = notWithheld(runtime, posts)
    if (shown.length === 0) return
    await writeEach(runtime, subscribers, ({ wants }) =>
      shown.flatMap(({ row, parts }) => (wants.belongs(row) ? [{ id: row.id, more: '', parts }] : [])),
    )
  },
}

interface Volume {
  id: string
  path: string
  summary: string
  endpoint: string
  reply?: string
  partitions?: number
  recovery?: boolean
  isOpen?: boolean
  limit?: { app: string }
  belongs?: (row: PostRow) => boolean
}

const reply = singleReply('StreamingPostResponse', post)

const volumeStream = (volume: Volume): Operation => {
  const { partitions } = volume
  const belongs = volume.belongs ?? (() => true)
  return defineStream({
    id: volume.id,
    route: `GET ${volume.path}` as `GET /${string}`,
    tag: 'Stream',
    summary: volume.summary,
    endpoint: volume.endpoint,
    tiers: volume.isOpen ? undefined : FULL_TIERS,
    limit: volume.limit,
    connections: (caller) => (hasFullTier(caller) ? 2 : 1),
    partitions,
    recovery: volume.recovery ?? true,
    query: selects(() => post),
    reply: volume.reply ? singleReply(volume.reply, post) : reply,
    channel: volumeChannel,
    wants: async ({ query }) => ({
      selection: query.selection as Selection,
      belongs:
        partitions === undefined
          ? belongs
          : (row: PostRow) => isInPartition(row.id, query.partition!, partitions) && belongs(row),
    }),
  })
}

/** Streams of all public posts or of a part of them. */
export const volumeStreams: readonly Operation[] = [
  volumeStream({
    id: 'streamPostsSample',
    path: '/2/posts/sample/stream',
    summary: 'Stream one in a hundred public posts',
    endpoint: 'sample_stream',
    recovery: false,
    isOpen: true,
    belongs: (row) => shareOf(row.id, 100) === 0,
  }),
  volumeStream({
    id: 'streamPostsSample10',
    path: '/2/posts/sample10/stream',
    summary: 'Stream one in ten public posts',
    endpoint: 'sample10_stream',
    reply: 'Get2PostsSample10StreamResponse',
    partitions: 2,
    limit: { app: '100/15m' },
    belongs: (row) => shareOf(row.id, 10) === 0,
  }),
  volumeStream({
    id: 'streamPostsFirehose',
    path: '/2/posts/firehose/stream',
    summary: 'Stream all public posts',
    endpoint: 'firehose_stream',
    partitions: 20,
  }),
  ...(
    [
      ['En', 'en', 'English', 8],
      ['Ja', 'ja', 'Japanese', 2],
      ['Ko', 'ko', 'Korean', 2],
      ['Pt', 'pt', 'Portuguese', 2],
    ] as const
  ).map(([name, lang, language, partitions]) =>
    volumeStream({
      id: `streamPostsFirehose${name}`,
      path: `/2/posts/firehose/stream/lang/${lang}`,
      summary: `Stream all public posts in ${language}`,
      endpoint: `firehose_stream_lang_${lang}`,
      partitions,
      belongs: (row) => row.lang === lang,
    }),
  ),
]
