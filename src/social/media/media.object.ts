import { defineObject, guardedField, staticField, type Verdict } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { type Entry, partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import {
  notAuthorizedForResource,
  resourceNotFound,
  resourceUnavailable,
} from '../../api-kit/writing/partial-errors.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { MediaKey } from '../ids.ts'
import { hasPrivateMetrics } from '../insights/private-metrics.ts'
import { judgePosts } from '../visibility.ts'
import { isMessageMedia, MESSAGE_CATEGORIES } from './categories.ts'
import { allCounters, type MediaMetricsRow, mediaMetrics, organicCounters, promotedCounters } from './media-metrics.ts'
import { downloadAddress, seenInMessages } from './message-media.ts'

const columns = {
  media_key: 'text',
  owner_user_id: 'int8',
  additional_owner_ids: 'int8[]',
  type: 'text',
  url: 'text?',
  preview_image_url: 'text?',
  width: 'int4?',
  height: 'int4?',
  duration_ms: 'int4?',
  alt_text: 'text?',
  variants: 'jsonb?',
  kept: 'bool',
  is_processing: 'bool',
  expires_at: 'timestamptz',
  post_author_ids: 'int8[]?',
  first_message_id: 'int8?',
  community_posts: 'text[]?',
} as const

// The authors of the posts and articles that have a media item, and the communities of these posts, determine who may see it.
// A repost does not count. `community_posts` has `author:community`.
const mediaByKey = statement(
  'media_by_key',
  columns,
  `select m.media_key, m.owner_user_id, m.additional_owner_ids, m.type, m.url, m.preview_image_url, m.width, m.height, m.duration_ms, m.alt_text,
          m.variants, m.kept, m.status <> 'ready' as is_processing, m.expires_at,
          case when m.post_uses > 0 or m.kept then array(
            select p.author_id from post p
             where p.media_keys @> array[m.media_key] and p.media_keys <> '{}' and p.reposted_post_id is null and p.community_id is null
            union select a.owner_user_id from article a where a.post_id is not null and a.cover_media_key = m.media_key
            union select a.owner_user_id from article a where a.post_id is not null and a.media_keys @> array[m.media_key]
          ) end as post_author_ids,
          case when m.category = any('{${MESSAGE_CATEGORIES.join()}}'::text[]) then
            (select min(e.id) from dm_event e where e.media_key = m.media_key) end as first_message_id,
          case when m.post_uses > 0 then array(
            select distinct p.author_id || ':' || p.community_id from post p
             where p.media_keys @> array[m.media_key] and p.media_keys <> '{}' and p.reposted_post_id is null and p.community_id is not null) end as community_posts
     from media m where m.media_key = any($1::text[]) and m.status in ('ready', 'waiting', 'processing') and m.type <> 'subtitles'`,
)

type MediaRow = RowOf<typeof columns>

/** Media items that can be shown. Every change to one, and to the posts that have it, invalidates kind `media`. */
export const mediaRow = definePart('media', 'row', async (db, keys) =>
  keyedBy((row) => row.media_key, await mediaByKey.all(db, keys)),
)

const Text = Type.String()
const Uri = Type.String({ format: 'uri' })
const Variants = component(
  'Variants',
  Type.Array(
    component(
      'Variant',
      Type.Object({
        bit_rate: Type.Optional(Type.Integer()),
        content_type: Type.Optional(Text),
        url: Type.Optional(Uri),
      }),
    ),
  ),
)

interface Variant {
  bit_rate?: number
  content_type?: string
  url?: string
}

const Count = Type.Optional(Type.Integer({ format: 'int32' }))
const PLAYBACK = {
  playback_0_count: Count,
  playback_100_count: Count,
  playback_25_count: Count,
  playback_50_count: Count,
  playback_75_count: Count,
}

/** Whether the caller owns a media item. */
export const isMediaOwner = (
  row: Pick<MediaRow, 'owner_user_id' | 'additional_owner_ids'>,
  context: ReadContext,
): boolean =>
  row.owner_user_id === context.caller?.user?.id ||
  (context.caller?.user !== undefined && row.additional_owner_ids.includes(context.caller.user.id))

// Only owners see private metrics, in the first thirty days like those of posts. Pictures have none.
const ownerOnly = (member: string, names: readonly string[]) => ({
  leaves: names.map((name) => `${member}.${name}`),
  allows: (row: MediaMetricsRow, context: ReadContext) =>
    row.type !== 'video' || (isMediaOwner(row, context) && hasPrivateMetrics(row.id, context.clock.now())),
})

/** The object `media` of the interface: a photo, video or animated GIF. */
export const media = defineObject({
  name: 'media',
  resource: 'media',
  plural: 'media',
  component: 'Media',
  always: ['media_key', 'type'],
  existence: mediaRow,
  fields: {
    media_key: staticField(mediaRow, MediaKey, (row) => row.media_key),
    type: staticField(mediaRow, Text, (row) => row.type),
    url: staticField(mediaRow, Uri, (row) => (row.type === 'photo' ? messageAddress(row, row.url) : undefined)),
    preview_image_url: staticField(mediaRow, Uri, (row) => messageAddress(row, row.preview_image_url)),
    width: staticField(mediaRow, component('MediaWidth', Type.Integer({ minimum: 0 })), (row) => row.width),
    height: staticField(mediaRow, component('MediaHeight', Type.Integer({ minimum: 0 })), (row) => row.height),
    duration_ms: staticField(mediaRow, Type.Integer(), (row) => (row.type === 'video' ? row.duration_ms : undefined)),
    alt_text: staticField(mediaRow, Text, (row) => row.alt_text),
    variants: staticField(mediaRow, Variants, (row) => addressedVariants(row)),
    public_metrics: staticField(mediaMetrics, Type.Object({ view_count: Count }), (row) =>
      row.type === 'video' ? { view_count: allCounters(row).view_count } : undefined,
    ),
    non_public_metrics: guardedField(
      mediaMetrics,
      Type.Object(PLAYBACK),
      ownerOnly('non_public_metrics', Object.keys(PLAYBACK)),
      (row) => (row.type === 'video' ? allCounters(row) : undefined),
    ),
    organic_metrics: guardedField(
      mediaMetrics,
      Type.Object({ ...PLAYBACK, view_count: Count }),
      ownerOnly('organic_metrics', [...Object.keys(PLAYBACK), 'view_count']),
      (row) => (row.type === 'video' ? organicCounters(row) : undefined),
    ),
    promoted_metrics: guardedField(
      mediaMetrics,
      Type.Object({ ...PLAYBACK, view_count: Count }),
      ownerOnly('promoted_metrics', [...Object.keys(PLAYBACK), 'view_count']),
      // A video that was never promoted has none.
      (row) => (row.type === 'video' && row.was_promoted ? promotedCounters(row) : undefined),
    ),
  },
  judge: judgeMedia,
})

/** The address of a file for clients. Files of messages are downloaded with credentials, and not before a message has them. */
function messageAddress(row: MediaRow, address: string | null): string | null {
  return address !== null && isMessageMedia(row.media_key) ? downloadAddress(row, address) : address
}

function addressedVariants(row: MediaRow): Variant[] | null {
  const variants = row.variants as Variant[] | null
  if (variants === null || !isMessageMedia(row.media_key)) return variants
  if (row.first_message_id === null) return null
  return variants.map((item) =>
    item.url === undefined ? item : { ...item, url: downloadAddress(row, item.url) ?? item.url },
  )
}

/**
 * A media item is visible to its owners, to everybody who may see a post that has it, and to everybody who sees a message that
 * has it.
 */
async function judgeMedia(context: ReadContext, entries: Entry[]): Promise<Verdict[]> {
  const rows = entries.map((entry) => partOf(entry, mediaRow)!)
  const shows = rows.map((row) => (isMediaOwner(row, context) ? [] : postsOf(row)))
  const verdicts = await judgePosts(context, shows.flat())
  const inMessages = await seenInMessages(
    context,
    rows.map((row) => row.media_key),
  )
  let next = 0
  return rows.map((row, index) => {
    const own = verdicts.slice(next, next + shows[index]!.length)
    next += own.length
    if (row.is_processing && isMediaOwner(row, context))
      return (reference) => resourceUnavailable('media', reference.parameter, reference.value)
    if (row.is_processing || isExpired(row, context.clock.now()))
      return (reference) => resourceNotFound('media', reference.parameter, reference.value)
    if (isMediaOwner(row, context) || own.some((refusal) => refusal === undefined) || inMessages.has(row.media_key))
      return undefined
    return (reference) => notAuthorizedForResource('media', reference.parameter, reference.value, reference.section)
  })
}

const postsOf = (row: MediaRow) => [
  ...(row.post_author_ids ?? []).map((authorId) => ({ authorId })),
  ...(row.community_posts ?? []).map((pair) => {
    const [authorId, communityId] = pair.split(':') as [string, string]
    return { authorId, communityId }
  }),
]

const isExpired = (row: MediaRow, now: number): boolean =>
  row.post_author_ids === null && !row.kept && row.expires_at.getTime() <= now
