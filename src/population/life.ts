import type { Runtime } from '../api-kit/runtime.ts'
import { isOperationKind } from './actions/action-kinds.ts'
import type { PlannedAction } from './actions/perform-actions.ts'
import type { Action } from './behaviours/behaviour.ts'
import type { lifeOpen } from './life.statements.ts'
import type { Persona } from './personas/load-personas.ts'
import type { Phases } from './phases.ts'

/** A row of `life`. */
export type LifeRow = NonNullable<Awaited<ReturnType<typeof lifeOpen.first>>>

/** Who decides. */
export type BehaviourPlan = { kind: 'default' } | { kind: 'file'; path: string } | { kind: 'agent'; url: string }

export const FEED_ORDERS = ['time', 'popularity', 'interest'] as const
export type FeedOrder = (typeof FEED_ORDERS)[number]

/** What happened in a life so far. */
export interface LifeCounts {
  looks: number
  /** Posts that were seen and not seen before. */
  views: number
  /** Looks that were also read by the operation, to compare. */
  checked: number
  /** Looks that only the operation could answer. */
  fallbacks: number
  /** How often the mirror was read again because it was behind. */
  reloads: number
  actions: Record<string, number>
  refused: Record<string, number>
  ads: { impressions: number; engagements: number }
  /** How long each part of the ticks took. */
  phase_ms?: Phases['ms']
  /** While personas are made. */
  made?: { personas: number; tied: number }
}

export const NO_COUNTS: LifeCounts = {
  looks: 0,
  views: 0,
  checked: 0,
  fallbacks: 0,
  reloads: 0,
  actions: {},
  refused: {},
  ads: { impressions: 0, engagements: 0 },
}

export const countsOf = (row: LifeRow): LifeCounts => ({
  ...structuredClone(NO_COUNTS),
  ...(row.counts as Partial<LifeCounts>),
})

/** The life cannot go on; the message is for people. */
export class LifeError extends Error {}

/** What a persona decided, as it is stored: position, actions, and what the behaviour remembers where that has changed. */
export interface StoredDecision {
  p: number
  a: Action[]
  m?: Record<string, unknown>
}

/** The clock of the installation, as a life moves it. */
export interface LifeClock {
  /** Stops the clock at a moment, on the connections of a runtime. */
  step(runtime: Runtime, atMs: number): Promise<void>
  /** The same, and does all that is due then. */
  stepWithWork(atMs: number): Promise<void>
  /** Lets time run on from where it is. */
  run(): Promise<void>
}

/** The actions of a tick that operations carry out. Each action of a tick has a number, also those that are only counted. */
export function plannedActions(decisions: readonly StoredDecision[], personas: readonly Persona[]): PlannedAction[] {
  const planned: PlannedAction[] = []
  let number = 0
  for (const { p, a } of decisions)
    for (const action of a) {
      const own = number++
      if (isOperationKind(action.kind))
        planned.push({ persona: personas[p]!, action: action as PlannedAction['action'], number: own })
    }
  return planned
}

/** How many actions a tick has. */
export const actionCount = (decisions: readonly StoredDecision[]): number =>
  decisions.reduce((sum, { a }) => sum + a.length, 0)
