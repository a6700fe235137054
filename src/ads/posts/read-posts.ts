import type { Runtime } from '../../api-kit/runtime.ts'
import { shortLink } from '../../social/links/short-link.ts'
import { postRow, sandboxPostRow } from '../../social/posts/post.parts.ts'
import { composeText } from '../../social/text/compose-text.ts'
import type { WireEntities } from '../../social/text/wire-text.ts'
import { userMetrics, usernamePart, userRow } from '../../social/users/user.parts.ts'
import type { VideoDetails } from '../../social/v1/compose-media.ts'
import type { V1PostContext } from '../../social/v1/compose-post.ts'
import { v1PostOf } from '../../social/v1/compose-stored-post.ts'
import { distinctIds, readMediaFacts, readV1Objects } from '../../social/v1/read-v1-objects.ts'
import { statement } from '../../storage/statement.ts'
import type { DraftOf, RecordsOf } from '../kit/entity.ts'
import type { scheduledPosts } from './scheduled-post.entity.ts'
import type { ShownPost } from './show-post.ts'
import type { unsentFields } from './unsent-post.rules.ts'

/** Posts with what is needed to show them; missing ones are left out. */
export interface ReadPosts {
  posts: ShownPost[]
  context: V1PostContext
}

/** Who reads: the account that names posts, and the user who may have liked or reposted them. */
interface View {
  accountId: string
  viewerId: string | undefined
  isSandbox: boolean
}

const viewOfPosts = statement(
  'ads_posts_view',
  { id: 'int8', name: 'text?', scheduled_at: 'timestamptz?', details: 'jsonb?', favorited: 'bool', reposted: 'bool' },
  `select p.id, a.name, a.scheduled_at, s.details,
          exists (select from post_like l where l.post_id = p.id and l.user_id = $3::bigint) as favorited,
          exists (select from post r where r.reposted_post_id = p.id and r.author_id = $3::bigint and not r.nullcast) as reposted
     from post p left join ads_post a on a.post_id = p.id and a.account_id = $2 left join post_media s on s.post_id = p.id
    where p.id = any($1::bigint[])`,
)

/** Published posts, in the order of the given ids. */
export async function readPublished(runtime: Runtime, ids: readonly string[], view: View): Promise<ReadPosts> {
  const found = await runtime.parts.many(view.isSandbox ? sandboxPostRow : postRow, [...ids])
  const present = [...found.keys()]
  const [objects, views] = await Promise.all([
    readV1Objects(runtime, found),
    present.length === 0 ? [] : viewOfPosts.all(runtime.database, present, view.accountId, view.viewerId ?? null),
  ])
  const viewOf = new Map(views.map((row) => [row.id, row]))
  const posts = ids.flatMap((id): ShownPost[] => {
    const row = found.get(id)
    const seen = viewOf.get(id)
    // A post without a view was deleted between the two reads.
    if (!row || !seen) return []
    const { favorited, reposted } = seen
    const post = v1PostOf(row, objects, { videoDetails: seen.details as VideoDetails | null, favorited, reposted })
    return post
      ? [
          {
            ...post,
            state: 'PUBLISHED',
            name: seen.name,
            nullcast: row.nullcast,
            scheduledAt: seen.scheduled_at,
            scheduledStatus: null,
            replySettings: row.reply_settings,
          },
        ]
      : []
  })
  return { posts, context: objects }
}

/** A draft or a scheduled post. */
export type UnsentPost = DraftOf<typeof unsentFields> &
  Partial<Pick<RecordsOf<typeof scheduledPosts>, 'scheduled_at' | 'scheduled_status'>>

/** Drafts and scheduled posts as they would look if they were published now. */
export async function readUnsent(
  runtime: Runtime,
  records: readonly UnsentPost[],
  state: 'DRAFT' | 'SCHEDULED',
): Promise<ReadPosts> {
  const composed = records.map((record) => composeText(record.text ?? '', { shortLink }))
  const names = composed.flatMap(({ entities }) => (entities.mentions ?? []).map((item) => item.username.toLowerCase()))
  const ids = await runtime.parts.many(usernamePart, distinctIds(names))
  const authorIds = distinctIds(records.map((record) => record.user_id))
  const [users, authorCounts, media] = await Promise.all([
    runtime.parts.many(userRow, distinctIds([...ids.values(), ...authorIds])),
    runtime.parts.many(userMetrics, authorIds),
    readMediaFacts(
      runtime,
      records.flatMap((record) => record.media_keys ?? []),
    ),
  ])
  const posts = records.flatMap((record, index): ShownPost[] => {
    const author = users.get(record.user_id)
    if (!author) return []
    const { text, entities } = composed[index]!
    const keys = record.media_keys ?? []
    return [
      {
        state,
        id: record.id,
        createdAt: record.created_at.getTime(),
        name: record.name,
        written: {
          text,
          entities: withIds(entities, ids),
          note_text: null,
          note_entities: null,
          display_start: 0,
          display_end: [...text].length,
        },
        lang: undefined,
        source: undefined,
        author,
        authorCounts: authorCounts.get(author.id),
        nullcast: record.nullcast,
        scheduledAt: record.scheduled_at ?? null,
        scheduledStatus: record.scheduled_status ?? null,
        replySettings: 'everyone',
        cardUri: record.card_uri,
        media: keys.flatMap((key) => media.get(key) ?? []),
        videoDetails: null,
        isSensitive: false,
        inReplyTo: { postId: null, userId: null, username: null },
        place: undefined,
        repostCount: 0,
        likeCount: 0,
        favorited: false,
        reposted: false,
      },
    ]
  })
  return { posts, context: { users, baseUrl: runtime.baseUrl } }
}

// Only names of existing users are mentions.
function withIds(entities: WireEntities, ids: ReadonlyMap<string, string>): WireEntities {
  const mentions = (entities.mentions ?? []).flatMap((item) => {
    const id = ids.get(item.username.toLowerCase())
    return id === undefined ? [] : [{ ...item, id }]
  })
  return { ...entities, mentions }
}
