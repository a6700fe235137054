import { Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId, LARGEST_ID } from '../../process/ids.ts'

/** Arguments of a list: what its `next` was, and how many items. */
export const PageArgs = {
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
}
export const DEFAULT_LIMIT = 50

/** The id that a page begins before: lists begin with the newest. */
export function beforeId(after: string | undefined): string {
  if (after === undefined) return LARGEST_ID
  if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the next of a page before')
  return after
}

/** The rows of a page, of which one more was read, and the key of the next page. */
export function paged<R>(rows: readonly R[], limit: number, keyOf: (row: R) => string): { page: R[]; next?: string } {
  const page = rows.slice(0, limit)
  return rows.length > limit ? { page, next: keyOf(page.at(-1)!) } : { page }
}

/** A search text: its words, folded as titles are. */
export const SearchText = Type.String({ minLength: 1, maxLength: 100 })
