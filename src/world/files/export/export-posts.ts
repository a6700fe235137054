import { newestOf } from '../../../social/posts/post.statements.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldMedia, WorldPost } from '../people.schema.ts'
import { typedAgain } from './export-texts.ts'
import { type Exporting, MOST_EXPORTED } from './exporting.ts'

// What refers to an earlier version of a post refers to the newest one.
const newest = (id: string): string => `(select ${newestOf('f')} from post f where f.id = ${id})`

/** The newest version of each post. */
const postsAll = statement(
  'export_posts',
  {
    id: 'int8',
    author_id: 'int8',
    text: 'text',
    entities: 'jsonb?',
    note_text: 'text?',
    note_entities: 'jsonb?',
    in_reply_to_post_id: 'int8?',
    quoted_post_id: 'int8?',
    community_id: 'int8?',
    place_id: 'text?',
    poll_id: 'int8?',
    media_keys: 'text[]',
    reply_settings: 'text',
    possibly_sensitive: 'bool',
    made_with_ai: 'bool',
    paid_partnership: 'bool',
    source_app_id: 'int8?',
    source: 'text',
  },
  `select p.id, p.author_id, p.text, p.entities, p.note_text, p.note_entities, ${newest('p.in_reply_to_post_id')} as in_reply_to_post_id,
          ${newest('p.quoted_post_id')} as quoted_post_id, p.community_id, p.place_id, p.poll_id, p.media_keys, p.reply_settings, p.possibly_sensitive,
          p.made_with_ai, p.paid_partnership, p.source_app_id, p.source
     from post p where p.reposted_post_id is null and not p.superseded and not p.nullcast and p.sandbox is null and p.card_uri is null
    order by p.id limit $1`,
)
const MARKS = { post_id: 'int8', user_id: 'int8', id: 'int8' } as const
const likesAll = statement(
  'export_likes',
  MARKS,
  'select post_id, user_id, id from post_like order by post_id, id limit $1',
)
const bookmarksAll = statement(
  'export_bookmarks',
  MARKS,
  'select post_id, user_id, id from bookmark order by post_id, id limit $1',
)
const repostsAll = statement(
  'export_reposts',
  { post_id: 'int8?', user_id: 'int8', id: 'int8' },
  `select reposted_post_id as post_id, author_id as user_id, id from post where reposted_post_id is not null and not nullcast
    order by reposted_post_id, id limit $1`,
)
const pollsAll = statement(
  'export_polls',
  { id: 'int8', duration_minutes: 'int4', labels: 'text[]', votes: 'int4[]' },
  `select p.id, p.duration_minutes, array(select o.label from poll_option o where o.poll_id = p.id order by o.position) as labels,
          array(select o.votes from poll_option o where o.poll_id = p.id order by o.position) as votes
     from poll p where p.id = any($1::bigint[])`,
)
const mediaAll = statement(
  'export_media',
  { media_key: 'text', id: 'int8', alt_text: 'text?', bytes: 'bytea?' },
  `select m.media_key, m.id, m.alt_text, (select string_agg(s.bytes, ''::bytea order by s.segment) from media_segment s where s.media_id = m.id) as bytes
     from media m where m.media_key = any($1::text[]) and m.status = 'ready' and m.received_bytes <= $2`,
)

const MOST_MEDIA_BYTES = 15 * 1024 * 1024

/** The posts of a server, oldest first, with their media and what happened to them. */
export async function exportPosts(run: Exporting, communityIds: ReadonlySet<string>): Promise<WorldPost[]> {
  const { tx } = run
  const rows = await postsAll.all(tx, MOST_EXPORTED.posts + 1)
  run.checkBound('posts', rows.length, MOST_EXPORTED.posts)
  const known = new Set(rows.map((row) => row.id))
  const likes = grouped(await likesAll.all(tx, MOST_EXPORTED.rows))
  const bookmarks = grouped(await bookmarksAll.all(tx, MOST_EXPORTED.rows))
  const reposts = grouped(await repostsAll.all(tx, MOST_EXPORTED.rows))
  const polls = new Map(
    (
      await pollsAll.all(
        tx,
        rows.flatMap((row) => row.poll_id ?? []),
      )
    ).map((row) => [row.id, row]),
  )
  const keys = [...new Set(rows.flatMap((row) => row.media_keys))]
  const items = await mediaAll.all(tx, keys, MOST_MEDIA_BYTES)
  const media = new Map(items.map((row) => [row.media_key, row]))
  return rows
    .filter((row) => row.community_id === null || communityIds.has(row.community_id))
    .map((row): WorldPost => {
      const poll = row.poll_id === null ? undefined : polls.get(row.poll_id)
      const text =
        row.note_text === null ? typedAgain(row.text, row.entities) : typedAgain(row.note_text, row.note_entities)
      const attached = row.media_keys.flatMap((key): WorldMedia[] => {
        const item = media.get(key)
        if (!item?.bytes) return []
        return [
          { id: item.id, data: item.bytes.toString('base64'), ...(item.alt_text ? { alt_text: item.alt_text } : {}) },
        ]
      })
      const isOfApp = row.source_app_id !== null && run.appIds.has(row.source_app_id)
      const refers = (id: string | null): id is string => id !== null && known.has(id)
      return {
        id: row.id,
        author: run.username(row.author_id),
        ...(text === '' ? {} : { text }),
        ...(isOfApp ? { app: row.source_app_id! } : { source: row.source }),
        ...(refers(row.in_reply_to_post_id) ? { reply_to: row.in_reply_to_post_id } : {}),
        ...(refers(row.quoted_post_id) ? { quotes: row.quoted_post_id } : {}),
        ...(row.community_id === null ? {} : { community: row.community_id }),
        ...(row.place_id === null ? {} : { place: row.place_id }),
        ...(poll ? { poll: { options: poll.labels, duration_minutes: poll.duration_minutes, votes: poll.votes } } : {}),
        ...(attached.length > 0 ? { media: attached } : {}),
        ...(row.reply_settings === 'everyone'
          ? {}
          : { reply_settings: row.reply_settings as WorldPost['reply_settings'] }),
        ...(row.possibly_sensitive ? { possibly_sensitive: true } : {}),
        ...(row.made_with_ai ? { made_with_ai: true } : {}),
        ...(row.paid_partnership ? { paid_partnership: true } : {}),
        ...names(run, 'likes', likes.get(row.id)),
        ...names(run, 'bookmarks', bookmarks.get(row.id)),
        ...(reposts.has(row.id)
          ? { reposts: reposts.get(row.id)!.map(({ user_id, id }) => ({ user: run.username(user_id), id })) }
          : {}),
      }
    })
    .filter((post) => post.text !== undefined || post.media !== undefined)
}

interface Mark {
  post_id: string | null
  user_id: string
  id: string
}

function grouped(rows: readonly Mark[]): Map<string, Mark[]> {
  const groups = new Map<string, Mark[]>()
  for (const row of rows) {
    const group = groups.get(row.post_id!) ?? []
    group.push(row)
    groups.set(row.post_id!, group)
  }
  return groups
}

const names = (run: Exporting, member: 'likes' | 'bookmarks', marks: Mark[] | undefined) =>
  marks ? { [member]: marks.map((mark) => run.username(mark.user_id)) } : {}
