/** What the bytes of a media item show. */
export interface MediaShape {
  contentType: string
  width?: number
  height?: number
  durationMs?: number
  bitRate?: number
  /** How many bytes of an animated GIF contain its first frame. */
  firstFrameBytes?: number
}

/** Why bytes cannot be used, as the status of an upload shows it. */
interface MediaFault {
  code: number
  name: string
  message: string
}

export type Probed = { shape: MediaShape; fault?: undefined } | { shape?: undefined; fault: MediaFault }

/** The bytes are not valid. */
export const invalidMedia = (message: string): Probed => ({ fault: { code: 1, name: 'InvalidMedia', message } })

/** The bytes may be valid, but their format is not accepted. */
export const unsupportedMedia = (message: string): Probed => ({ fault: { code: 3, name: 'UnsupportedMedia', message } })

/** Bytes that are read in ranges. */
export interface MediaBytes {
  size: number
  read(from: number, length: number): Promise<Buffer>
}

export const bytesInMemory = (bytes: Buffer): MediaBytes => ({
  size: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
})
