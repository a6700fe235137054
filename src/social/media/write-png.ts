import { crc32, deflateSync } from 'node:zlib'

/** A picture of two colours: `isDrawn` decides about each pixel, `colours` has three bytes for the background and three for the rest. */
export function writePng(
  { width, height }: { width: number; height: number },
  colours: readonly number[],
  isDrawn: (x: number, y: number) => boolean,
): Buffer {
  // One bit per pixel, and a byte before each row: no filter.
  const rowBytes = 1 + Math.ceil(width / 8)
  const rows = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y++) {
    const start = y * rowBytes + 1
    for (let x = 0; x < width; x++) if (isDrawn(x, y)) rows[start + (x >> 3)]! |= 1 << (7 - (x & 7))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // One bit of depth, colours from a table.
  head.set([1, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(colours)),
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
