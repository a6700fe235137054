import { type RowOf, statement } from '../../storage/statement.ts'
import { segmentPutSql, segmentsArrangeSql, segmentsReadSql } from './segment-sql.ts'

const uploadColumns = {
  id: 'int8',
  media_key: 'text',
  owner_user_id: 'int8',
  category: 'text',
  type: 'text',
  status: 'text',
  progress_percent: 'int4',
  failure: 'jsonb?',
  media_type: 'text?',
  total_bytes: 'int8',
  received_bytes: 'int8',
  address_key: 'text',
  metadata: 'jsonb',
  post_uses: 'int4',
  kept: 'bool',
  expires_at: 'timestamptz',
} as const
const uploadNames = Object.keys(uploadColumns).join(', ')

/** What is stored of an upload. */
export type UploadRow = RowOf<typeof uploadColumns>

export const uploadInsert = statement(
  'media_insert',
  uploadColumns,
  `insert into media (id, media_key, owner_user_id, additional_owner_ids, shared, category, type, status, media_type, total_bytes, address_key,
     expires_at, created_at)
   values ($1::bigint, $2, $3::bigint, $4::bigint[], $5::bool, $6, $7, 'uploading', $8, $9::bigint, $10, $11::timestamptz, $12::timestamptz)
   returning ${uploadNames}`,
)

/** An upload of a user. */
export const uploadOf = statement(
  'media_upload_of',
  uploadColumns,
  `select ${uploadNames} from media where id = $1 and owner_user_id = $2`,
)

/** The same, locked until the end of the transaction: segments and the end of an upload are processed one after the other. */
export const uploadLock = statement(
  'media_upload_lock',
  uploadColumns,
  `select ${uploadNames} from media where id = $1 and owner_user_id = $2 for update`,
)

/** Stores or replaces a segment of a locked upload. Returns how many bytes there are now. */
export const segmentPut = statement('media_segment_put', { received_bytes: 'int8' }, segmentPutSql('media'))

/** Sets the offsets of the segments of an upload. Returns the first that is missing. */
export const segmentsArrange = statement(
  'media_segments_place',
  { segments: 'int4', bytes: 'int8', missing: 'int4?' },
  segmentsArrangeSql('media'),
)

/** The bytes from `$2` to before `$3`, one row per segment that contains some of them. */
export const segmentsRead = statement('media_segments_read', { bytes: 'bytea?' }, segmentsReadSql('media'))

/** Ends an upload that is processed next. */
export const uploadWait = statement(
  'media_upload_wait',
  uploadColumns,
  `update media set status = 'waiting', expires_at = $2::timestamptz where id = $1 returning ${uploadNames}`,
)

/** Claims an upload that waits, or whose earlier claim has expired. */
export const uploadTake = statement(
  'media_upload_take',
  { ...uploadColumns, subscription_type: 'text' },
  `update media m set status = 'processing', progress_percent = 0, taken_until = $3::timestamptz
     from user_account u
    where m.id = $1 and u.id = m.owner_user_id and (m.status = 'waiting' or (m.status = 'processing' and m.taken_until < $2::timestamptz))
   returning ${uploadNames
     .split(', ')
     .map((name) => `m.${name}`)
     .join(', ')}, u.subscription_type`,
)
export const uploadProgress = statement(
  'media_upload_progress',
  {},
  `update media set progress_percent = $2::int where id = $1 and status = 'processing'`,
)
export const uploadFail = statement(
  'media_upload_fail',
  {},
  `update media set status = 'failed', failure = $2::jsonb where id = $1 and status = 'processing'`,
)
/** Makes a media item usable, with what its bytes show and with their urls. */
export const uploadReady = statement(
  'media_upload_ready',
  uploadColumns,
  `update media set status = 'ready', progress_percent = 100, content_type = $2, width = $3::int, height = $4::int, duration_ms = $5::int,
     bit_rate = $6::int, first_frame_bytes = $7::int, url = $8, preview_image_url = $9, variants = $10::jsonb,
     expires_at = coalesce($11::timestamptz, expires_at)
    where id = $1 and status in ('uploading', 'processing') returning ${uploadNames}`,
)

/** Uploads that wait, or whose process did not finish in time. */
export const uploadsLeft = statement(
  'media_uploads_left',
  { id: 'int8' },
  `select id from media where status in ('waiting', 'processing') and (taken_until is null or taken_until < $1::timestamptz) order by id limit 100`,
)

/** Removes expired media items that nothing uses, with their bytes. */
export const mediaExpire = statement(
  'media_expire',
  { media_key: 'text' },
  `delete from media m where m.id in (
     select e.id from media e
      where e.post_uses = 0 and not e.kept and e.expires_at < $1::timestamptz
        and not exists (select from media_subtitle s where s.subtitles_id = e.id)
      order by e.expires_at limit $2 for update skip locked)
   returning m.media_key`,
)

const factColumns = {
  media_key: 'text',
  media_id: 'int8',
  owner_user_id: 'int8',
  additional_owner_ids: 'int8[]',
  category: 'text',
  type: 'text',
  status: 'text',
  width: 'int4?',
  height: 'int4?',
  duration_ms: 'int4?',
  byte_size: 'int8',
  content_type: 'text?',
  url: 'text?',
  preview_image_url: 'text?',
  alt_text: 'text?',
  metadata: 'jsonb',
  expires_at: 'timestamptz?',
} as const

// Only unused media items expire. Readers do not distinguish between waiting and processing.
const factSelect = `select media_key, id as media_id, owner_user_id, additional_owner_ids, category, type,
    case status when 'waiting' then 'processing' else status end as status, width, height, duration_ms, received_bytes as byte_size,
    content_type, url, preview_image_url, alt_text, metadata, case when post_uses = 0 and not kept then expires_at end as expires_at from media`

/** The facts about a media item: who may use it, what it is, and its urls. `expires_at` only where it can expire. */
export type MediaFacts = RowOf<typeof factColumns>

export const mediaFacts = statement('media_facts', factColumns, `${factSelect} where media_key = any($1::text[])`)
export const mediaFactsById = statement('media_facts_by_id', factColumns, `${factSelect} where id = any($1::bigint[])`)

/** Whether a media item can be used now: ready and not expired. */
export const isUsable = (media: MediaFacts, now: number): boolean =>
  media.status === 'ready' && (media.expires_at === null || media.expires_at.getTime() > now)

/** Whether a user may use a media item now: it is usable, and the user is an owner. */
export const isUsableBy = (media: MediaFacts, userId: string, now: number): boolean =>
  isUsable(media, now) && (media.owner_user_id === userId || media.additional_owner_ids.includes(userId))

/** Keeps media items from expiring; false lets them expire again. */
export const mediaKeep = statement(
  'media_keep',
  { media_key: 'text' },
  'update media set kept = $2::bool where media_key = any($1::text[]) returning media_key',
)
