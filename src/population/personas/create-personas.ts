import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type Database, repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { readFact, writeFact } from '../../storage/instance-facts.ts'
import { statement } from '../../storage/statement.ts'
import { isNotAllowed, openWithoutTriggers } from '../../storage/without-triggers.ts'
import { invalidateAll } from '../../world/invalidate-all.ts'
import { claimWorld } from '../../world/world-lock.ts'
import { LifeError } from '../life.ts'
import { PlannedTies } from './planned-ties.ts'
import {
  followRows,
  JOIN_SPAN_MS,
  type PlannedPersonas,
  raiseCounts,
  renewCounts,
  storeFollowRows,
  storePersonas,
  userIdOf,
} from './store-personas.ts'

const USERS_PER_STEP = 2_000
const TIED_PER_STEP = 4_000
const RENEWED_PER_STEP = 10_000
const TIED_PER_TURN = 200
const DAY_MS = 24 * 3600_000
export const MOST_PERSONAS = 1_000_000

const usersLock = statement('population_users_lock', {}, 'lock table user_account in share mode')
const personasCount = statement(
  'population_personas_count',
  { count: 'int4' },
  'select count(*)::int as count from persona where seed = $1 and position < $2',
)

/** How far the making of a seed's personas is. It is stored with the rows. */
interface Progress {
  /** Since the first step: ids of users follow from it. */
  baseMs: number
  made: number
  /** Personas whose follows are stored. */
  tied: number
  /**
   * While personas are made: how many there were before, and will be. Those from `made` on are stored with the counts that they will have
   * in the end.
   */
  plan?: { made: number; tied: number; to: number } | undefined
}

/** Who wants to know how far it is, and may stop it. */
export interface MakingWatch {
  /** The life is to end: what was made must be whole. */
  isStopped(): boolean
  /** The process is to end: another one goes on. */
  isEnding(): boolean
  progress(made: number, tied: number): Promise<void>
}

const factName = (seed: number): string => `population_${seed}`

async function readProgress(runtime: Runtime, seed: number): Promise<Progress> {
  const fact = await readFact(runtime.database, factName(seed))
  if (fact !== undefined) return JSON.parse(fact) as Progress
  return { baseMs: Math.floor(runtime.clock.now() / DAY_MS) * DAY_MS - 30 * DAY_MS - JOIN_SPAN_MS, made: 0, tied: 0 }
}

/** Makes the personas of a seed up to a number, as far as they do not exist. False when it was stopped; it can go on later. */
export async function createPersonas(
  runtime: Runtime,
  { seed, personas }: { seed: number; personas: number },
  watch: MakingWatch,
): Promise<boolean> {
  const progress = await readProgress(runtime, seed)
  if (!progress.plan && progress.made >= personas && progress.tied >= progress.made) return true
  const withoutTriggers = openWithoutTriggers(runtime.database, 'rostra population')
  try {
    const making = new Making(seed, progress, watch, await allowed(withoutTriggers, runtime.database))
    const isMade = await making.make(personas)
    await runtime.database.query({ text: 'analyze user_account, user_metrics, persona, follow, ads_viewer' })
    await invalidateAll(runtime)
    return isMade
  } finally {
    await withoutTriggers.close()
  }
}

/** References of personas hold, because all that they refer to is made with them: checking each takes most of the time. */
async function allowed(withoutTriggers: Database, database: Database): Promise<Database> {
  try {
    await withoutTriggers.query({ text: 'select' })
    return withoutTriggers
  } catch (error) {
    if (!isNotAllowed(error)) throw error
    return database
  }
}

class Making {
  readonly #seed: number
  #progress: Progress
  readonly #watch: MakingWatch
  readonly #database: Database

  constructor(seed: number, progress: Progress, watch: MakingWatch, database: Database) {
    this.#seed = seed
    this.#progress = progress
    this.#watch = watch
    this.#database = database
  }

  async make(personas: number): Promise<boolean> {
    const to = Math.max(personas, this.#progress.made)
    // Another number was planned, and given up.
    if (this.#progress.plan && this.#progress.plan.to !== to) await this.#settle()
    const { made, tied } = this.#progress
    const before = this.#progress.plan ?? { made, tied, to }
    const plan = await this.#planned(before.tied, to)
    while (this.#progress.made < to) {
      if (this.#mayNotGoOn()) return this.#leave()
      const from = this.#progress.made
      const next = Math.min(to, from + USERS_PER_STEP)
      await this.#step({ ...this.#progress, made: next, plan: before }, (tx) => storePersonas(tx, plan, from, next))
      await turn()
    }
    while (this.#progress.plan || this.#progress.tied < to) {
      if (this.#mayNotGoOn()) return this.#leave()
      await this.#tieSome(plan, before)
    }
    return true
  }

  async #planned(tied: number, to: number): Promise<PlannedPersonas> {
    const { baseMs } = this.#progress
    const userIds = Array.from({ length: to }, (_, position) => userIdOf(baseMs, this.#seed, position))
    return { seed: this.#seed, baseMs, userIds, ties: await PlannedTies.plan(this.#seed, tied, to) }
  }

  /** Stores the follows of the next personas. With the last ones, those who were there before get their new followers counted. */
  async #tieSome(plan: PlannedPersonas, before: { made: number; to: number }): Promise<void> {
    const from = this.#progress.tied
    const next = Math.min(before.to, from + TIED_PER_STEP)
    // In the order of an index.
    const positions = Array.from({ length: next - from }, (_, at) => from + at).sort((one, other) =>
      plan.userIds[one]! < plan.userIds[other]! ? -1 : 1,
    )
    const rows: Uint8Array[] = []
    for (let at = 0; at < positions.length; at += TIED_PER_TURN) {
      rows.push(followRows(plan, positions.slice(at, at + TIED_PER_TURN)))
      await turn()
    }
    const { plan: _, ...done } = this.#progress
    const progress = next === before.to ? { ...done, tied: next } : { ...this.#progress, tied: next }
    await this.#step(progress, async (tx) => {
      // Nobody is deleted while references are not checked.
      await usersLock.count(tx)
      const { count } = (await personasCount.first(tx, this.#seed, before.to))!
      if (count < before.to)
        throw new LifeError(
          `${before.to - count} of the personas of seed ${this.#seed} were deleted. Choose another seed.`,
        )
      for (const some of rows) await storeFollowRows(tx, some)
      if (next === before.to) await raiseCounts(tx, plan, 0, before.made)
    })
  }

  #mayNotGoOn = (): boolean => this.#watch.isStopped() || this.#watch.isEnding()

  async #leave(): Promise<false> {
    if (!this.#watch.isEnding()) await this.#settle()
    return false
  }

  /** Gives a plan up: counts become those of the follows that are stored. */
  async #settle(): Promise<void> {
    const { plan, ...rest } = this.#progress
    if (!plan) return
    for (let from = 0; from < rest.made; from += RENEWED_PER_STEP) {
      const to = Math.min(rest.made, from + RENEWED_PER_STEP)
      const progress = to === rest.made ? rest : this.#progress
      await this.#step(progress, (tx) => renewCounts(tx, this.#seed, from, to))
    }
  }

  async #step(next: Progress, work: (tx: Tx) => Promise<void>): Promise<void> {
    await repeatingDeadlock(() =>
      transaction(this.#database, async (tx) => {
        await claimWorld(tx)
        await work(tx)
        await writeFact(tx, factName(this.#seed), JSON.stringify(next))
      }),
    )
    this.#progress = next
    await this.#watch.progress(next.made, next.tied)
  }
}
