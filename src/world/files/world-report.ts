/** What happened to one thing of a world file. */
export type Outcome = 'created' | 'changed' | 'unchanged'

const MOST_LINES = 1_000

/** Counts what applying a world file did, by kind, and lists the first changes. */
export class WorldReport {
  readonly created: Record<string, number> = {}
  readonly changed: Record<string, number> = {}
  readonly unchanged: Record<string, number> = {}
  readonly changes: string[] = []

  /** `what` names the thing, and for a change what is different. */
  add(outcome: Outcome, kind: string, what: string, count = 1): void {
    if (count === 0) return
    this[outcome][kind] = (this[outcome][kind] ?? 0) + count
    if (outcome !== 'unchanged' && this.changes.length < MOST_LINES)
      this.changes.push(`${outcome === 'created' ? 'create' : 'change'} ${kind}: ${what}`)
  }

  get hasChanges(): boolean {
    return Object.keys(this.created).length + Object.keys(this.changed).length > 0
  }
}
