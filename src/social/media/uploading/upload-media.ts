import { defineOperation, userOf } from '../../../api-kit/declaring/operation.ts'
import { csv, textParameter, wholeNumber } from '../../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../../api-kit/declaring/reply.ts'
import { closed, component, Type, words } from '../../../api-kit/declaring/schema.ts'
import { Answer } from '../../../api-kit/writing/answer.ts'
import { named, say } from '../../../api-kit/writing/problem.ts'
import { type Fault, invalidParameter, invalidRequest } from '../../../api-kit/writing/problems.ts'
import { MediaId, MediaKey, UserId } from '../../ids.ts'
import { MEDIA_CATEGORIES, type MediaCategory, ONE_SHOT_CATEGORIES, UPLOAD_MEDIA_TYPES } from '../categories.ts'
import type { UploadRow } from '../media.statements.ts'
import { describeUpload } from './describe-upload.ts'
import { appendSegment, beginUpload, findUpload, finishUpload, uploadWhole } from './upload.ts'

const auth = { oauth1: true, oauth2: ['media.write'] }
const optional = Type.Optional
/** A segment or a picture in base64, with the other members of the body. */
const BODY_LIMIT = 8 * 1024 * 1024
const MAX_BYTES = 17_179_869_184
const MAX_SEGMENTS = 1_000

const Category = component('MediaCategory', words(MEDIA_CATEGORIES))
const Owners = Type.Array(UserId)
const Bytes = component('MediaPayloadByte', Type.String({ format: 'byte' }))
/** Bytes in a form, or base64. */
export const Payload = Type.Unsafe<string>({
  anyOf: [component('MediaPayloadBinary', Type.String({ format: 'binary' })), Bytes],
})
export const SegmentIndex = component(
  'MediaSegments',
  Type.Unsafe<number | string>({
    oneOf: [
      Type.Integer({ minimum: 0, maximum: 999, format: 'int32' }),
      Type.String({ pattern: '^[0-9]{1,3}$', format: 'integer' }),
    ],
  }),
)
const MediaType = words(UPLOAD_MEDIA_TYPES)

const ProcessingInfo = component(
  'ProcessingInfo',
  Type.Object({
    check_after_secs: optional(Type.Integer({ format: 'int32' })),
    error: optional(Type.Object({ code: Type.Integer(), message: Type.String(), name: Type.String() })),
    progress_percent: optional(Type.Integer({ format: 'int32' })),
    state: optional(words(['succeeded', 'in_progress', 'pending', 'failed'])),
  }),
)
const UploadReply = component(
  'MediaUploadResponse',
  Type.Object({
    data: optional(
      Type.Object({
        expires_after_secs: optional(Type.Integer({ format: 'int32' })),
        id: optional(MediaId),
        media_key: optional(MediaKey),
        processing_info: optional(ProcessingInfo),
        size: optional(Type.Integer({ format: 'int32' })),
      }),
    ),
    errors: ErrorsSchema,
  }),
)

export const AppendReply = component(
  'MediaUploadAppendResponse',
  Type.Object({
    data: optional(Type.Object({ expires_at: optional(Type.Integer({ format: 'int64' })) })),
    errors: ErrorsSchema,
  }),
)

export const initializeMediaUpload = defineOperation({
  id: 'initializeMediaUpload',
  route: 'POST /2/media/upload/initialize',
  tag: 'Media',
  summary: 'Start an upload in segments',
  auth,
  limit: { app: '180000/24h', user: '1875/15m' },
  body: component(
    'MediaUploadConfigRequest',
    closed({
      additional_owners: optional(Owners),
      media_category: optional(Category),
      media_type: MediaType,
      shared: optional(Type.Boolean()),
      total_bytes: Type.Integer({ minimum: 0, maximum: MAX_BYTES }),
    }),
  ),
  reply: UploadReply,
  handle: async ({ body, caller, runtime }) => {
    const row = await beginUpload(runtime, userOf(caller).id, {
      mediaType: body.media_type,
      category: body.media_category,
      totalBytes: body.total_bytes,
      shared: body.shared ?? false,
      additionalOwners: body.additional_owners ?? [],
    })
    return { data: describeUpload(row, runtime.clock.now()) }
  },
})

export const appendMediaUpload = defineOperation({
  id: 'appendMediaUpload',
  route: 'POST /2/media/upload/{id}/append',
  tag: 'Media',
  summary: 'Send a segment of an upload',
  auth,
  limit: { app: '180000/24h', user: '1875/15m' },
  path: { id: MediaId },
  body: component('MediaUploadAppendRequest', closed({ media: Payload, segment_index: SegmentIndex })),
  bodyAsForm: true,
  bodyLimit: BODY_LIMIT,
  reply: AppendReply,
  handle: async ({ path, body, caller, runtime }) => {
    const bytes = readBytes(body.media)
    return appendReply(await appendSegment(runtime, userOf(caller).id, path.id, Number(body.segment_index), bytes))
  },
})

export const finalizeMediaUpload = defineOperation({
  id: 'finalizeMediaUpload',
  route: 'POST /2/media/upload/{id}/finalize',
  tag: 'Media',
  summary: 'Finish an upload in segments',
  auth,
  limit: { app: '180000/24h', user: '1875/15m' },
  path: { id: MediaId },
  reply: UploadReply,
  handle: async ({ path, caller, runtime }) => ({
    data: describeUpload(await finishUpload(runtime, userOf(caller).id, path.id), runtime.clock.now()),
  }),
})

export const getMediaUploadStatus = defineOperation({
  id: 'getMediaUploadStatus',
  route: 'GET /2/media/upload',
  tag: 'Media',
  summary: 'Get the status of an upload',
  auth,
  limit: { app: '100000/24h', user: '1000/15m' },
  query: { media_id: textParameter(MediaId, { required: true }), command: textParameter(words(['STATUS'])) },
  reply: UploadReply,
  handle: async ({ query, caller, runtime }) => ({
    data: describeUpload(await findUpload(runtime, userOf(caller).id, query.media_id, 'media_id'), runtime.clock.now()),
  }),
})

const Command = words(['INIT', 'APPEND', 'FINALIZE'])

export const mediaUpload = defineOperation({
  id: 'mediaUpload',
  route: 'POST /2/media/upload',
  tag: 'Media',
  summary: 'Upload a picture or subtitles in one request, or with `command` take a step of an upload in segments',
  auth,
  limit: { app: '50000/24h', user: '500/15m' },
  query: {
    command: textParameter(Command),
    media_id: textParameter(MediaId),
    media_type: textParameter(MediaType),
    media_category: csv(Category, { max: 1, required: false }),
    total_bytes: wholeNumber({ min: 0, max: MAX_BYTES }),
    segment_index: wholeNumber({ min: 0, max: MAX_SEGMENTS - 1 }),
    shared: textParameter(words(['true', 'false'])),
    additional_owners: csv(UserId, { max: 100, required: false }),
  },
  body: component(
    'MediaUploadRequestOneShot',
    closed({
      additional_owners: optional(Owners),
      command: optional(Command),
      media: optional(Payload),
      media_category: optional(Category),
      media_id: optional(MediaId),
      media_type: optional(MediaType),
      segment_index: optional(SegmentIndex),
      shared: optional(Type.Boolean({ default: false })),
      total_bytes: optional(Type.Integer({ minimum: 0, maximum: MAX_BYTES })),
    }),
  ),
  bodyOptional: true,
  bodyAsForm: true,
  bodyLimit: BODY_LIMIT,
  reply: UploadReply,
  handle: async ({ query, body, caller, runtime }) => {
    const userId = userOf(caller).id
    const given = {
      command: body?.command ?? query.command,
      mediaId: body?.media_id ?? query.media_id,
      mediaType: body?.media_type ?? query.media_type,
      category: body?.media_category ?? query.media_category[0],
      totalBytes: body?.total_bytes ?? query.total_bytes,
      segment: body?.segment_index ?? query.segment_index,
      shared: body?.shared ?? query.shared === 'true',
      additionalOwners: body?.additional_owners ?? query.additional_owners,
      media: body?.media,
    }
    const answer = (row: UploadRow) => ({ data: describeUpload(row, runtime.clock.now()) })
    switch (given.command) {
      case 'INIT': {
        const { mediaType, totalBytes } = required(given, { mediaType: 'media_type', totalBytes: 'total_bytes' })
        return answer(await beginUpload(runtime, userId, { ...given, mediaType, totalBytes }))
      }
      case 'APPEND': {
        const names = { mediaId: 'media_id', segment: 'segment_index', media: 'media' } as const
        const { mediaId, segment, media } = required(given, names)
        const row = await appendSegment(runtime, userId, mediaId, Number(segment), readBytes(media))
        return new Answer(JSON.stringify(appendReply(row)))
      }
      case 'FINALIZE': {
        const { mediaId } = required(given, { mediaId: 'media_id' })
        return answer(await finishUpload(runtime, userId, mediaId))
      }
      default: {
        const { media } = required(given, { media: 'media' })
        checkOneShot(given)
        return answer(await uploadWhole(runtime, userId, given, readBytes(media)))
      }
    }
  },
})

/** The members that a step requires. The error names those that are missing. */
function required<T, N extends { [K in keyof T]?: string }>(given: T, names: N) {
  const missing = Object.entries(names).filter(([member]) => given[member as keyof T] === undefined)
  if (missing.length > 0)
    throw invalidRequest(
      missing.map(([, name]) => ({
        parameters: { [name as string]: [] },
        message: `${name} is missing but it is required`,
      })),
    )
  return given as T & { [K in keyof N & keyof T]: NonNullable<T[K]> }
}

/** Only pictures and subtitles can be uploaded in one request, and without the parameters of commands. */
function checkOneShot(given: {
  category: MediaCategory | undefined
  mediaType: string | undefined
  mediaId: string | undefined
  segment: string | number | undefined
  totalBytes: number | undefined
}): void {
  const faults: Fault[] = []
  if (given.category !== undefined && !ONE_SHOT_CATEGORIES.includes(given.category))
    faults.push({
      parameters: { media_category: [given.category] },
      message: say`In one request, the media_category must be one of [${named(ONE_SHOT_CATEGORIES.join(', '))}]; others are uploaded in segments.`,
    })
  if (given.mediaType !== undefined && !/^text\/|^image\/(?!gif$)/.test(given.mediaType))
    faults.push({
      parameters: { media_type: [given.mediaType] },
      message: `In one request, the media_type must be one of [${UPLOAD_MEDIA_TYPES.filter((type) => /^text\/|^image\/(?!gif$)/.test(type)).join(', ')}]; others are uploaded in segments.`,
    })
  const stray = { media_id: given.mediaId, segment_index: given.segment, total_bytes: given.totalBytes }
  for (const [name, value] of Object.entries(stray))
    if (value !== undefined)
      faults.push({ parameters: { [name]: [String(value)] }, message: `${name} can only be given with a command.` })
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Base64 in either alphabet, with or without padding and line breaks. */
export function readBytes(text: string): Buffer {
  if (/^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(text)) return Buffer.from(text, 'base64')
  throw invalidParameter('media', `${text.slice(0, 20)}…`, 'media must be base64, or bytes in a multipart form.')
}

const appendReply = (row: UploadRow) => ({ data: { expires_at: Math.floor(row.expires_at.getTime() / 1000) } })
