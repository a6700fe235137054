import type { Readable } from 'node:stream'
import { defineStreamingEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { attemptBegin, jobToUpload, segmentAdd, uploadEnd } from './compliance.statements.ts'
import { checkAddress } from './signed-address.ts'

const SEGMENT_BYTES = 256 * 1024
/** About twelve million ids. */
const MOST_BYTES = 256 * 1024 * 1024

/** An upload in progress: where its next byte belongs. */
interface Upload {
  jobId: string
  attempt: number
  received: number
}

const plain = (status: number, headers: Record<string, string> = {}) =>
  new Answer('', { status, contentType: 'text/plain; charset=utf-8', headers })

/** Where a resumable upload continues. */
const incomplete = (received: number): Answer => plain(308, received > 0 ? { range: `bytes=0-${received - 1}` } : {})

const anotherUpload = () => blank(409, 'Another upload of this compliance job has begun.')

async function findUpload(runtime: Runtime, id: string) {
  const job = await jobToUpload.first(runtime.database, id)
  if (!job) throw blank(404, 'The compliance job does not exist any more.')
  if (job.status !== 'created') throw blank(409, 'The ids of this compliance job have been uploaded already.')
  return job
}

/** Stores the bytes of a request in segments, one at a time: the client is read as fast as the database takes them. */
async function store(runtime: Runtime, upload: Upload, body: Readable, most: number): Promise<void> {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const flush = async () => {
    if (waitingBytes === 0) return
    const bytes = Buffer.concat(waiting)
    const { jobId, attempt, received } = upload
    if (!(await segmentAdd.first(runtime.database, jobId, attempt, String(received), bytes.length, bytes)))
      throw anotherUpload()
    upload.received += bytes.length
    waiting = []
    waitingBytes = 0
  }
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (upload.received + waitingBytes > most) throw blank(413, `The upload is larger than ${most} bytes.`)
      if (waitingBytes >= SEGMENT_BYTES) await flush()
    }
  } catch (error) {
    // The client has gone: what came so far is kept, so a resumable upload can continue.
    if (body.errored || body.destroyed) await flush()
    throw error
  }
  await flush()
}

interface ByteRange {
  /** Undefined when the request only asks how much was received. */
  from: number | undefined
  to: number
  total: number
}

function readRange(header: string): ByteRange {
  const found = /^bytes (?:\*|(\d{1,12})-(\d{1,12}))\/(\d{1,12})$/.exec(header)
  const [, from, to, total] = found ?? []
  const isValid =
    found &&
    (from === undefined || (Number(from) <= Number(to) && Number(to) < Number(total))) &&
    Number(total) <= MOST_BYTES
  if (!isValid)
    throw invalidParameter(
      'content-range',
      header,
      `The header content-range must be \`bytes <first>-<last>/<total>\` or \`bytes */<total>\`, with a total of at most ${MOST_BYTES}`,
    )
  return { from: from === undefined ? undefined : Number(from), to: Number(to), total: Number(total) }
}

async function uploadPart(runtime: Runtime, id: string, range: ByteRange, body: Readable): Promise<Answer> {
  const job = await findUpload(runtime, id)
  if (!job.resumable)
    throw blank(400, 'This compliance job was not created as resumable. Upload the whole file in one request.')
  const upload = { jobId: id, attempt: job.upload_attempt, received: Number(job.received_bytes) }
  if (range.from !== undefined && range.from !== upload.received) {
    body.resume()
    return incomplete(upload.received)
  }
  if (range.from !== undefined) await store(runtime, upload, body, range.to + 1)
  if (upload.received < range.total) return incomplete(upload.received)
  await uploadEnd.count(runtime.database, id, upload.attempt)
  return plain(200)
}

async function uploadWhole(runtime: Runtime, id: string, body: Readable): Promise<Answer> {
  await findUpload(runtime, id)
  const attempt = await attemptBegin.first(runtime.database, id)
  if (!attempt) throw anotherUpload()
  await store(runtime, { jobId: id, attempt: attempt.upload_attempt, received: 0 }, body, MOST_BYTES)
  if ((await uploadEnd.count(runtime.database, id, attempt.upload_attempt)) === 0) throw anotherUpload()
  return plain(200)
}

/** PUT: one id a line. A resumable job also accepts parts, with the header content-range as storage services know it. */
const uploadIds = defineStreamingEndpoint(
  'uploadComplianceIds',
  'PUT /compliance/jobs/{id}/upload',
  async (request, runtime, { path, stream }) => {
    checkAddress(runtime, 'upload', path.id!, request.rawQuery)
    const range = request.headers['content-range']
    if (range === undefined) return uploadWhole(runtime, path.id!, stream)
    return uploadPart(runtime, path.id!, readRange(String(range)), stream)
  },
)

/** POST with `x-goog-resumable: start`, as client libraries of storage services begin: the address stays the same. */
const startUpload = defineStreamingEndpoint(
  'startComplianceUpload',
  'POST /compliance/jobs/{id}/upload',
  async (request, runtime, { path, stream }) => {
    stream.resume()
    checkAddress(runtime, 'upload', path.id!, request.rawQuery)
    const { resumable } = await findUpload(runtime, path.id!)
    if (!resumable) throw blank(400, 'This compliance job was not created as resumable.')
    return plain(201, { location: `${request.baseUrl}${request.path}?${request.rawQuery}` })
  },
)

export const complianceUploads: Endpoint[] = [uploadIds, startUpload]
