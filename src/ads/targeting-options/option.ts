import { fold } from '../../search/tokenize.ts'
import { readCursor, writeCursor } from '../kit/cursor.ts'
import { AdsProblem, invalidParameter } from '../kit/errors.ts'

/** A thing that can be targeted. */
export interface TargetingOption {
  /** Its targeting value. */
  value: string
  name: string
  /** The words that searches look at, folded. */
  words: readonly string[]
}

/** The words of a name as searches compare them; the number of a version is one. */
export const searchWords = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? []

/** An option with the words of its name, and of other names that it is known by; they are found when first asked for. */
export const option = <T extends object>(
  value: string,
  name: string,
  members: T,
  alsoCalled: readonly string[] = [],
): TargetingOption & T => {
  let words: readonly string[] | undefined
  return {
    ...members,
    value,
    name,
    get words() {
      words ??= searchWords([name, ...alsoCalled].join(' '))
      return words
    },
  }
}

/** Options by their targeting value; no two have the same. */
export function byValue<O extends TargetingOption>(options: readonly O[]): ReadonlyMap<string, O> {
  const known = new Map(options.map((item) => [item.value, item]))
  if (known.size !== options.length) throw new Error('Two options have one targeting value')
  return known
}

/** Options of which every word of a search begins some word; all of them without a search. */
export function findOptions<O extends TargetingOption>(options: readonly O[], q: string | undefined): readonly O[] {
  const wanted = q === undefined ? [] : searchWords(q)
  if (wanted.length === 0) return q === undefined || q.trim() === '' ? options : []
  return options.filter((item) => wanted.every((word) => item.words.some((own) => own.startsWith(word))))
}

/** A page of options; the cursor names the last one seen, so that it also fits when the list is narrowed otherwise. */
export function pageOfOptions<O extends TargetingOption>(
  list: { name: string; places: ReadonlyMap<string, number> },
  options: readonly O[],
  { count, cursor }: { count: number; cursor: string | undefined },
): { page: readonly O[]; next_cursor: string | null } {
  let first = 0
  if (cursor !== undefined) {
    const [value] = readCursor(cursor, list.name, 1)
    const last = list.places.get(String(value))
    if (last === undefined) throw new AdsProblem([invalidParameter('cursor', 'is not a next_cursor of this list')])
    first = firstBeyond(options, list.places, last)
  }
  const page = options.slice(first, first + count)
  const hasMore = first + count < options.length
  return { page, next_cursor: hasMore ? writeCursor({ order: list.name, values: [page.at(-1)!.value] }) : null }
}

/** Where each option of a list stands. */
export const placesOf = (options: readonly TargetingOption[]): ReadonlyMap<string, number> =>
  new Map(options.map((item, at) => [item.value, at]))

// The options keep the order of their list, so that the first behind a place is found by halving.
function firstBeyond(options: readonly TargetingOption[], places: ReadonlyMap<string, number>, last: number): number {
  let low = 0
  let high = options.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (places.get(options[middle]!.value)! <= last) low = middle + 1
    else high = middle
  }
  return low
}
