import { crc32, deflateSync } from 'node:zlib'

const BACKGROUND = 0
const SIGN = 1
const COLOURS = Buffer.from([0x20, 0x28, 0x30, 0xf2, 0xf4, 0xf6])

/** A picture with a play sign, in the size of a video, whose frames cannot be decoded here. */
export function drawPoster(width: number, height: number): Buffer {
  // One bit per pixel, and a byte before each row: no filter.
  const rowBytes = 1 + Math.ceil(width / 8)
  const rows = Buffer.alloc(rowBytes * height, BACKGROUND)
  const reach = Math.min(width, height) / 5
  for (let y = 0; y < height; y++) {
    const far = Math.abs(y - height / 2)
    if (far > reach) continue
    // A triangle that points to the right, in the middle.
    const from = Math.floor(width / 2 - reach * 0.8)
    const to = Math.floor(from + (reach - far) * 1.8)
    for (let x = from; x < to; x++) rows[y * rowBytes + 1 + (x >> 3)]! |= SIGN << (7 - (x & 7))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // One bit of depth, colours from a table.
  head.set([1, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', COLOURS),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const whole = Buffer.alloc(named.length + 8)
  whole.writeUInt32BE(data.length, 0)
  named.copy(whole, 4)
  whole.writeUInt32BE(crc32(named), named.length + 4)
  return whole
}
