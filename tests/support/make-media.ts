import { crc32, deflateSync } from 'node:zlib'

/** A PNG of one grey, as small as it can be. */
export function makePng(width = 64, height = 48): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((width + 1) * height, 128)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named) >>> 0)])
}

/** A JPEG of one grey that decodes: every block is "no difference" and "end of block", a bit each. */
export function makeJpeg(width = 64, height = 48): Buffer {
  const segment = (marker: number, ...data: Buffer[]) => {
    const body = Buffer.concat(data)
    return Buffer.concat([Buffer.from([0xff, marker]), uint16(body.length + 2), body])
  }
  // One code of one bit for the value 0.
  const lengths = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  const bits = Math.ceil(width / 8) * Math.ceil(height / 8) * 2
  const scan = Buffer.alloc(Math.ceil(bits / 8))
  if (bits % 8 !== 0) scan[scan.length - 1] = 0xff >> (bits % 8)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0', 'latin1'), Buffer.from([1, 1, 0, 0, 1, 0, 1, 0, 0])),
    segment(0xdb, Buffer.from([0]), Buffer.alloc(64, 1)),
    segment(0xc0, Buffer.from([8]), uint16(height), uint16(width), Buffer.from([1, 1, 0x11, 0])),
    segment(0xc4, Buffer.from([0x00]), lengths),
    segment(0xc4, Buffer.from([0x10]), lengths),
    segment(0xda, Buffer.from([1, 1, 0x00, 0, 63, 0])),
    scan,
    Buffer.from([0xff, 0xd9]),
  ])
}

/** A GIF with that many frames; each frame is drawn in full, in one of two colours. */
export function makeGif(frames = 2, { width = 16, height = 12 } = {}): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  const blocks: Buffer[] = []
  for (let frame = 0; frame < frames; frame++) {
    blocks.push(Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]))
    blocks.push(Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2])]))
    blocks.push(gifPixels(width * height, frame % 2), Buffer.from([0]))
  }
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0', 'latin1'), Buffer.from([3, 1, 0, 0, 0])]),
    ...blocks,
    Buffer.from([0x3b]),
  ])
}

// Codes of three bits with a clear code after every second pixel: the table never grows.
function gifPixels(count: number, colour: number): Buffer {
  const codes: number[] = []
  for (let at = 0; at < count; at++) {
    if (at % 2 === 0) codes.push(4)
    codes.push(colour)
  }
  codes.push(5)
  const bytes = Buffer.alloc(Math.ceil((codes.length * 3) / 8))
  for (const [at, code] of codes.entries())
    for (let bit = 0; bit < 3; bit++) if (code & (1 << bit)) bytes[(at * 3 + bit) >> 3]! |= 1 << ((at * 3 + bit) & 7)
  const blocks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255)
    blocks.push(Buffer.from([block.length]), block)
  }
  return Buffer.concat(blocks)
}

export interface Mp4Facts {
  width?: number
  height?: number
  durationMs?: number
  framesPerSecond?: number
  /** Four letters of the video codec. */
  codec?: string
  /** Four letters of the sound codec; none without. */
  sound?: string
  /** Bytes of fake frames. */
  dataBytes?: number
  /** Puts the index after the data, as cameras do. */
  indexLast?: boolean
  brand?: string
}

/** An MP4 with a real index over fake frames: everything that is probed exists, nothing decodes. */
export function makeMp4({
  width = 320,
  height = 180,
  durationMs = 2000,
  framesPerSecond = 30,
  codec = 'avc1',
  sound,
  dataBytes = 1200,
  indexLast = false,
  brand = 'isom',
}: Mp4Facts = {}): Buffer {
  const frames = Math.max(1, Math.round((durationMs / 1000) * framesPerSecond))
  const head = box('ftyp', Buffer.from(`${brand}\0\0\x02\0${brand}iso2avc1mp41`, 'latin1'))
  const pictures = Buffer.alloc(dataBytes)
  for (let at = 0; at < dataBytes; at++) pictures[at] = (at * 31 + 7) & 255
  const data = box('mdat', pictures)
  const index = (dataAt: number) =>
    box(
      'moov',
      full('mvhd', uint32(0), uint32(0), uint32(1000), uint32(durationMs), Buffer.alloc(80)),
      videoTrack(dataAt),
      ...(sound === undefined ? [] : [soundTrack(sound, dataAt)]),
    )
  const videoTrack = (dataAt: number) =>
    box(
      'trak',
      full(
        'tkhd',
        uint32(0),
        uint32(0),
        uint32(1),
        uint32(0),
        uint32(durationMs),
        Buffer.alloc(16),
        IDENTITY,
        uint32(width * 65536),
        uint32(height * 65536),
      ),
      box(
        'mdia',
        mediaHead(durationMs),
        handler('vide'),
        box(
          'minf',
          full('vmhd', Buffer.alloc(8)),
          dataInfo(),
          box(
            'stbl',
            full('stsd', uint32(1), videoEntry(codec, width, height)),
            full('stts', uint32(1), uint32(frames), uint32(Math.round(durationMs / frames))),
            full('stsc', uint32(1), uint32(1), uint32(frames), uint32(1)),
            full('stsz', uint32(Math.floor(dataBytes / frames)), uint32(frames)),
            full('stco', uint32(1), uint32(dataAt)),
          ),
        ),
      ),
    )
  const soundTrack = (name: string, dataAt: number) =>
    box(
      'trak',
      full(
        'tkhd',
        uint32(0),
        uint32(0),
        uint32(2),
        uint32(0),
        uint32(durationMs),
        Buffer.alloc(16),
        IDENTITY,
        Buffer.alloc(8),
      ),
      box(
        'mdia',
        mediaHead(durationMs),
        handler('soun'),
        box(
          'minf',
          full('smhd', Buffer.alloc(4)),
          dataInfo(),
          box(
            'stbl',
            full(
              'stsd',
              uint32(1),
              box(
                name,
                Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]),
                Buffer.alloc(8),
                uint16(2),
                uint16(16),
                uint32(0),
                uint32(44100 * 65536),
              ),
            ),
            full('stts', uint32(1), uint32(1), uint32(durationMs)),
            full('stsc', uint32(1), uint32(1), uint32(1), uint32(1)),
            full('stsz', uint32(1), uint32(1)),
            full('stco', uint32(1), uint32(dataAt)),
          ),
        ),
      ),
    )
  if (indexLast) return Buffer.concat([head, data, index(head.length + 8)])
  const indexLength = index(0).length
  return Buffer.concat([head, index(head.length + indexLength + 8), data])
}

const IDENTITY = Buffer.concat([1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30].map(uint32))

const mediaHead = (durationMs: number) =>
  full('mdhd', uint32(0), uint32(0), uint32(1000), uint32(durationMs), Buffer.from([0x55, 0xc4, 0, 0]))

const handler = (kind: string) =>
  full('hdlr', uint32(0), Buffer.from(kind, 'latin1'), Buffer.alloc(12), Buffer.from('made\0', 'latin1'))

const dataInfo = () => box('dinf', full('dref', uint32(1), box('url ', Buffer.from([0, 0, 0, 1]))))

function videoEntry(codec: string, width: number, height: number): Buffer {
  const settings =
    codec === 'avc1' ? box('avcC', Buffer.from([1, 66, 0, 30, 255, 225, 0, 0, 1, 0, 0])) : Buffer.alloc(0)
  return box(
    codec,
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]),
    Buffer.alloc(16),
    uint16(width),
    uint16(height),
    uint32(72 * 65536),
    uint32(72 * 65536),
    uint32(0),
    uint16(1),
    Buffer.alloc(32),
    uint16(24),
    uint16(0xffff),
    settings,
  )
}

function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([uint32(body.length + 8), Buffer.from(name, 'latin1'), body])
}

const full = (name: string, ...content: Buffer[]): Buffer => box(name, Buffer.alloc(4), ...content)

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
