import type { Operation } from '../../api-kit/declaring/operation.ts'
import type { TSchema } from '../../api-kit/declaring/schema.ts'
import { FULL_TIERS } from '../../identity/tier-caps.ts'
import { defineStream } from '../define-stream.ts'
import type { Channel } from '../hub.ts'
import { isInPartition } from '../share.ts'
import {
  type FindNotices,
  findLabelNotices,
  findLikeNotices,
  findPostNotices,
  findUserNotices,
} from './find-notices.ts'
import { labelNotices, likeNotices, postNotices, userNotices } from './notice.kinds.ts'
import { noticeReply, oneNotice } from './notice.ts'

/** Which notices a client reads, by the id of their object. */
interface NoticesWanted {
  belongs(id: string): boolean
}

const noticeChannel = (find: FindNotices): Channel<NoticesWanted> => ({
  async deliver(runtime, events, subscribers) {
    const notices = await find(runtime, events)
    for (const { stream, wants } of subscribers)
      for (const { kind, facts, of } of notices) if (wants.belongs(of)) stream.write(kind.write(facts, stream.naming))
  },
})

const complianceStream = (stream: {
  id: string
  route: `GET /${string}`
  summary: string
  endpoint: string
  partitions?: number
  reply: TSchema
  find: FindNotices
}): Operation => {
  const { partitions } = stream
  return defineStream({
    id: stream.id,
    route: stream.route,
    tag: 'Stream',
    summary: stream.summary,
    endpoint: stream.endpoint,
    tiers: FULL_TIERS,
    connections: () => 2,
    partitions,
    recovery: true,
    query: {},
    reply: stream.reply,
    channel: noticeChannel(stream.find),
    wants: async ({ query }) => ({
      belongs: partitions === undefined ? () => true : (id: string) => isInPartition(id, query.partition!, partitions),
    }),
  })
}

/** The compliance streams, for clients that store data of the interface. */
export const complianceStreams: readonly Operation[] = [
  complianceStream({
    id: 'streamPostsCompliance',
    route: 'GET /2/posts/compliance/stream',
    summary: 'Stream deletions and edits of posts',
    endpoint: 'posts_compliance_stream',
    partitions: 4,
    reply: noticeReply('PostComplianceStreamResponse', oneNotice('PostComplianceData', postNotices)),
    find: findPostNotices,
  }),
  complianceStream({
    id: 'streamUsersCompliance',
    route: 'GET /2/users/compliance/stream',
    summary: 'Stream changes to users: protection, suspension and profile',
    endpoint: 'users_compliance_stream',
    partitions: 4,
    reply: noticeReply('UserComplianceStreamResponse', oneNotice('UserComplianceData', userNotices)),
    find: findUserNotices,
  }),
  complianceStream({
    id: 'streamLikesCompliance',
    route: 'GET /2/likes/compliance/stream',
    summary: 'Stream removed likes',
    endpoint: 'likes_compliance_stream',
    reply: noticeReply('LikesComplianceStreamResponse', likeNotices.delete.schema),
    find: findLikeNotices,
  }),
  complianceStream({
    id: 'streamLabelsCompliance',
    route: 'GET /2/posts/label/stream',
    summary: 'Stream the labels of posts',
    endpoint: 'post_label_stream',
    reply: noticeReply('PostLabelStreamResponse', oneNotice('PostLabelData', labelNotices)),
    find: findLabelNotices,
  }),
]
