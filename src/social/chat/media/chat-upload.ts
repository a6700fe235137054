import { change, type Runtime } from '../../../api-kit/runtime.ts'
import { blank, invalidParameter } from '../../../api-kit/writing/problems.ts'
import { isStorableId } from '../../../process/ids.ts'
import { randomText } from '../../../process/secret-box.ts'
import type { Tx } from '../../../storage/database.ts'
import { checkSegment } from '../../media/uploading/upload.ts'
import { checkMessageId } from '../action-signatures.ts'
import {
  type ChatMediaRow,
  chatMediaAdd,
  chatMediaComplete,
  chatMediaLock,
  chatSegmentPut,
  chatSegmentsArrange,
} from './chat-media.statements.ts'

export const MAX_FILE_BYTES = 512 * 1024 * 1024
/** How long segments can be sent. */
const SESSION_MS = 24 * 3600_000

/** An upload as a request names it. All of it must be right. */
export interface UploadSession {
  id: string
  conversationId: string
  hashKey: string
  userId: string
}

export async function startChatUpload(
  runtime: Runtime,
  conversationId: string,
  userId: string,
  totalBytes: number,
): Promise<ChatMediaRow> {
  const now = runtime.clock.now()
  return (await chatMediaAdd.first(
    runtime.database,
    runtime.ids.next(),
    randomText(32),
    conversationId,
    userId,
    String(totalBytes),
    new Date(now + SESSION_MS),
    new Date(now),
  ))!
}

async function lockUpload(runtime: Runtime, tx: Tx, session: UploadSession): Promise<ChatMediaRow> {
  const now = new Date(runtime.clock.now())
  const row = isStorableId(session.id) ? await chatMediaLock.first(tx, session.id, session.userId, now) : undefined
  if (row?.conversation_id === session.conversationId && row.media_hash_key === session.hashKey) return row
  throw blank(404, `There is no upload [${session.id}] of this media_hash_key in this conversation.`)
}

/** Stores a segment. Returns until when others can be sent. */
export async function appendToUpload(
  runtime: Runtime,
  session: UploadSession,
  segment: number,
  bytes: Buffer,
): Promise<Date> {
  checkSegment(bytes)
  return change(runtime, async (tx) => {
    const row = await lockUpload(runtime, tx, session)
    if (row.is_complete)
      throw invalidParameter('id', session.id, `The upload [${session.id}] is finished and accepts no more segments.`)
    const { received_bytes: received } = (await chatSegmentPut.first(tx, row.id, segment, bytes.length, bytes))!
    if (Number(received) > Number(row.total_bytes))
      throw invalidParameter(
        'segment_index',
        String(segment),
        `With this segment the upload has ${received} bytes, more than its total_bytes of ${row.total_bytes}.`,
      )
    return row.expires_at!
  })
}

/** Finishes an upload, which must be complete. From then on members of the conversation can download it. */
export async function finishChatUpload(
  runtime: Runtime,
  session: UploadSession,
  given: { parts: string | undefined; messageId: string | undefined; ttlMs: string | undefined },
): Promise<void> {
  if (given.messageId !== undefined) checkMessageId(given.messageId, 'message_id')
  if (given.ttlMs !== undefined && !/^[1-9][0-9]{0,11}$/.test(given.ttlMs))
    throw invalidParameter('ttl_msec', given.ttlMs, 'ttl_msec must be a number of milliseconds from 1 to 999999999999.')
  await change(runtime, async (tx) => {
    const row = await lockUpload(runtime, tx, session)
    // A client repeats the request when it missed the first answer.
    if (row.is_complete) return
    const { bytes, missing, segments } = (await chatSegmentsArrange.first(tx, row.id))!
    if (missing !== null)
      throw invalidParameter('id', session.id, `Segment ${missing} of the upload [${session.id}] is missing.`)
    if (given.parts !== undefined && given.parts !== String(segments))
      throw invalidParameter('num_parts', given.parts, `The upload [${session.id}] has ${segments} parts.`)
    if (bytes !== row.total_bytes)
      throw invalidParameter(
        'id',
        session.id,
        `The upload [${session.id}] has ${bytes} bytes in ${segments} segments, but its total_bytes is ${row.total_bytes}.`,
      )
    const until = given.ttlMs === undefined ? null : new Date(runtime.clock.now() + Number(given.ttlMs))
    await chatMediaComplete.count(tx, row.id, given.messageId ?? null, until)
  })
}
