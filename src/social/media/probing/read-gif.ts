/** What a GIF contains. */
interface Gif {
  width: number
  height: number
  frames: number
  durationMs: number
  /** Where the first frame ends. */
  firstFrameBytes: number
}

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9

/** Reads the blocks of a GIF; undefined when they do not lead to its end. */
export function readGif(bytes: Buffer): Gif | undefined {
  const isGif = /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) && bytes.length > 13
  if (!isGif) return undefined
  const gif = {
    width: bytes.readUInt16LE(6),
    height: bytes.readUInt16LE(8),
    frames: 0,
    durationMs: 0,
    firstFrameBytes: 0,
  }
  let at = 13 + colourBytes(bytes[10]!)
  while (at < bytes.length) {
    const kind = bytes[at]!
    if (kind === TRAILER) return gif.frames > 0 ? gif : undefined
    if (kind === EXTENSION) {
      // The duration of the next frame in hundredths of a second.
      if (bytes[at + 1] === GRAPHIC_CONTROL && at + 6 <= bytes.length) gif.durationMs += bytes.readUInt16LE(at + 4) * 10
      at = blocksEnd(bytes, at + 2)
    } else if (kind === IMAGE && at + 10 < bytes.length) {
      at = blocksEnd(bytes, at + 11 + colourBytes(bytes[at + 9]!))
      gif.frames += 1
      if (gif.frames === 1) gif.firstFrameBytes = at
    } else return undefined
  }
  return undefined
}

const colourBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** The end of a chain of blocks, each preceded by its length, the last of length 0. */
function blocksEnd(bytes: Buffer, start: number): number {
  let at = start
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1
  return at + 1
}
