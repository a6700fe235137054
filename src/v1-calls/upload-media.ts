import type { Runtime } from '../api-kit/runtime.ts'
import { Problem } from '../api-kit/writing/problem.ts'
import { legacyNaming } from '../legacy-words.ts'
import {
  CATEGORY_RULES,
  guessCategory,
  MEDIA_CATEGORIES,
  type MediaCategory,
  UPLOAD_MEDIA_TYPES,
} from '../social/media/categories.ts'
import { mediaFactsById, type UploadRow } from '../social/media/media.statements.ts'
import { describeUpload } from '../social/media/uploading/describe-upload.ts'
import {
  appendSegment,
  beginUpload,
  findUpload,
  finishUpload,
  MAX_SEGMENT_BYTES,
  uploadWhole,
} from '../social/media/uploading/upload.ts'
import type { V1Object } from '../social/v1/v1-json.ts'
import { defineV1Operation, type V1Answer, type V1Input } from './v1-operation.ts'
import type { V1Params } from './v1-params.ts'
import { invalidMedia, invalidParameterCode, missingParameter, sentenceOf } from './v1-problems.ts'

/** The largest GIF in base64, with the other parts of the form. */
const BODY_LIMIT = 24 * 1024 * 1024
const MAX_BYTES = 17_179_869_184
const MAX_SEGMENTS = 1_000

const COMMAND_PARAMS = {
  command: '`INIT`, `APPEND`, `FINALIZE`; without it, the media item is uploaded in this request',
  media: 'The bytes, as a part of a multipart form',
  media_data: 'The bytes in base64',
  media_id: 'The upload, for `APPEND` and `FINALIZE`',
  media_type: 'The type of the file, for `INIT`',
  media_category: 'What the media item is for',
  total_bytes: 'The size of the file, for `INIT`',
  segment_index: 'The number of the segment, from 0 to 999, for `APPEND`',
  additional_owners: 'Up to 100 ids of users who may use it, with commas between them',
  shared: 'Whether messages to several users may use it',
}

export const v1UploadMedia = defineV1Operation({
  id: 'v1UploadMedia',
  route: 'POST /1.1/media/upload.json',
  tag: 'Media',
  summary: 'Upload a picture in one request, or with `command` take a step of an upload in segments',
  limit: { app: '180000/24h', user: '1875/15m' },
  params: COMMAND_PARAMS,
  bodyAsForm: true,
  bodyLimit: BODY_LIMIT,
  handle: (input) => {
    const command = input.params.text('command')
    const step = command === undefined ? uploadAtOnce : COMMANDS[command.toUpperCase()]
    if (!step) throw invalidParameterCode('command', ` It must be one of [${Object.keys(COMMANDS).join(', ')}].`)
    return withMediaCodes(() => step(input, input.caller.user!.id))
  },
})

export const v1MediaStatus = defineV1Operation({
  id: 'v1MediaStatus',
  route: 'GET /1.1/media/upload.json',
  tag: 'Media',
  summary: 'Get the status of an upload',
  level: 'read-write',
  limit: { app: '100000/24h', user: '1000/15m' },
  params: { command: '`STATUS`', media_id: 'The upload' },
  handle: ({ params, caller, runtime }) => {
    if (params.required('command').toUpperCase() !== 'STATUS')
      throw invalidParameterCode('command', ' It must be STATUS.')
    const id = params.required('media_id')
    return withMediaCodes(async () => answer(runtime, await findUpload(runtime, caller.user!.id, id, 'media_id')))
  },
})

type Step = (input: V1Input, userId: string) => Promise<V1Answer>

const COMMANDS: Record<string, Step> = {
  INIT: async ({ params, runtime }, userId) => {
    const row = await beginUpload(runtime, userId, {
      mediaType: readMediaType(params.required('media_type')),
      category: readCategory(params),
      totalBytes: params.number('total_bytes', { min: 0, max: MAX_BYTES }),
      ...readSharing(params),
    })
    return answer(runtime, row, 202)
  },
  APPEND: async (input, userId) => {
    const { params, runtime } = input
    const id = params.required('media_id')
    const segment = params.number('segment_index', { min: 0, max: MAX_SEGMENTS - 1 })
    await appendSegment(runtime, userId, id, segment, readMedia(input))
    return { status: 204 }
  },
  FINALIZE: async ({ params, runtime }, userId) =>
    answer(runtime, await finishUpload(runtime, userId, params.required('media_id')), 201),
}

/** A picture in one request; also a GIF with several pictures, which is ready when the answer is sent. */
const uploadAtOnce: Step = async (input, userId) => {
  const { params, runtime } = input
  const bytes = readMedia(input)
  const given = readCategory(params)
  const isGif = bytes.subarray(0, 4).toString('latin1') === 'GIF8'
  const category = given ?? (isGif ? 'post_gif' : 'post_image')
  const plan = { mediaType: undefined, category, ...readSharing(params) }
  switch (CATEGORY_RULES[category].type) {
    case 'photo':
    case 'subtitles':
      return answer(runtime, await uploadWhole(runtime, userId, plan, bytes))
    case 'animated_gif': {
      const { id } = await beginUpload(runtime, userId, { ...plan, mediaType: 'image/gif', totalBytes: bytes.length })
      for (let segment = 0; segment * MAX_SEGMENT_BYTES < bytes.length; segment++) {
        const start = segment * MAX_SEGMENT_BYTES
        await appendSegment(runtime, userId, id, segment, bytes.subarray(start, start + MAX_SEGMENT_BYTES))
      }
      await finishUpload(runtime, userId, id)
      return answer(runtime, await untilProcessed(runtime, userId, id))
    }
    default:
      throw invalidMedia('A video is uploaded in segments, with the commands INIT, APPEND and FINALIZE.')
  }
}

const PROCESSING_MS = 10_000
const LOOK_AGAIN_MS = 20

/** Libraries that upload a GIF in one request do not ask for its status before they use it. */
async function untilProcessed(runtime: Runtime, userId: string, id: string): Promise<UploadRow> {
  const end = performance.now() + PROCESSING_MS
  for (;;) {
    const row = await findUpload(runtime, userId, id, 'media_id')
    if (row.status === 'failed') throw invalidMedia((row.failure as { message: string }).message)
    if (row.status === 'ready' || performance.now() > end) return row
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

function readMedia({ params, request }: V1Input): Buffer {
  const isMultipart = /^multipart\//i.test(String(request.headers['content-type'] ?? ''))
  // Bytes can only be sent in a multipart form. In others, libraries send base64 under both names.
  const name = ['media_data', ...(isMultipart ? [] : ['media'])].find((item) => params.text(item) !== undefined)
  if (name === undefined) {
    const bytes = isMultipart ? params.bytes('media') : undefined
    if (bytes === undefined) throw missingParameter('media')
    return bytes
  }
  // In a form without escapes, `+` has become a space.
  const text = params.required(name).replaceAll(' ', '+')
  if (!/^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(text)) throw invalidParameterCode(name, ' It must be base64.')
  return Buffer.from(text, 'base64')
}

function readCategory(params: V1Params): MediaCategory | undefined {
  const text = params.text('media_category')
  if (text === undefined) return undefined
  // Some libraries write the words together, with capitals.
  const name = text.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  const category = MEDIA_CATEGORIES.find((known) => known === legacyNaming.restore(name))
  if (category) return category
  const known = MEDIA_CATEGORIES.map(legacyNaming.rename).join(', ')
  throw invalidParameterCode('media_category', ` It must be one of [${known}].`)
}

/** Libraries send this name for JPEG, though it is not registered. */
const OTHER_TYPES: Record<string, string> = { 'image/jpg': 'image/jpeg' }

function readMediaType(text: string): string {
  const type = text.toLowerCase().split(';', 1)[0]!.trim()
  const known = UPLOAD_MEDIA_TYPES.find((item) => item === (OTHER_TYPES[type] ?? type))
  if (known && guessCategory(known)) return known
  throw invalidMedia(`media type unrecognized: [${text}] is not one of [${UPLOAD_MEDIA_TYPES.join(', ')}].`)
}

const readSharing = (params: V1Params) => ({
  shared: params.flag('shared'),
  additionalOwners: (params.text('additional_owners') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== ''),
})

/** The code of version 1.1 for what the uploads of version 2 refuse. */
async function withMediaCodes(work: () => Promise<V1Answer>): Promise<V1Answer> {
  try {
    return await work()
  } catch (error) {
    const isMedia = error instanceof Problem && (error.status === 404 || error.body.type === 'invalid-request')
    throw isMedia ? invalidMedia(sentenceOf(error, legacyNaming)) : error
  }
}

async function answer(runtime: Runtime, row: UploadRow, status = 200): Promise<V1Answer> {
  const { id, ...upload } = describeUpload(row, runtime.clock.now())
  const [facts] = row.status === 'uploading' ? [] : await mediaFactsById.all(runtime.database, [row.id])
  return {
    status,
    body: {
      media_id: BigInt(id),
      media_id_string: id,
      ...(upload as V1Object),
      ...(facts ? describeFile(facts, row) : {}),
    },
  }
}

function describeFile(
  { type, content_type: contentType, width, height }: { type: string; content_type: string | null } & V1Size,
  row: UploadRow,
): V1Object {
  const known = contentType ?? row.media_type
  if (type === 'video') return { video: { video_type: known } }
  return type === 'subtitles' ? {} : { image: { image_type: known, w: width ?? undefined, h: height ?? undefined } }
}

interface V1Size {
  width: number | null
  height: number | null
}
