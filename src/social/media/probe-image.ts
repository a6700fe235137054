import { disableTypes, imageSize, types } from 'image-size'
import { invalidMedia, type Probed, unsupportedMedia } from './probed.ts'
import { readGif } from './read-gif.ts'

const CONTENT_TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  gif: 'image/gif',
}
// Nothing that is not taken is looked into.
disableTypes(types.filter((type) => !(type in CONTENT_TYPES)))

/** Finds what a still picture is, by its bytes. */
export function probeImage(bytes: Buffer): Probed {
  let found: ReturnType<typeof imageSize>
  try {
    found = imageSize(bytes)
  } catch {
    return unsupportedMedia('The bytes are no JPEG, PNG, WEBP, GIF, BMP or TIFF picture.')
  }
  const contentType = CONTENT_TYPES[found.type ?? '']
  if (contentType === undefined || found.width < 1 || found.height < 1)
    return invalidMedia('The picture has no size that could be read.')
  if (!isWhole(contentType, bytes)) return invalidMedia('The picture ends before its end.')
  if (contentType === 'image/gif' && (readGif(bytes)?.frames ?? 0) > 1)
    return unsupportedMedia('A GIF with more than one frame needs the media_category of an animated GIF.')
  // From the fifth on, orientations lay the picture on its side.
  const isTurned = (found.orientation ?? 1) >= 5
  const [width, height] = isTurned ? [found.height, found.width] : [found.width, found.height]
  return { shape: { contentType, width, height } }
}

/** The formats whose end can be known are looked at there: an upload that lost its tail is no picture. */
function isWhole(contentType: string, bytes: Buffer): boolean {
  if (contentType === 'image/png') return bytes.includes('IEND', bytes.length > 4096 ? -4096 : 0, 'latin1')
  if (contentType === 'image/jpeg') return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0
  if (contentType === 'image/webp') return bytes.readUInt32LE(4) + 8 <= bytes.length
  if (contentType === 'image/gif') return readGif(bytes) !== undefined
  return true
}
