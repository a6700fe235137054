import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const DAY_MS = 24 * 3_600_000
const LONGEST_CAP_DAYS = 30

const sightingsRead = statement(
  'ads_sightings_read',
  { viewer: 'int4', line_item_id: 'int8', day: 'int4', count: 'int4' },
  'select viewer, line_item_id, day, count from ads_sighting where viewer = any($1::int[]) and day > $2',
)

/** At most so many sights of a viewer within some days. */
export interface Cap {
  sights: number
  days: number
}

/** How often some viewers saw items that have a frequency cap. */
export class CappedSights {
  readonly #seen = new Map<string, { day: number; count: number }[]>()

  /** Reads what is stored of the viewers of some sights, the first of which comes first. */
  static async read(db: Db, sights: readonly { viewer: number; at: number }[]): Promise<CappedSights> {
    const found = new CappedSights()
    if (sights.length === 0) return found
    const viewers = [...new Set(sights.map((sight) => sight.viewer))]
    const since = Math.floor(sights[0]!.at / DAY_MS) - LONGEST_CAP_DAYS
    for (const row of await sightingsRead.all(db, viewers, since))
      found.#addDay(row.viewer, row.line_item_id, row.day, row.count)
    return found
  }

  add(viewer: number, itemId: string, at: number): void {
    this.#addDay(viewer, itemId, Math.floor(at / DAY_MS), 1)
  }

  /** Days are those of UTC, the present one included. */
  isReached({ sights, days }: Cap, viewer: number, itemId: string, at: number): boolean {
    const since = Math.floor(at / DAY_MS) - days
    let seen = 0
    for (const { day, count } of this.#seen.get(`${viewer} ${itemId}`) ?? []) if (day > since) seen += count
    return seen >= sights
  }

  #addDay(viewer: number, itemId: string, day: number, count: number): void {
    const key = `${viewer} ${itemId}`
    const known = this.#seen.get(key)
    if (known) known.push({ day, count })
    else this.#seen.set(key, [{ day, count }])
  }
}
