import { setTimeout as sleep } from 'node:timers/promises'
import { parseBase36 } from '../ads/kit/values.ts'
import { change, onNewWorld, type Runtime } from '../api-kit/runtime.ts'
import { isCountedKind } from './actions/action-kinds.ts'
import { performActions } from './actions/perform-actions.ts'
import { showAds } from './ads.ts'
import { openBehaviour } from './behaviours/open-behaviour.ts'
import { decideTick, openStage, type Stage } from './decide-tick.ts'
import { lifeMoved, memoriesKeep, tickDecided, tickDone, tickRead } from './life.statements.ts'
import {
  type BehaviourPlan,
  countsOf,
  type FeedOrder,
  type LifeClock,
  type LifeCounts,
  LifeError,
  type LifeRow,
  plannedActions,
  type StoredDecision,
} from './life.ts'
import { LifeNews, tellLifeNews } from './life-news.ts'
import { openLifeRuntime } from './life-runtime.ts'
import { createPersonas } from './personas/create-personas.ts'
import { loadPersonas, type Persona } from './personas/load-personas.ts'
import { Phases } from './phases.ts'
import { LifeViews } from './views.ts'
import { LookPlan } from './who-looks.ts'

/** What has no moment of its own, such as trends, is done every so many ticks. */
const WORK_TICKS = 15
const DAY_MS = 24 * 3600_000

/** Lives a life from where it is to its end, or until it is to stop. */
export async function runLife(runtime: Runtime, row: LifeRow, clock: LifeClock, ending: AbortSignal): Promise<void> {
  const counts = countsOf(row)
  let busyMs = Number(row.busy_ms)
  let reached = row.decided
  const news = new LifeNews(runtime, row.id)
  const move = async (state: string, reason: string | null = null) => {
    const args = [row.id, state, reason, JSON.stringify(counts), Math.round(busyMs)] as const
    const moved = await lifeMoved.first(runtime.database, ...args)
    await tellLifeNews(runtime, row.id)
    return moved?.state
  }
  const end = async (state: string, reason?: string) => {
    // Before anybody sees that it is over.
    if (!row.was_frozen) await clock.run()
    await keepMemories(runtime, row, reached)
    await move(state, reason)
  }
  const began = performance.now()
  const spent = () => {
    busyMs = Number(row.busy_ms) + performance.now() - began
    return busyMs
  }
  if (row.state === 'stopping') return end('stopped')
  // A new world has another clock, and this life is not in it.
  const replaced = new AbortController()
  const stopWatching = onNewWorld(runtime, () => replaced.abort())
  const over = AbortSignal.any([ending, replaced.signal])
  const phases = new Phases(counts.phase_ms)
  const own = openLifeRuntime(runtime)
  let living: Living | undefined
  try {
    const startMs = row.started_at.getTime()
    await clock.stepWithWork(startMs + row.done * row.tick_ms)
    if (row.state === 'making') {
      const isMade = await makePersonas(runtime, row, counts, over, spent, news)
      if (over.aborted) return
      if (!isMade) return await end('stopped')
      if ((await move('running')) === 'stopping') return await end('stopped')
    }
    // Those of an earlier process.
    await keepMemories(runtime, row, row.decided)
    living = await Living.open(own.runtime, row, counts, phases, spent)
    const ticks = Math.ceil((row.ends_at.getTime() - startMs) / row.tick_ms)
    for (let tick = row.done; tick < ticks && !over.aborted; tick++) {
      const tickBegan = performance.now()
      const atMs = startMs + tick * row.tick_ms
      if (tick > row.done && tick % WORK_TICKS === 0) await keepMemories(own.runtime, row, tick)
      if (tick > row.done)
        await phases.time('clock', () =>
          tick % WORK_TICKS === 0 ? clock.stepWithWork(atMs) : clock.step(own.runtime, atMs),
        )
      reached = tick + 1
      const state = await living.live(tick, atMs, tick === ticks - 1)
      await news.tellSometimes()
      if (state === undefined) return
      if (state === 'stopping') return await end('stopped')
      if (row.speed !== null) await pause(row.tick_ms / row.speed - (performance.now() - tickBegan), over)
    }
    if (over.aborted) return
    await clock.stepWithWork(row.ends_at.getTime())
    spent()
    await end('ended')
  } catch (error) {
    if (over.aborted) return
    if (!(error instanceof LifeError)) throw error
    spent()
    await end('failed', error.message)
  } finally {
    stopWatching()
    await living?.close()
    await own.close()
  }
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal: over }).catch(() => {})
}

/** Keeps what was remembered in the last ticks before one. It is kept at least as often as there are ticks of work. */
const keepMemories = ({ database }: Runtime, { id, seed }: LifeRow, tick: number): Promise<number> =>
  memoriesKeep.count(database, id, tick - WORK_TICKS, seed)

/** False when it was stopped: it goes on with the next leader, or was asked to end. */
async function makePersonas(
  runtime: Runtime,
  row: LifeRow,
  counts: LifeCounts,
  over: AbortSignal,
  spent: () => number,
  news: LifeNews,
): Promise<boolean> {
  let stopped = false
  const isMade = await createPersonas(runtime, row, {
    isStopped: () => stopped,
    isEnding: () => over.aborted,
    progress: async (personas, tied) => {
      counts.made = { personas, tied }
      const args = [row.id, 'making', null, JSON.stringify(counts), Math.round(spent())] as const
      const moved = await lifeMoved.first(runtime.database, ...args)
      stopped = moved?.state !== 'making'
      await news.tellSometimes()
    },
  })
  delete counts.made
  return isMade
}

/** Who looked in a tick, and what they decided. */
interface DecidedTick {
  looked: number[]
  decisions: StoredDecision[]
}

/** A life that is lived by this process. */
class Living {
  readonly #runtime: Runtime
  readonly #row: LifeRow
  readonly #stage: Stage
  readonly #counts: LifeCounts
  readonly #spent: () => number

  private constructor(runtime: Runtime, row: LifeRow, stage: Stage, spent: () => number) {
    this.#runtime = runtime
    this.#row = row
    this.#stage = stage
    this.#counts = stage.counts
    this.#spent = spent
  }

  static async open(
    runtime: Runtime,
    row: LifeRow,
    counts: LifeCounts,
    phases: Phases,
    spent: () => number,
  ): Promise<Living> {
    const { seed, tick_ms: tickMs } = row
    const personas = await loadPersonas(runtime, seed, row.personas)
    // Deleted accounts leave gaps, and positions are numbers in the mirror.
    if (personas.length !== row.personas)
      throw new LifeError(
        `${row.personas - personas.length} of the ${row.personas} personas of seed ${seed} were deleted. Choose another seed.`,
      )
    const plan = new LookPlan(seed, tickMs, personas)
    const stage = await openStage({
      runtime,
      seed,
      order: row.feed_order as FeedOrder,
      personas,
      plan,
      behaviour: await openBehaviour(runtime, row.behaviour as BehaviourPlan),
      views: new LifeViews(),
      counts,
      phases,
      lastLooks: lastLooks(plan, row, personas),
    })
    return new Living(runtime, row, stage, spent)
  }

  /** Lives a tick and returns the state of the life; undefined if the life is gone. */
  async live(tick: number, atMs: number, isLast: boolean): Promise<string | undefined> {
    const { database } = this.#runtime
    const { id } = this.#row
    const isRepeated = tick < this.#row.decided
    const tickOf = isRepeated ? await this.#stored(tick) : await this.#decide(tick, atMs, isLast)
    if (!tickOf) return undefined
    const { personas, phases } = this.#stage
    const { seed, sandbox_account: sandbox } = this.#row
    const sandboxAccount = sandbox === null ? null : parseBase36(sandbox)!
    const ads = await phases.time('ads', () =>
      showAds(this.#runtime, { ...tickOf, isRepeated, personas, seed, sandboxAccount, atMs }),
    )
    this.#counts.ads.impressions += ads.impressions
    this.#counts.ads.engagements += ads.engagements
    const actions = [...plannedActions(tickOf.decisions, personas), ...ads.actions]
    const performed = await phases.time('actions', () => performActions(this.#runtime, atMs, actions))
    for (const { planned, status } of performed) {
      const group = status < 400 ? this.#counts.actions : this.#counts.refused
      const { kind } = planned.action
      group[kind] = (group[kind] ?? 0) + 1
    }
    this.#counts.phase_ms = roundedMs(phases)
    return (await tickDone.first(database, id, tick, JSON.stringify(this.#counts), Math.round(this.#spent())))?.state
  }

  async #stored(tick: number): Promise<DecidedTick | undefined> {
    const row = await tickRead.first(this.#runtime.database, this.#row.id, tick)
    return row && { looked: row.looked, decisions: row.decisions as StoredDecision[] }
  }

  /** Decides a tick, and stores the decisions before any is carried out: after a crash the same are carried out. */
  async #decide(tick: number, atMs: number, isLast: boolean): Promise<DecidedTick | undefined> {
    const { views, counts, phases } = this.#stage
    const { looked, decisions } = await decideTick(this.#stage, tick, atMs)
    for (const { a } of decisions)
      for (const { kind } of a) if (isCountedKind(kind)) counts.actions[kind] = (counts.actions[kind] ?? 0) + 1
    const storeViews = views.take(isLast)
    const isThere = await phases.time('decisions', () =>
      change(this.#runtime, async (tx, invalidate) => {
        const text = JSON.stringify(decisions)
        if ((await tickDecided.count(tx, this.#row.id, tick, looked, text, JSON.stringify(counts))) === 0) return false
        await storeViews?.(tx, invalidate)
        return true
      }),
    )
    return isThere ? { looked, decisions } : undefined
  }

  close(): Promise<void> {
    return this.#stage.behaviour?.close() ?? Promise.resolve()
  }
}

const roundedMs = ({ ms }: Phases): Phases['ms'] =>
  Object.fromEntries(Object.entries(ms).map(([phase, value]) => [phase, Math.round(value)])) as Phases['ms']

/** When everybody looked last, found again from the plan for a life that goes on. */
function lastLooks(
  plan: LookPlan,
  { started_at, decided, tick_ms }: LifeRow,
  personas: readonly Persona[],
): Float64Array {
  const found = new Float64Array(personas.length)
  const startMs = started_at.getTime()
  for (let tick = Math.max(0, decided - DAY_MS / tick_ms); tick < decided; tick++) {
    const atMs = startMs + tick * tick_ms
    for (const position of plan.lookers(atMs)) found[position] = atMs
  }
  return found
}
