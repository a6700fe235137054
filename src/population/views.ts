import type { Invalidate } from '../api-kit/runtime.ts'
import { factRule } from '../social/insights/facts.ts'
import { FactBatch, writeCounts } from '../social/insights/store-facts.ts'
import type { Tx } from '../storage/database.ts'
import { COUNTED_KINDS, isCountedKind } from './actions/action-kinds.ts'
import type { Action } from './behaviours/behaviour.ts'

/** A batch with this many rows is stored. */
const MOST_ROWS = 5_000
/** A batch is stored after so many ticks at the latest: what a life that is killed may not have counted. */
const MOST_TICKS = 15

/** Views and clicks of a life that wait to be stored. Counts of an hour are one row, so most ticks only add to them. */
export class LifeViews {
  #batch = new FactBatch()
  #ticks = 0

  view(postId: string, atMs: number): void {
    this.#batch.count(postId, 'impressions', { promoted: false, atMs, count: 1 })
  }

  /** Counts an action that is not an operation. */
  action({ kind, post_id: postId }: Action, atMs: number): void {
    if (!isCountedKind(kind) || postId === undefined) return
    for (const name of factRule(COUNTED_KINDS[kind]).post)
      this.#batch.count(postId, name, { promoted: false, atMs, count: 1 })
  }

  /** Takes what is due to be stored now; undefined if that can wait. */
  take(isEnd: boolean): ((tx: Tx, invalidate: Invalidate) => Promise<void>) | undefined {
    this.#ticks += 1
    const { size } = this.#batch
    if (size === 0 || (!isEnd && size < MOST_ROWS && this.#ticks < MOST_TICKS)) return undefined
    const batch = this.#batch
    this.#batch = new FactBatch()
    this.#ticks = 0
    return (tx, invalidate) => writeCounts(tx, invalidate, batch)
  }
}
