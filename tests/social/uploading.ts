import type { TestAnswer, TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

/** Sends a multipart form as a signed user; buffers become parts with bytes. */
export async function sendForm(
  server: TestServer,
  path: string,
  parts: Record<string, string | Buffer>,
  user = 'alice',
): Promise<TestAnswer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    form.append(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]))
  const url = server.baseUrl + path
  const headers = { authorization: sign('POST', url, server.keysOf(user)) }
  const answer = await fetch(url, { method: 'POST', headers, body: form })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
}

/** Uploads a picture or subtitles in one request. */
export async function uploadWhole(server: TestServer, bytes: Buffer, category = 'post_image', user = 'alice') {
  const answer = await sendForm(server, '/2/media/upload', { media: bytes, media_category: category }, user)
  if (answer.status !== 200) throw new Error(`upload refused: ${answer.status} ${answer.text}`)
  return answer.body.data as { id: string; media_key: string; size: number; expires_after_secs: number }
}

export interface Plan {
  type?: string
  category?: string
  user?: string
  segmentBytes?: number
  owners?: string[]
}

/** Sends all segments of an upload, without finishing it. */
export async function sendSegments(server: TestServer, bytes: Buffer, plan: Plan = {}): Promise<string> {
  const { type = 'video/mp4', category, user = 'alice', segmentBytes = 4 * 1024 * 1024, owners } = plan
  const begun = await server.post(
    '/2/media/upload/initialize',
    { media_type: type, total_bytes: bytes.length, media_category: category, additional_owners: owners },
    { user },
  )
  if (begun.status !== 200) throw new Error(`upload refused: ${begun.status} ${begun.text}`)
  const { id } = begun.body.data
  for (let segment = 0; segment * segmentBytes < bytes.length; segment++) {
    const media = bytes.subarray(segment * segmentBytes, (segment + 1) * segmentBytes)
    const sent = await sendForm(server, `/2/media/upload/${id}/append`, { segment_index: String(segment), media }, user)
    if (sent.status !== 200) throw new Error(`segment refused: ${sent.status} ${sent.text}`)
  }
  return id
}

/** The final state of an upload that is processed. */
export async function settled(server: TestServer, id: string, user = 'alice') {
  for (;;) {
    const { body } = await server.get(`/2/media/upload?command=STATUS&media_id=${id}`, { user })
    if (!['pending', 'in_progress'].includes(body.data.processing_info?.state)) return body.data
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Uploads in segments and waits for the end of processing. */
export async function uploadSegments(server: TestServer, bytes: Buffer, plan: Plan = {}) {
  const id = await sendSegments(server, bytes, plan)
  const ended = await server.request('POST', `/2/media/upload/${id}/finalize`, { as: { user: plan.user ?? 'alice' } })
  if (ended.status !== 200) throw new Error(`finalize refused: ${ended.status} ${ended.text}`)
  return settled(server, id, plan.user)
}
