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
// Only accepted formats are parsed.
disableTypes(types.filter((type) => !(type in CONTENT_TYPES)))

const MOST_PIXELS_A_SIDE = 8_192

/** Determines the format and size of a still picture from its bytes. */
export function probeImage(bytes: Buffer): Probed {
  let found: ReturnType<typeof imageSize>
  try {
    found = imageSize(bytes)
  } catch {
    return unsupportedMedia('The file is not a JPEG, PNG, WEBP, GIF, BMP or TIFF picture.')
  }
  const contentType = CONTENT_TYPES[found.type ?? '']
  if (contentType === undefined || found.width < 1 || found.height < 1)
    return invalidMedia('The size of the picture could not be read.')
  // Whoever shows the picture allocates what its header says, however small the file is.
  if (found.width > MOST_PIXELS_A_SIDE || found.height > MOST_PIXELS_A_SIDE)
    return invalidMedia(
      `The picture has ${found.width}×${found.height} pixels; it can have at most ${MOST_PIXELS_A_SIDE}×${MOST_PIXELS_A_SIDE}.`,
    )
  if (!isComplete(contentType, bytes)) return invalidMedia('The file is not a complete picture.')
  if (contentType === 'image/gif' && (readGif(bytes)?.frames ?? 0) > 1)
    return unsupportedMedia('A GIF with more than one frame needs the media_category of an animated GIF.')
  // Orientations from the fifth on rotate the picture by 90 degrees.
  const isRotated = (found.orientation ?? 1) >= 5
  const [width, height] = isRotated ? [found.height, found.width] : [found.width, found.height]
  return { shape: { contentType, width, height } }
}

/** Checks the end of the formats that mark it: a truncated upload is not a complete picture. */
function isComplete(contentType: string, bytes: Buffer): boolean {
  if (contentType === 'image/png') return bytes.includes('IEND', bytes.length > 4096 ? -4096 : 0, 'latin1')
  if (contentType === 'image/jpeg') return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0
  if (contentType === 'image/webp') return bytes.readUInt32LE(4) + 8 <= bytes.length
  if (contentType === 'image/gif') return readGif(bytes) !== undefined
  return true
}
