import type { Db } from '../../storage/database.ts'
import type { RatingTable } from './bridging.ts'
import { ratingsBefore } from './note.statements.ts'
import { RATING_TAGS, type RatingTag } from './rating-tags.ts'

/** The most ratings that are scored together: those of the newest notes. It bounds memory and time. */
const MOST_RATINGS = 1_000_000
const AT_ONCE = 20_000
const LARGEST = (2n ** 63n - 1n).toString()

const VALUES: Record<string, number> = { helpful: 1, somewhat_helpful: 0.5, not_helpful: 0 }
const bitOf = new Map<string, number>(RATING_TAGS.map((tag, index) => [tag, 1 << index]))

/** The tags in a set of bits. */
export const tagsIn = (bits: number): RatingTag[] => RATING_TAGS.filter((_tag, index) => (bits & (1 << index)) !== 0)

/** The ratings to score, with the ids of notes and raters by position. */
export interface LoadedRatings extends RatingTable {
  noteIds: string[]
  raterIds: string[]
  /** A bit for each tag. */
  tags: Int32Array
}

/** Reads ratings page by page into columns, about 16 bytes each. Undefined when it was stopped. */
export async function readRatings(db: Db, stopping: AbortSignal): Promise<LoadedRatings | undefined> {
  const [notes, raters] = [new Positions(), new Positions()]
  const columns = { notes: [] as number[], raters: [] as number[], values: [] as number[], tags: [] as number[] }
  let [noteId, raterId] = [LARGEST, LARGEST]
  while (columns.values.length < MOST_RATINGS) {
    if (stopping.aborted) return undefined
    const page = await ratingsBefore.all(db, noteId, raterId, AT_ONCE)
    for (const row of page) {
      columns.notes.push(notes.of(row.note_id))
      columns.raters.push(raters.of(row.rater_id))
      columns.values.push(VALUES[row.helpfulness]!)
      columns.tags.push(row.tags.reduce((bits, tag) => bits | (bitOf.get(tag) ?? 0), 0))
    }
    const last = page.at(-1)
    if (!last || page.length < AT_ONCE) break
    noteId = last.note_id
    raterId = last.rater_id
  }
  return {
    notes: Int32Array.from(columns.notes),
    raters: Int32Array.from(columns.raters),
    values: Float32Array.from(columns.values),
    tags: Int32Array.from(columns.tags),
    noteCount: notes.ids.length,
    raterCount: raters.ids.length,
    noteIds: notes.ids,
    raterIds: raters.ids,
  }
}

/** Numbers ids in the order in which they come. */
class Positions {
  readonly ids: string[] = []
  readonly #known = new Map<string, number>()

  of(id: string): number {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    this.#known.set(id, this.ids.length)
    return this.ids.push(id) - 1
  }
}
