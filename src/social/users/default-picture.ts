import { createHash } from 'node:crypto'
import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { BytesAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { writePng } from '../media/write-png.ts'

/** Sides in pixels, by the end of the name. The platform's clients replace `_normal` to get another size. */
const SIDES: Record<string, number> = {
  _mini: 24,
  _normal: 48,
  _bigger: 73,
  _x96: 96,
  _reasonably_small: 128,
  _200x200: 200,
  _400x400: 400,
  '': 400,
}
const CELLS = 5
const MARGIN_CELLS = 1
const BACKGROUND = [0xf0, 0xf1, 0xf3]
/** Dark enough to be seen on the background. */
const COLOURS = ['b3364b', '8a4fbf', '3f5fc4', '1f7a8c', '2d7d46', '8a6d1a', 'b5561c', '5a5f6b']

/** The address of the picture of a user who has not chosen one. */
export const defaultPictureUrl = (baseUrl: string, userId: string): string =>
  `${baseUrl}/profile_images/${userId}/default_normal.png`

/** GET /profile_images/{id}/{name}: a pattern that follows from the id, so it is the same in every installation. */
export const serveDefaultPicture: Endpoint = {
  ...defineEndpoint('serveDefaultPicture', 'GET /profile_images/{id}/{name}', async (_request, _runtime, { path }) => {
    const end = /^default(_\w+)?\.png$/.exec(path.name ?? '')
    const side = end && Object.hasOwn(SIDES, end[1] ?? '') ? SIDES[end[1] ?? ''] : undefined
    if (side === undefined || !/^\d{1,19}$/.test(path.id ?? '')) throw blank(404, 'There is no such picture.')
    const bytes = drawPattern(path.id!, side)
    return new BytesAnswer(bytes.length, once(bytes), 200, {
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }),
  // A page shows many of them, and nobody looks for them.
  unrecorded: true,
  takesHead: true,
}

/** Cells of which the right half mirrors the left one. */
function drawPattern(id: string, side: number): Buffer {
  const seed = createHash('sha256').update(id).digest()
  const colour = COLOURS[seed[31]! % COLOURS.length]!
  const cell = side / (CELLS + 2 * MARGIN_CELLS)
  const at = (pixel: number) => Math.floor(pixel / cell) - MARGIN_CELLS
  return writePng({ width: side, height: side }, [...BACKGROUND, ...Buffer.from(colour, 'hex')], (x, y) => {
    const [column, row] = [at(x), at(y)]
    if (column < 0 || column >= CELLS || row < 0 || row >= CELLS) return false
    return seed[row * CELLS + Math.min(column, CELLS - 1 - column)]! % 2 === 1
  })
}

async function* once(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes
}
