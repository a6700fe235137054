import { readCursor, writeCursor } from '../kit/cursor.ts'
import { AdsProblem, invalidParameter } from '../kit/errors.ts'

const IN_ORDER = 'in order'

/** A page of a constant list, after the item that the cursor names. */
export function pageOf<T extends { id: string }>(
  items: readonly T[],
  page: { count: number; cursor: string | undefined },
): { data: T[]; next_cursor: string | null } {
  const start = page.cursor === undefined ? 0 : indexAfter(items, page.cursor)
  const data = items.slice(start, start + page.count)
  const hasMore = start + data.length < items.length
  return { data, next_cursor: hasMore ? writeCursor({ order: IN_ORDER, values: [data.at(-1)!.id] }) : null }
}

function indexAfter(items: readonly { id: string }[], cursor: string): number {
  const [id] = readCursor(cursor, IN_ORDER, 1)
  const at = items.findIndex((item) => item.id === id)
  if (at < 0) throw new AdsProblem([invalidParameter('cursor', 'is not a next_cursor of this list')])
  return at + 1
}
