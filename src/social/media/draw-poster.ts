import { writePng } from './write-png.ts'

const COLOURS = [0x20, 0x28, 0x30, 0xf2, 0xf4, 0xf6]

/** A picture with a play sign, in the size of a video, whose frames cannot be decoded here. */
export function drawPoster(width: number, height: number): Buffer {
  const reach = Math.min(width, height) / 5
  // A triangle that points to the right, in the middle.
  const from = Math.floor(width / 2 - reach * 0.8)
  return writePng({ width, height }, COLOURS, (x, y) => {
    const far = Math.abs(y - height / 2)
    return far <= reach && x >= from && x < Math.floor(from + (reach - far) * 1.8)
  })
}
