/** What the bytes of a media show. */
export interface MediaShape {
  contentType: string
  width?: number
  height?: number
  durationMs?: number
  bitRate?: number
  /** How many bytes of a moving picture are its first frame. */
  firstFrameBytes?: number
}

/** Why bytes can not be used, as the status of an upload tells it. */
interface MediaFault {
  code: number
  name: string
  message: string
}

export type Probed = { shape: MediaShape; fault?: undefined } | { shape?: undefined; fault: MediaFault }

/** The bytes are not what they should be. */
export const invalidMedia = (message: string): Probed => ({ fault: { code: 1, name: 'InvalidMedia', message } })

/** The bytes may be right but are of a kind that is not taken. */
export const unsupportedMedia = (message: string): Probed => ({ fault: { code: 3, name: 'UnsupportedMedia', message } })

/** Bytes that are read a part at a time. */
export interface MediaBytes {
  size: number
  read(from: number, length: number): Promise<Buffer>
}

export const bytesInMemory = (bytes: Buffer): MediaBytes => ({
  size: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
})
