import { createHash } from 'node:crypto'
import { timeOfId } from '../process/ids.ts'
import { mediaKeyOf } from '../social/media/categories.ts'
import { writePng } from '../social/media/write-png.ts'
import { CopyRows } from '../storage/copy.ts'
import { PICTURES_PER_STEP, type SeedPlan } from './seed-plan.ts'
import type { SeededRandom } from './seeded-random.ts'

const [WIDTH, HEIGHT] = [640, 400]
const DAY_MS = 24 * 3600_000
const SCENES = ['Rings', 'Stripes', 'Squares', 'Hills'] as const
const COLOURS = ['f4e9d8b3364b', 'e3eef73f5fc4', 'e6f3ea2d7d46', 'f3ecfa8a4fbf'].map((hex) => [
  ...Buffer.from(hex, 'hex'),
])

/** A picture that several posts of a step have. */
export interface SeededPicture {
  id: string
  key: string
  /** Its first author, who owns it. */
  ownerId: string | undefined
  uses: number
}

/** The pictures of one step. Each step has its own, so a picture belongs to a few dozen posts, however many posts there are. */
export class SeedPictures {
  readonly #plan: SeedPlan
  readonly #pictures: SeededPicture[]

  constructor(plan: SeedPlan, firstPost: number) {
    this.#plan = plan
    this.#pictures = Array.from({ length: PICTURES_PER_STEP }, (_, number) => {
      const id = plan.pictureId(firstPost, number)
      return { id, key: mediaKeyOf('post_image', id), ownerId: undefined, uses: 0 }
    })
  }

  /** A picture for a post of an author. */
  choose(random: SeededRandom, authorId: string): SeededPicture {
    const picture = random.pick(this.#pictures)
    picture.ownerId ??= authorId
    picture.uses += 1
    return picture
  }

  /** The rows of the pictures that posts have, and of their bytes. */
  rows(): { media: CopyRows; mediaBytes: CopyRows } {
    const rows = { media: new CopyRows(), mediaBytes: new CopyRows() }
    for (const [number, { id, key, ownerId, uses }] of this.#pictures.entries()) {
      if (ownerId === undefined) continue
      const bytes = drawnPicture(number)
      const size = bytes.length
      const name = createHash('sha256').update(`seeded picture ${id}`).digest('base64url').slice(0, 16)
      const made = timeOfId(id)
      rows.media.add(
        ...[
          id,
          key,
          ownerId,
          'post_image',
          'photo',
          'ready',
          'image/png',
          size,
          size,
          'image/png',
          WIDTH,
          HEIGHT,
          name,
        ],
        `${this.#plan.baseUrl}/media/${key}/${name}.png`,
        `${SCENES[number % SCENES.length]} in two colours`,
        uses,
        new Date(made + DAY_MS).toISOString(),
        new Date(made).toISOString(),
      )
      rows.mediaBytes.add(id, 0, 0, size, `\\x${bytes.toString('hex')}`)
    }
    return rows
  }
}

const drawn: Buffer[] = []

/** One of a few drawings, each a few kilobytes. */
export function drawnPicture(number: number): Buffer {
  drawn[number] ??= writePng({ width: WIDTH, height: HEIGHT }, COLOURS[number % COLOURS.length]!, SHAPES[number % 4]!)
  return drawn[number]
}

const SHAPES: ((x: number, y: number) => boolean)[] = [
  (x, y) => Math.floor(Math.hypot(x - WIDTH / 2, y - HEIGHT / 2) / 24) % 2 === 1,
  (x, y) => Math.floor((x + y) / 32) % 2 === 1,
  (x, y) => (Math.floor(x / 40) + Math.floor(y / 40)) % 2 === 1,
  (x, y) => y > HEIGHT * 0.6 - 60 * Math.sin(x / 70) - 25 * Math.sin(x / 23),
]
