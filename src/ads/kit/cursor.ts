import { AdsProblem, invalidParameter } from './errors.ts'

/** A place in a list: the order it belongs to and the values of the last record seen. */
interface Place {
  order: string
  values: (string | number)[]
}

export const writeCursor = (place: Place): string =>
  Buffer.from(JSON.stringify([place.order, ...place.values])).toString('base64url')

/** Reads a cursor of a list of the same order. */
export function readCursor(cursor: string, order: string, length: number): (string | number)[] {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw wrong('is not a next_cursor of this list')
  }
  if (!Array.isArray(value) || value.length !== length + 1 || !value.every(isPlain))
    throw wrong('is not a next_cursor of this list')
  if (value[0] !== order) throw wrong('belongs to a list with another sort_by')
  return value.slice(1) as (string | number)[]
}

const wrong = (details: string) => new AdsProblem([invalidParameter('cursor', details)])

const isPlain = (value: unknown): boolean =>
  (typeof value === 'string' && value.length <= 1_000 && !value.includes('\0')) || Number.isSafeInteger(value)
