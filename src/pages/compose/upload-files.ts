import { setTimeout as sleep } from 'node:timers/promises'
import { blank } from '../../api-kit/writing/problems.ts'
import { realNow } from '../../process/clock.ts'
import { createMediaMetadata } from '../../social/media/describe-media.ts'
import {
  appendMediaUpload,
  finalizeMediaUpload,
  getMediaUploadStatus,
  initializeMediaUpload,
  mediaUpload,
} from '../../social/media/uploading/upload-media.ts'
import type { PageRequest } from '../page-request.ts'

/** What a media item is uploaded for. */
export type UploadUse = 'post' | 'dm'

interface UploadAnswer {
  data?: { id?: string; processing_info?: { state?: string; error?: { message?: string } } }
}

const SEGMENT_BYTES = 4 * 1024 * 1024
const LOOK_MS = 100
const PROCESSED_WITHIN_MS = 20_000

/** Uploads a file of a form and describes it. Returns the id of the media item. */
export async function uploadFile(
  page: PageRequest,
  bytes: Buffer,
  use: UploadUse,
  description: string,
): Promise<string> {
  const kind = kindOf(bytes)
  const id = kind === undefined ? await uploadPicture(page, bytes, use) : await uploadInSegments(page, bytes, use, kind)
  if (description !== '')
    await page.need(createMediaMetadata, { body: { id, metadata: { alt_text: { text: description } } } })
  return id
}

async function uploadPicture(page: PageRequest, bytes: Buffer, use: UploadUse): Promise<string> {
  const body = { media: bytes.toString('base64'), media_category: `${use}_image` }
  return (await page.need<UploadAnswer>(mediaUpload, { body })).data!.id!
}

interface SegmentedKind {
  type: 'image/gif' | 'video/mp4' | 'video/webm'
  category: 'gif' | 'video'
}

/** What is uploaded in segments is told by its first bytes; everything else has to be a picture. */
function kindOf(bytes: Buffer): SegmentedKind | undefined {
  if (bytes.subarray(0, 4).toString('latin1') === 'GIF8') return { type: 'image/gif', category: 'gif' }
  if (bytes.subarray(4, 8).toString('latin1') === 'ftyp') return { type: 'video/mp4', category: 'video' }
  return bytes.subarray(0, 4).equals(WEBM) ? { type: 'video/webm', category: 'video' } : undefined
}
const WEBM = Buffer.from([0x1a, 0x45, 0xdf, 0xa3])

async function uploadInSegments(
  page: PageRequest,
  bytes: Buffer,
  use: UploadUse,
  { type, category }: SegmentedKind,
): Promise<string> {
  const begun = await page.need<UploadAnswer>(initializeMediaUpload, {
    body: { media_type: type, media_category: `${use}_${category}`, total_bytes: bytes.length },
  })
  const id = begun.data!.id!
  for (let at = 0, segment = 0; at < bytes.length; at += SEGMENT_BYTES, segment++)
    await page.need(appendMediaUpload, {
      path: { id },
      body: { media: bytes.subarray(at, at + SEGMENT_BYTES).toString('base64'), segment_index: segment },
    })
  let state = (await page.need<UploadAnswer>(finalizeMediaUpload, { path: { id } })).data?.processing_info
  const deadline = realNow() + PROCESSED_WITHIN_MS
  while (state?.state === 'pending' || state?.state === 'in_progress') {
    if (realNow() > deadline) throw blank(400, 'The file is still being processed. Try again in a moment.')
    await sleep(LOOK_MS)
    state = (await page.need<UploadAnswer>(getMediaUploadStatus, { query: { media_id: id } })).data?.processing_info
  }
  if (state?.state === 'failed') throw blank(400, state.error?.message ?? 'The file cannot be used.')
  return id
}
