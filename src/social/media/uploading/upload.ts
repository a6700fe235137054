import { change, type Runtime } from '../../../api-kit/runtime.ts'
import { resourceNotFound } from '../../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../../api-kit/writing/problem.ts'
import { type Fault, invalidParameter, invalidRequest, objectNotFound } from '../../../api-kit/writing/problems.ts'
import { isStorableId } from '../../../process/ids.ts'
import { randomBytes } from '../../../process/random.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { userRow } from '../../users/user.parts.ts'
import {
  CATEGORY_RULES,
  guessCategory,
  isProcessed,
  type MediaCategory,
  mediaKeyOf,
  type StoredType,
} from '../categories.ts'
import {
  segmentPut,
  segmentsArrange,
  type UploadRow,
  uploadInsert,
  uploadLock,
  uploadOf,
  uploadWait,
} from '../media.statements.ts'
import { probeMedia, VIDEO_SECONDS } from '../probing/probe-media.ts'
import { bytesInMemory, type MediaBytes, type MediaShape } from '../probing/probed.ts'
import { storedBytes } from '../stored-bytes.ts'
import { processSoon } from './process-media.ts'
import { storeShape } from './store-shape.ts'

/** An upload expires after this time while segments are sent, and after this time once it is complete. */
const SENDING_S = 1_295_999
const COMPLETE_S = 86_400
export const MAX_SEGMENT_BYTES = 5 * 1024 * 1024
const MAX_OWNERS = 100

/** What a client declares about an upload. */
interface UploadPlan {
  mediaType: string | undefined
  category: MediaCategory | undefined
  totalBytes: number
  shared: boolean
  additionalOwners: readonly string[]
}

/** A plan that was checked. */
interface CheckedPlan extends UploadPlan {
  category: MediaCategory
}

/** Starts an upload. */
export async function beginUpload(runtime: Runtime, userId: string, plan: UploadPlan): Promise<UploadRow> {
  return insertUpload(runtime, runtime.database, userId, await checkPlan(runtime, userId, plan, 'total_bytes'))
}

async function checkPlan(
  runtime: Runtime,
  userId: string,
  plan: UploadPlan,
  sizeParameter: string,
): Promise<CheckedPlan> {
  const category = plan.category ?? guessCategory(plan.mediaType ?? '')
  if (category === undefined)
    throw invalidParameter(
      'media_category',
      undefined,
      `media_category is required: it cannot be derived from the media_type [${plan.mediaType ?? ''}].`,
    )
  const rule = CATEGORY_RULES[category]
  const faults: Fault[] = []
  if (plan.mediaType !== undefined && !rule.accepts.includes(plan.mediaType))
    faults.push({
      parameters: { media_type: [plan.mediaType] },
      message: say`The media_type [${plan.mediaType}] cannot be used with the media_category ${named(category)}, which accepts [${rule.accepts.join(', ')}].`,
    })
  if (plan.totalBytes < 1 || plan.totalBytes > rule.maxBytes)
    faults.push({
      parameters: { [sizeParameter]: sizeParameter === 'total_bytes' ? [String(plan.totalBytes)] : [] },
      message: say`The media item has ${plan.totalBytes} bytes, but one of the media_category ${named(category)} can have 1 to ${rule.maxBytes}.`,
    })
  if (faults.length > 0) throw invalidRequest(faults)
  return { ...plan, category, additionalOwners: await checkOwners(runtime, userId, plan.additionalOwners) }
}

async function insertUpload(runtime: Runtime, db: Db, userId: string, plan: CheckedPlan): Promise<UploadRow> {
  const id = runtime.ids.next()
  const now = runtime.clock.now()
  return (await uploadInsert.first(
    db,
    id,
    mediaKeyOf(plan.category, id),
    userId,
    plan.additionalOwners,
    plan.shared,
    plan.category,
    CATEGORY_RULES[plan.category].type,
    plan.mediaType ?? null,
    String(plan.totalBytes),
    randomBytes(12).toString('base64url'),
    new Date(now + SENDING_S * 1000),
    new Date(now),
  ))!
}

async function checkOwners(runtime: Runtime, userId: string, given: readonly string[]): Promise<string[]> {
  const ids = [...new Set(given)].filter((id) => id !== userId)
  if (ids.length > MAX_OWNERS)
    throw invalidRequest([
      {
        parameters: { additional_owners: [...given] },
        message: `additional_owners can name at most ${MAX_OWNERS} users.`,
      },
    ])
  const storable = ids.filter(isStorableId)
  const known = storable.length === 0 ? new Map() : await runtime.parts.many(userRow, storable)
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0)
    throw invalidRequest([
      { parameters: { additional_owners: unknown }, message: `There are no users [${unknown.join(', ')}].` },
    ])
  return ids
}

const noUpload = (parameter: string, id: string) => objectNotFound(resourceNotFound('media', parameter, id))

// An expired upload is gone for everybody, even before it is removed.
const isExpired = (row: UploadRow, now: number): boolean =>
  row.post_uses === 0 && !row.kept && row.expires_at.getTime() <= now

/** An upload of a user. One that does not exist, has expired or belongs to another user is not found. */
export async function findUpload(runtime: Runtime, userId: string, id: string, parameter: string): Promise<UploadRow> {
  const row = isStorableId(id) ? await uploadOf.first(runtime.database, id, userId) : undefined
  if (!row || isExpired(row, runtime.clock.now())) throw noUpload(parameter, id)
  return row
}

async function lockUpload(runtime: Runtime, tx: Tx, userId: string, id: string): Promise<UploadRow> {
  const row = isStorableId(id) ? await uploadLock.first(tx, id, userId) : undefined
  if (!row || isExpired(row, runtime.clock.now())) throw noUpload('id', id)
  return row
}

/** Refuses a segment that is empty or too large. */
export function checkSegment(bytes: Buffer): void {
  if (bytes.length < 1 || bytes.length > MAX_SEGMENT_BYTES)
    throw invalidParameter(
      'media',
      undefined,
      `A segment can have 1 to ${MAX_SEGMENT_BYTES} bytes; this one has ${bytes.length}.`,
    )
}

/** Stores a segment of an upload. */
export async function appendSegment(
  runtime: Runtime,
  userId: string,
  id: string,
  segment: number,
  bytes: Buffer,
): Promise<UploadRow> {
  checkSegment(bytes)
  return change(runtime, async (tx) => {
    const row = await lockUpload(runtime, tx, userId, id)
    if (row.status !== 'uploading')
      throw invalidParameter('id', id, `The upload [${id}] is finished and accepts no more segments.`)
    const { received_bytes: received } = (await segmentPut.first(tx, id, segment, bytes.length, bytes))!
    if (Number(received) > Number(row.total_bytes))
      throw invalidParameter(
        'segment_index',
        String(segment),
        `With this segment the upload has ${received} bytes, more than its total_bytes of ${row.total_bytes}.`,
      )
    return row
  })
}

/** Finishes an upload, which must be complete. Videos and GIFs are processed next; other types are ready. */
export async function finishUpload(runtime: Runtime, userId: string, id: string): Promise<UploadRow> {
  const row = await change(runtime, async (tx) => {
    const upload = await lockUpload(runtime, tx, userId, id)
    // A client repeats the request when it missed the first answer.
    if (upload.status !== 'uploading') return upload
    const { bytes, missing, segments } = (await segmentsArrange.first(tx, id))!
    if (missing !== null) throw invalidParameter('id', id, `Segment ${missing} of the upload [${id}] is missing.`)
    if (bytes !== upload.total_bytes)
      throw invalidParameter(
        'id',
        id,
        `The upload [${id}] has ${bytes} bytes in ${segments} segments, but its total_bytes is ${upload.total_bytes}.`,
      )
    if (isProcessed(upload.type as StoredType)) return (await uploadWait.first(tx, id, completeUntil(runtime)))!
    const whole = storedBytes(tx, id, Number(bytes))
    const shape = await probeOrRefuse(whole, upload.category as MediaCategory, upload.media_type)
    return (await storeShape(runtime, tx, upload, shape, completeUntil(runtime)))!
  })
  if (row.status === 'waiting') processSoon(runtime, row.id)
  return row
}

/** Stores a picture or subtitles that come in one request. */
export async function uploadWhole(
  runtime: Runtime,
  userId: string,
  plan: Omit<UploadPlan, 'totalBytes'>,
  bytes: Buffer,
): Promise<UploadRow> {
  const category = plan.category ?? guessCategory(plan.mediaType ?? '') ?? 'post_image'
  const checked = await checkPlan(runtime, userId, { ...plan, category, totalBytes: bytes.length }, 'media')
  const shape = await probeOrRefuse(bytesInMemory(bytes), category, plan.mediaType ?? null)
  return change(runtime, async (tx) => {
    const upload = await insertUpload(runtime, tx, userId, checked)
    await segmentPut.first(tx, upload.id, 0, bytes.length, bytes)
    await segmentsArrange.first(tx, upload.id)
    return (await storeShape(runtime, tx, upload, shape, completeUntil(runtime)))!
  })
}

const completeUntil = (runtime: Runtime): Date => new Date(runtime.clock.now() + COMPLETE_S * 1000)

async function probeOrRefuse(
  bytes: MediaBytes,
  category: MediaCategory,
  mediaType: string | null,
): Promise<MediaShape> {
  const probed = await probeMedia(bytes, { type: CATEGORY_RULES[category].type, mediaType, maxSeconds: VIDEO_SECONDS })
  if (!probed.shape) throw invalidParameter('media', undefined, probed.fault.message)
  return probed.shape
}
