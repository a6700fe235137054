import { type RowOf, statement } from '../../../storage/statement.ts'
import { segmentPutSql, segmentsArrangeSql, segmentsReadSql } from '../../media/segment-sql.ts'

const columns = {
  id: 'int8',
  media_hash_key: 'text',
  conversation_id: 'int8',
  owner_user_id: 'int8',
  is_complete: 'bool',
  total_bytes: 'int8',
  received_bytes: 'int8',
  expires_at: 'timestamptz?',
} as const
const names = Object.keys(columns).join(', ')

/** An encrypted file of a conversation. */
export type ChatMediaRow = RowOf<typeof columns>

export const chatMediaAdd = statement(
  'chat_media_add',
  columns,
  `insert into chat_media (id, media_hash_key, conversation_id, owner_user_id, total_bytes, expires_at, created_at)
   values ($1::bigint, $2, $3::bigint, $4::bigint, $5::bigint, $6::timestamptz, $7::timestamptz) returning ${names}`,
)

/** An upload of a user, locked: segments and the end of an upload are processed one after the other. */
export const chatMediaLock = statement(
  'chat_media_lock',
  columns,
  `select ${names} from chat_media
    where id = $1 and owner_user_id = $2 and (expires_at is null or expires_at > $3::timestamptz) for update`,
)

/** Stores or replaces a segment of a locked upload. Returns how many bytes there are now. */
export const chatSegmentPut = statement(
  'chat_media_segment_put',
  { received_bytes: 'int8' },
  segmentPutSql('chat_media'),
)

/** Sets the offsets of the segments of an upload. Returns the first that is missing. */
export const chatSegmentsArrange = statement(
  'chat_media_segments_arrange',
  { segments: 'int4', bytes: 'int8', missing: 'int4?' },
  segmentsArrangeSql('chat_media'),
)

/** The bytes from `$2` to before `$3`, one row per segment that contains some of them. */
export const chatSegmentsRead = statement(
  'chat_media_segments_read',
  { bytes: 'bytea?' },
  segmentsReadSql('chat_media'),
)

export const chatMediaComplete = statement(
  'chat_media_complete',
  {},
  'update chat_media set is_complete = true, message_id = $2, expires_at = $3::timestamptz where id = $1',
)

/** A complete file of a conversation. */
export const chatMediaFind = statement(
  'chat_media_find',
  columns,
  `select ${names} from chat_media
    where media_hash_key = $1 and conversation_id = $2 and is_complete and (expires_at is null or expires_at > $3::timestamptz)`,
)

/** Removes files by their keys or by the messages that they belong to; only those of `$4` unless it is null. */
export const chatMediaRemove = statement(
  'chat_media_remove',
  {},
  `delete from chat_media
    where conversation_id = $1 and (media_hash_key = any($2::text[]) or message_id = any($3::text[]))
      and ($4::bigint is null or owner_user_id = $4)`,
)

/** Removes files whose time is over, with their bytes. */
export const chatMediaExpire = statement(
  'chat_media_expire',
  {},
  `delete from chat_media where id in (
     select id from chat_media where expires_at < $1::timestamptz order by expires_at limit $2 for update skip locked)`,
)
