import { fold } from '../../search/tokenize.ts'
import { readCursor, writeCursor } from '../kit/cursor.ts'
import { AdsProblem, invalidParameter } from '../kit/errors.ts'

/** Something that can be targeted. */
export interface TargetingOption {
  /** Its targeting value. */
  value: string
  name: string
  /** The words that searches compare, folded. */
  words: readonly string[]
}

/** The words of a name as searches compare them; the number of a version is one word. */
const searchWords = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu) ?? []

/** An option with the words of its name and of its other names, which are computed on first use. */
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

/** Options by their targeting values, which must be unique. */
export function byValue<O extends TargetingOption>(options: readonly O[]): ReadonlyMap<string, O> {
  const found = new Map(options.map((item) => [item.value, item]))
  if (found.size !== options.length) throw new Error('Two options have the same targeting value')
  return found
}

/** The options that, for every word of a search, have a word that begins with it; all options without a search. */
export function findOptions<O extends TargetingOption>(options: readonly O[], q: string | undefined): readonly O[] {
  const wanted = q === undefined ? [] : searchWords(q)
  if (wanted.length === 0) return q === undefined || q.trim() === '' ? options : []
  return options.filter((item) => wanted.every((word) => item.words.some((own) => own.startsWith(word))))
}

/** A page of options. The cursor names the last option of the previous page, so it is valid for any filter of the list. */
export function pageOfOptions<O extends TargetingOption>(
  list: { name: string; positions: ReadonlyMap<string, number> },
  options: readonly O[],
  { count, cursor }: { count: number; cursor: string | undefined },
): { page: readonly O[]; next_cursor: string | null } {
  let first = 0
  if (cursor !== undefined) {
    const [value] = readCursor(cursor, list.name, 1)
    const last = list.positions.get(String(value))
    if (last === undefined) throw new AdsProblem([invalidParameter('cursor', 'is not a next_cursor of this list')])
    first = firstAfter(options, list.positions, last)
  }
  const page = options.slice(first, first + count)
  const hasMore = first + count < options.length
  return { page, next_cursor: hasMore ? writeCursor({ order: list.name, values: [page.at(-1)!.value] }) : null }
}

/** The index of each option of a list, by its value. */
export const positionsOf = (options: readonly TargetingOption[]): ReadonlyMap<string, number> =>
  new Map(options.map((item, at) => [item.value, at]))

// The options are in the order of their list, so a binary search finds the first one after a position.
function firstAfter(options: readonly TargetingOption[], positions: ReadonlyMap<string, number>, last: number): number {
  let low = 0
  let high = options.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (positions.get(options[middle]!.value)! <= last) low = middle + 1
    else high = middle
  }
  return low
}
