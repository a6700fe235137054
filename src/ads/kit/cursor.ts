import { Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { AdsError, AdsProblem, invalidParameter } from './errors.ts'
import type { Kind } from './values.ts'

/** The position in a list: the order of the list, and the values of the last record of the previous page. */
interface Cursor {
  order: string
  values: (string | number)[]
}

const NOT_A_CURSOR = 'is not a next_cursor of this list'

export const writeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify([cursor.order, ...cursor.values])).toString('base64url')

function decodeCursor(text: string, order: string, length: number): (string | number)[] | AdsError {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return invalidParameter('cursor', NOT_A_CURSOR)
  }
  if (!Array.isArray(value) || value.length !== length + 1 || !value.every(isPlain))
    return invalidParameter('cursor', NOT_A_CURSOR)
  if (value[0] !== order) return invalidParameter('cursor', 'belongs to a list with another sort_by')
  return value.slice(1)
}

/** Reads a cursor of a list of the same order. */
export function readCursor(text: string, order: string, length: number): (string | number)[] {
  const values = decodeCursor(text, order, length)
  if (values instanceof AdsError) throw new AdsProblem([values])
  return values
}

/** The `cursor` of a list in the order of ids: its value is the last id of the previous page. */
export interface IdCursor extends Kind<string> {
  /** The `next_cursor` after a page that ends with this id; null after the last page. */
  after(lastId: string | undefined): string | null
}

export function idCursor(order: string): IdCursor {
  const write = (id: string) => writeCursor({ order, values: [id] })
  return {
    schema: Type.String({ minLength: 1, maxLength: 2_000 }),
    column: 'text',
    read: (sent, parameter) => {
      const values = typeof sent === 'string' ? decodeCursor(sent, order, 1) : undefined
      if (values instanceof AdsError) return values
      const id = String(values?.[0])
      return isStorableId(id) ? id : invalidParameter(parameter, NOT_A_CURSOR)
    },
    echo: write,
    show: write,
    load: String,
    hasWords: false,
    after: (lastId) => (lastId === undefined ? null : write(lastId)),
  }
}

const isPlain = (value: unknown): boolean =>
  (typeof value === 'string' && value.length <= 1_000 && !value.includes('\0')) || Number.isSafeInteger(value)
