import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import type { Cases } from '../run/test-files.ts'

/** Which cases of the products of operation, naming and value a run makes. */
export interface Sampling {
  cases: Cases
  seed: number
}

/**
 * The items of a list that this run tries: `size` of them, chosen by the seed of the run and the key; in a full run
 * all, and in a run of the rest those that the same seed leaves out, or `inRest` of them. The order of the list is kept.
 */
export function sampleOf<T>(
  key: string,
  items: readonly T[],
  size: number,
  { inRest = Infinity, sampling = inject('sampling') }: { inRest?: number; sampling?: Sampling } = {},
): T[] {
  const { cases, seed } = sampling
  if (cases === 'all') return [...items]
  const [from, until] = cases === 'some' ? [0, size] : [size, size + inRest]
  const rank = (at: number) => createHash('sha256').update(`${seed} ${key} ${at}`).digest('hex')
  const chosen = new Set(
    items
      .map((_, at) => ({ at, rank: rank(at) }))
      .sort((left, right) => (left.rank < right.rank ? -1 : 1))
      .slice(from, until)
      .map(({ at }) => at),
  )
  return items.filter((_, at) => chosen.has(at))
}
