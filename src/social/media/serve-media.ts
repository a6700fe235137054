import { timingSafeEqual } from 'node:crypto'
import { defineEndpoint, withHead } from '../../api-kit/declaring/endpoint.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer, BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'
import { extensionOf, isMessageMedia, PLAYLIST } from './categories.ts'
import { drawPoster } from './draw-poster.ts'
import { bytesInMemory, type MediaBytes } from './probing/probed.ts'
import { bytesBetween, storedBytes } from './stored-bytes.ts'

const mediaToServe = statement(
  'media_to_serve',
  {
    id: 'int8',
    type: 'text',
    address_key: 'text',
    content_type: 'text?',
    received_bytes: 'int8',
    width: 'int4?',
    height: 'int4?',
    duration_ms: 'int4?',
    first_frame_bytes: 'int4?',
    expires_at: 'timestamptz?',
  },
  `select id, type, address_key, content_type, received_bytes, width, height, duration_ms, first_frame_bytes,
          case when post_uses = 0 and not kept then expires_at end as expires_at
     from media where media_key = $1 and status = 'ready'`,
)

/** Clients ask for a size by the end of the name. A picture is stored in one size. */
const SIZE = /:(?:thumb|small|medium|large|orig)$/

const GIF_END = Buffer.from([0x3b])

/** A file of a media item: the item itself, its preview, or its playlist. */
export interface MediaFile {
  bytes: MediaBytes
  contentType: string
  tag: string
}

/** The file of a media item with a name. The name contains a part that cannot be guessed. */
export async function findMediaFile(runtime: Runtime, mediaKey: string, name: string): Promise<MediaFile | undefined> {
  const named = /^([\w-]{16})(-preview)?\.(\w+)$/.exec(name)
  const row = named && (await mediaToServe.first(runtime.database, mediaKey))
  const isExpired = row && row.expires_at !== null && row.expires_at.getTime() <= runtime.clock.now()
  if (!named || !row || isExpired || !timingSafeEqual(Buffer.from(named[1]!), Buffer.from(row.address_key)))
    return undefined
  const [, , isPreview, extension] = named
  if (extension === PLAYLIST.extension && row.type === 'video' && !isPreview) {
    const playlist = playlistOf(row.address_key, row.content_type ?? '', row.duration_ms ?? 0)
    return { bytes: bytesInMemory(playlist), contentType: PLAYLIST.contentType, tag: `${row.address_key}-l` }
  }
  const bytes = storedBytes(runtime.database, row.id, Number(row.received_bytes))
  if (!isPreview) return { bytes, contentType: row.content_type ?? 'application/octet-stream', tag: row.address_key }
  const tag = `${row.address_key}-p`
  if (row.type === 'animated_gif') {
    const frame = await bytes.read(0, row.first_frame_bytes ?? 0)
    return { bytes: bytesInMemory(Buffer.concat([frame, GIF_END])), contentType: 'image/gif', tag }
  }
  if (row.type !== 'video') return undefined
  return { bytes: bytesInMemory(drawPoster(row.width ?? 1, row.height ?? 1)), contentType: 'image/png', tag }
}

/**
 * GET /media/{media_key}/{name}: the bytes of a media item, or its preview. The name cannot be guessed, so the url itself is the
 * permission: browsers load media without credentials. What is in messages is only downloaded with credentials.
 */
export const serveMedia = withHead(
  defineEndpoint('serveMedia', 'GET /media/{media_key}/{name}', async (request, runtime, { path }) => {
    const key = path.media_key ?? ''
    const file =
      /^\d+_\d+$/.test(key) && !isMessageMedia(key)
        ? await findMediaFile(runtime, key, (path.name ?? '').replace(SIZE, ''))
        : undefined
    if (!file) throw blank(404, 'There is no such media item.')
    return answerBytes(request.headers, file.bytes, file.contentType, file.tag)
  }),
)

/** A playlist of one segment, the whole file: videos are stored as uploaded, in one quality. */
function playlistOf(addressKey: string, contentType: string, durationMs: number): Buffer {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(durationMs / 1000))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXTINF:${(durationMs / 1000).toFixed(3)},`,
    `${addressKey}.${extensionOf(contentType)}`,
    '#EXT-X-ENDLIST',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

type RequestHeaders = Record<string, string | string[] | undefined>

/** The whole, or the requested range. */
function answerBytes(
  request: RequestHeaders,
  bytes: MediaBytes,
  contentType: string,
  tag: string,
): Answer | BytesAnswer {
  const headers: Record<string, string> = {
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    // The bytes of a url never change.
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    // Whatever a file turns out to be, it does nothing on our own address when somebody opens it by itself.
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'; sandbox",
    etag: `"${tag}"`,
  }
  if (request['if-none-match'] === headers.etag) return new BytesAnswer(0, bytesBetween(bytes, 0, 0), 304, headers)
  const range = request['if-range'] === undefined || request['if-range'] === headers.etag ? request.range : undefined
  const requested = readByteRange(range as string | undefined, bytes.size)
  if (requested === 'unsatisfiable')
    return new Answer('', {
      status: 416,
      contentType: 'text/plain; charset=utf-8',
      headers: { 'content-range': `bytes */${bytes.size}` },
    })
  if (!requested) return new BytesAnswer(bytes.size, bytesBetween(bytes, 0, bytes.size), 200, headers)
  const [from, to] = requested
  headers['content-range'] = `bytes ${from}-${to - 1}/${bytes.size}`
  return new BytesAnswer(to - from, bytesBetween(bytes, from, to), 206, headers)
}

/** The first byte and the byte after the last. Several ranges, and what is not a range, mean the whole. */
function readByteRange(
  range: string | undefined,
  size: number,
): [from: number, to: number] | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '')
  if (!found || (found[1] === '' && found[2] === '')) return undefined
  const isTail = found[1] === ''
  const from = isTail ? Math.max(0, size - Number(found[2])) : Number(found[1])
  const to = isTail || found[2] === '' ? size : Math.min(size, Number(found[2]) + 1)
  if (!isTail && found[2] !== '' && Number(found[2]) < Number(found[1])) return undefined
  return from >= size || from >= to ? 'unsatisfiable' : [from, to]
}
