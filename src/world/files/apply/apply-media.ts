import { timeOfId } from '../../../process/ids.ts'
import {
  CATEGORY_RULES,
  guessCategory,
  type MediaCategory,
  mediaKeyOf,
  typeOfKey,
} from '../../../social/media/categories.ts'
import { LONG_VIDEO_SECONDS, probeMedia } from '../../../social/media/probing/probe-media.ts'
import { bytesInMemory, type MediaShape } from '../../../social/media/probing/probed.ts'
import { mediaAddresses } from '../../../social/media/uploading/store-shape.ts'
import { jsonText } from '../../../storage/json-text.ts'
import { statement } from '../../../storage/statement.ts'
import { drawnPicture } from '../../seed-pictures.ts'
import type { WorldMedia } from '../people.schema.ts'
import { type Applying, KeyedIds } from './applying.ts'
import type { FoundPost } from './find-posts.ts'

/** A media item of a post. */
export interface MadeMedia {
  id: string
  key: string
  type: string
  altText: string | undefined
  /** Its bytes, for an item that does not exist yet. */
  bytes?: Buffer
  shape?: MediaShape
  category: MediaCategory
  ownerId: string
}

const mediaRead = statement(
  'world_media_read',
  { id: 'int8', media_key: 'text', type: 'text', category: 'text', alt_text: 'text?' },
  'select id, media_key, type, category, alt_text from media where id = any($1::bigint[])',
)
const mediaAdd = statement(
  'world_media_add',
  {},
  `with made as (
     insert into media (id, media_key, owner_user_id, category, type, status, progress_percent, media_type, total_bytes, received_bytes, content_type,
       width, height, duration_ms, bit_rate, first_frame_bytes, address_key, url, preview_image_url, variants, alt_text, expires_at, created_at)
     select id, media_key, owner_user_id, category, type, 'ready', 100, content_type, size, size, content_type, width, height, duration_ms, bit_rate,
       first_frame_bytes, address_key, url, preview_image_url, variants::jsonb, alt_text, created_at + interval '1 day', created_at
       from jsonb_to_recordset($1::jsonb) as m (id bigint, media_key text, owner_user_id bigint, category text, type text, content_type text, size int,
         width int, height int, duration_ms int, bit_rate int, first_frame_bytes int, address_key text, url text, preview_image_url text,
         variants text, alt_text text, created_at timestamptz)
   )
   insert into media_segment (media_id, segment, starts_at, size, bytes)
   select b.id, 0, 0, length(b.bytes), b.bytes from unnest($2::bigint[], $3::bytea[]) as b (id, bytes)`,
)
const altTextsSet = statement(
  'world_alt_texts_set',
  { media_key: 'text' },
  `update media m set alt_text = a.alt_text from unnest($1::bigint[], $2::text[]) as a (id, alt_text)
    where m.id = a.id and m.alt_text is distinct from a.alt_text returning m.media_key`,
)
/** Counts that new posts show media items: each item by post, each author by post. */
const mediaUsed = statement(
  'world_media_used',
  {},
  `with uses as (
     update media m set post_uses = m.post_uses + u.uses
       from (select id, count(*)::int as uses from unnest($1::bigint[]) as u (id) group by id) u where m.id = u.id
   )
   update user_metrics m set media_count = m.media_count + u.posts
     from (select id, count(*)::int as posts from unnest($2::bigint[]) as u (id) group by id) u where m.user_id = u.id`,
)

const SCENES = ['rings', 'stripes', 'squares', 'hills'] as const

/** Reads the media items of posts. Returns them by the id of the post. */
export async function makeMedia(run: Applying, posts: readonly FoundPost[]): Promise<Map<string, MadeMedia[]>> {
  const withMedia = posts.filter(({ draft, row }) => draft.media || row?.media_keys.length)
  const ids = new KeyedIds()
  const named = withMedia.map((post) => ({
    post,
    ids: (post.draft.media ?? []).map((item, at) => item.id ?? ids.of(timeOfId(post.id), 'media', `${post.id} ${at}`)),
  }))
  const rows = await mediaRead.all(
    run.tx,
    named.flatMap((item) => item.ids),
  )
  const existing = new Map(rows.map((row) => [row.id, row]))
  const made = new Map<string, MadeMedia>()
  const byPost = new Map<string, MadeMedia[]>()
  for (const { post, ids: mediaIds } of named) {
    const items: MadeMedia[] = []
    for (const [at, draft] of (post.draft.media ?? []).entries()) {
      const id = mediaIds[at]!
      const row = existing.get(id)
      const item =
        made.get(id) ??
        (row
          ? {
              id,
              key: row.media_key,
              type: row.type,
              altText: draft.alt_text,
              category: row.category as MediaCategory,
              ownerId: post.author.id,
            }
          : await readItem(run, draft, id, post.author.id, `${post.where}.media[${at}]`))
      if (!item) continue
      made.set(id, item)
      items.push(item)
    }
    if (items.length > 1 && items.some((item) => item.type !== 'photo'))
      run.fault(
        `${post.where}.media`,
        undefined,
        'up to four photos, or one animated GIF, or one video can be attached',
      )
    byPost.set(post.id, post.draft.media ? items : keptMedia(post))
  }
  return byPost
}

const keptMedia = ({ row, author }: FoundPost): MadeMedia[] =>
  (row?.media_keys ?? []).map((key) => ({
    id: key.slice(key.indexOf('_') + 1),
    key,
    type: typeOfKey(key) ?? 'photo',
    altText: undefined,
    category: 'post_image',
    ownerId: author.id,
  }))

async function readItem(
  run: Applying,
  draft: WorldMedia,
  id: string,
  ownerId: string,
  where: string,
): Promise<MadeMedia | undefined> {
  const bytes = draft.draw ? drawnPicture(SCENES.indexOf(draft.draw)) : Buffer.from(draft.data ?? '', 'base64')
  if ((draft.draw === undefined) === (draft.file === undefined && draft.data === undefined)) {
    run.fault(where, undefined, 'has either a file, or data, or draw')
    return undefined
  }
  const category = guessCategory(sniff(bytes)) ?? 'post_image'
  const rule = CATEGORY_RULES[category]
  if (bytes.length === 0 || bytes.length > MOST_BYTES) {
    run.fault(where, draft.file, `has ${bytes.length} bytes; 1 to ${MOST_BYTES} are allowed`)
    return undefined
  }
  const probed = await probeMedia(bytesInMemory(bytes), {
    type: rule.type,
    mediaType: null,
    maxSeconds: LONG_VIDEO_SECONDS,
  })
  if (!probed.shape) {
    run.fault(where, draft.file, probed.fault.message)
    return undefined
  }
  return {
    id,
    key: mediaKeyOf(category, id),
    type: rule.type,
    altText: draft.alt_text,
    bytes,
    shape: probed.shape,
    category,
    ownerId,
  }
}

// Longer videos are uploaded.
const MOST_BYTES = 15 * 1024 * 1024

/** The media type by the first bytes; only as far as it decides about the category. */
function sniff(bytes: Buffer): string {
  if (bytes.subarray(0, 4).toString('latin1') === 'GIF8') return 'image/gif'
  return bytes.subarray(4, 8).toString('latin1') === 'ftyp' ? 'video/mp4' : 'image/png'
}

const BYTES_PER_STATEMENT = 8 * 1024 * 1024

/** Stores new media items and what new posts use. */
export async function storeMedia(
  run: Applying,
  media: ReadonlyMap<string, MadeMedia[]>,
  posts: readonly FoundPost[],
): Promise<void> {
  const all = new Map([...media.values()].flat().map((item) => [item.id, item]))
  const fresh = [...all.values()].filter((item) => item.bytes)
  let batch: MadeMedia[] = []
  let size = 0
  for (const item of fresh) {
    batch.push(item)
    size += item.bytes!.length
    if (size < BYTES_PER_STATEMENT) continue
    await addItems(run, batch)
    batch = []
    size = 0
  }
  await addItems(run, batch)
  run.report.add('created', 'media item', fresh.map((item) => item.key).join(' '), fresh.length)
  const described = [...all.values()].filter((item) => !item.bytes && item.altText !== undefined)
  const changed =
    described.length === 0
      ? []
      : await altTextsSet.all(
          run.tx,
          described.map((item) => item.id),
          described.map((item) => item.altText!),
        )
  for (const { media_key } of changed) run.report.add('changed', 'media item', `${media_key}: alt_text`)
  const users = posts.filter(({ id, row }) => !row && media.get(id)?.length)
  await mediaUsed.count(
    run.tx,
    users.flatMap(({ id }) => media.get(id)!.map((item) => item.id)),
    users.map(({ author }) => author.id),
  )
}

async function addItems(run: Applying, items: readonly MadeMedia[]): Promise<void> {
  if (items.length === 0) return
  const { secretBox, baseUrl } = run.runtime
  const rows = items.map((item) => {
    // Nobody can guess it without the secret key.
    const address_key = secretBox.sign(`media item ${item.id}`).slice(0, 16)
    const shape = item.shape!
    const type = CATEGORY_RULES[item.category].type
    const { url, preview, variants } = mediaAddresses(baseUrl, { media_key: item.key, address_key, type }, shape)
    return {
      id: item.id,
      media_key: item.key,
      owner_user_id: item.ownerId,
      category: item.category,
      type,
      content_type: shape.contentType,
      size: item.bytes!.length,
      width: shape.width ?? null,
      height: shape.height ?? null,
      duration_ms: shape.durationMs ?? null,
      bit_rate: shape.bitRate ?? null,
      first_frame_bytes: shape.firstFrameBytes ?? null,
      address_key,
      url,
      preview_image_url: preview,
      variants,
      alt_text: item.altText ?? null,
      created_at: new Date(timeOfId(item.id)),
    }
  })
  await mediaAdd.count(
    run.tx,
    jsonText(rows),
    items.map((item) => item.id),
    items.map((item) => item.bytes!),
  )
}
