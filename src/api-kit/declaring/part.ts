import type { Db } from '../../storage/database.ts'

/** Data about objects of a kind, keyed by id and loaded by one statement; the same for every viewer. */
export interface Part<V> {
  readonly kind: string
  readonly name: string
  /** Position of this part's value in an entry. */
  readonly index: number
  load(db: Db, ids: string[]): Promise<Map<string, V>>
}

const partCounts = new Map<string, number>()

/** Declares a part. `load` leaves out the ids that have no value. */
export function definePart<V>(
  kind: string,
  name: string,
  load: (db: Db, ids: string[]) => Promise<Map<string, V>>,
): Part<V> {
  const index = partCounts.get(kind) ?? 0
  partCounts.set(kind, index + 1)
  return { kind, name, index, load }
}

/** Rows by the id that they belong to. */
export function keyedBy<R>(key: (row: R) => string, rows: R[]): Map<string, R> {
  const map = new Map<string, R>()
  for (const row of rows) map.set(key(row), row)
  return map
}
