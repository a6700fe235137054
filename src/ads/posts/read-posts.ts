import type { Runtime } from '../../api-kit/runtime.ts'
import { timeOfId } from '../../process/ids.ts'
import { shortLink } from '../../social/links/short-link.ts'
import { type MediaFacts, mediaFacts } from '../../social/media/media.statements.ts'
import { oldPlace } from '../../social/places/old-style-place.ts'
import { placeRow } from '../../social/places/place.object.ts'
import type { OldObject } from '../../social/posts/old-style-json.ts'
import type { VideoWords } from '../../social/posts/old-style-media.ts'
import { type PostRow, postMetrics, postRow } from '../../social/posts/post.parts.ts'
import { composeText } from '../../social/text/compose-text.ts'
import type { WireEntities } from '../../social/text/wire-text.ts'
import { oldUser } from '../../social/users/old-style-user.ts'
import { userMetrics, usernamePart, userRow } from '../../social/users/user.parts.ts'
import { statement } from '../../storage/statement.ts'
import type { Loose } from '../kit/entity.ts'
import type { ShownPost } from './show-post.ts'

/** Posts with what is needed to show them; those that are not there are left out. */
export interface ReadPosts {
  posts: ShownPost[]
  /** Whom they mention. */
  users: ReadonlyMap<string, { name: string }>
}

/** Whose view it is: what an account calls posts, and what a user did with them. */
interface View {
  accountId: string
  viewerId: string | undefined
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

/** Published posts, in the order of their ids as given. */
export async function readPublished(runtime: Runtime, ids: readonly string[], view: View): Promise<ReadPosts> {
  const { parts, database } = runtime
  const found = await parts.many(postRow, [...ids])
  const rows = ids.flatMap((id) => found.get(id) ?? [])
  const present = rows.map((row) => row.id)
  const [views, counts, places, media] = await Promise.all([
    present.length === 0 ? [] : viewOfPosts.all(database, present, view.accountId, view.viewerId ?? null),
    parts.many(postMetrics, present),
    parts.many(placeRow, distinct(rows.map((row) => row.place_id))),
    readMedia(
      runtime,
      rows.flatMap((row) => row.media_keys),
    ),
  ])
  const authors = await readAuthors(
    runtime,
    rows.map((row) => row.author_id),
  )
  const users = await parts.many(
    userRow,
    distinct(rows.flatMap((row) => [row.in_reply_to_user_id, ...row.mentioned_user_ids])),
  )
  const viewOf = new Map(views.map((row) => [row.id, row]))
  const posts = rows.flatMap((row): ShownPost[] => {
    const author = authors.get(row.author_id)
    const seen = viewOf.get(row.id)
    // Deleted in between.
    if (!author || !seen) return []
    const place = row.place_id === null ? undefined : places.get(row.place_id)
    const { repost_count: reposts = 0, like_count: likes = 0 } = counts.get(row.id) ?? {}
    return [
      {
        state: 'PUBLISHED',
        id: row.id,
        createdAt: timeOfId(row.id),
        name: seen.name,
        written: row,
        lang: row.lang,
        source: row.source,
        author,
        nullcast: row.nullcast,
        scheduledAt: seen.scheduled_at,
        scheduledStatus: null,
        replySettings: row.reply_settings,
        cardUri: row.card_uri,
        media: ofKeys(media, row.media_keys),
        videoWords: seen.details as VideoWords | null,
        isSensitive: row.possibly_sensitive,
        answered: {
          postId: row.in_reply_to_post_id,
          userId: row.in_reply_to_user_id,
          username: users.get(row.in_reply_to_user_id ?? '')?.username ?? null,
        },
        place: place ? oldPlace(place) : null,
        counts: { reposts, likes },
        favorited: seen.favorited,
        reposted: seen.reposted,
      },
    ]
  })
  return { posts, users }
}

/** Drafts and scheduled posts as the posts that they would be now. */
export async function readUnsent(
  runtime: Runtime,
  records: readonly Loose[],
  state: 'DRAFT' | 'SCHEDULED',
): Promise<ReadPosts> {
  const composed = records.map((record) => composeText((record.text as string | null) ?? '', { shortLink }))
  const names = composed.flatMap(({ entities }) => (entities.mentions ?? []).map((item) => item.username.toLowerCase()))
  const ids = await runtime.parts.many(usernamePart, distinct(names))
  const [users, authors, media] = await Promise.all([
    runtime.parts.many(userRow, distinct([...ids.values()])),
    readAuthors(
      runtime,
      records.map((record) => record.user_id),
    ),
    readMedia(
      runtime,
      records.flatMap((record) => record.media_keys ?? []),
    ),
  ])
  const posts = records.flatMap((record, at): ShownPost[] => {
    const author = authors.get(record.user_id)
    if (!author) return []
    const { text, entities } = composed[at]!
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
        nullcast: record.nullcast,
        scheduledAt: record.scheduled_at ?? null,
        scheduledStatus: record.scheduled_status ?? null,
        replySettings: 'everyone',
        cardUri: record.card_uri,
        media: ofKeys(media, record.media_keys ?? []),
        videoWords: null,
        isSensitive: false,
        answered: { postId: null, userId: null, username: null },
        place: null,
        counts: { reposts: 0, likes: 0 },
        favorited: false,
        reposted: false,
      },
    ]
  })
  return { posts, users }
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
]

// Only names of existing users are mentions.
function withIds(entities: WireEntities, ids: ReadonlyMap<string, string>): WireEntities {
  const mentions = (entities.mentions ?? []).flatMap((item) => {
    const id = ids.get(item.username.toLowerCase())
    return id === undefined ? [] : [{ ...item, id }]
  })
  return { ...entities, mentions }
}

async function readMedia(runtime: Runtime, keys: readonly string[]): Promise<Map<string, MediaFacts>> {
  const rows = keys.length === 0 ? [] : await mediaFacts.all(runtime.database, distinct(keys))
  return new Map(rows.map((row) => [row.media_key, row]))
}

const ofKeys = (media: ReadonlyMap<string, MediaFacts>, keys: PostRow['media_keys']): MediaFacts[] =>
  keys.flatMap((key) => media.get(key) ?? [])

async function readAuthors(
  runtime: Runtime,
  userIds: readonly string[],
): Promise<Map<string, OldObject & { screen_name: string }>> {
  const ids = distinct(userIds)
  const [rows, counts] = await Promise.all([runtime.parts.many(userRow, ids), runtime.parts.many(userMetrics, ids)])
  // In this interface what a user has not said of themselves is an empty text, and a missing picture is left out.
  return new Map(
    [...rows].map(([id, row]) => [
      id,
      {
        ...oldUser(row, counts.get(id)),
        screen_name: row.username,
        location: row.location,
        description: row.description,
      },
    ]),
  )
}
