import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { blank, conflict } from '../api-kit/writing/problems.ts'
import { realNow } from '../process/clock.ts'
import { lifeAdd, lifeLast, lifeOf, lifeStop, ticksAfter } from './life.statements.ts'
import { type BehaviourPlan, countsOf, type FeedOrder, type LifeRow, type StoredDecision } from './life.ts'
import { tellLifeNews } from './life-news.ts'

export const TICK_MS = 60_000

/** What a life is made from. */
export interface LifeOrder {
  seed: number
  personas: number
  /** Null as fast as possible. */
  speed: number | null
  forMs: number
  order: FeedOrder
  behaviour: BehaviourPlan
  /** In base 36, as clients have it. */
  sandboxAccount: string | null
}

/** Plans a life. The process that leads lives it. */
export async function planLife(runtime: Runtime, order: LifeOrder): Promise<LifeRow> {
  const now = runtime.clock.now()
  const startMs = Math.ceil(now / TICK_MS) * TICK_MS
  const row = await lifeAdd.first(
    runtime.database,
    runtime.ids.next(),
    order.seed,
    order.personas,
    order.speed,
    TICK_MS,
    order.order,
    JSON.stringify(order.behaviour),
    order.sandboxAccount,
    new Date(startMs),
    new Date(startMs + order.forMs),
    runtime.clock.state().frozen !== undefined,
  )
  if (!row) throw conflict('Another life is not over. Stop it with live.stop, or wait for its end.')
  await tellLifeNews(runtime, row.id)
  return row
}

/** A life by its id, or the last one. */
export async function findLife(runtime: Runtime, id: string | undefined): Promise<LifeRow> {
  const row = id === undefined ? await lifeLast.first(runtime.database) : await lifeOf.first(runtime.database, id)
  if (!row) throw blank(404, id === undefined ? 'There is no life yet.' : `There is no life [${id}].`)
  return row
}

/** The last life, if there was one. */
export const lastLife = (runtime: Runtime): Promise<LifeRow | undefined> => lifeLast.first(runtime.database)

const OVER = ['stopped', 'ended', 'failed']
export const isOver = ({ state }: LifeRow): boolean => OVER.includes(state)

const STOPS_WITHIN_MS = 30_000
const LOOK_MS = 20

/** Stops the life that is not over, and waits until it has. What was decided is carried out first. */
export async function stopLife(runtime: Runtime): Promise<LifeRow> {
  const stopping = await lifeStop.first(runtime.database, null)
  if (!stopping) return findLife(runtime, undefined)
  const deadline = realNow() + STOPS_WITHIN_MS
  for (;;) {
    const row = await findLife(runtime, stopping.id)
    if (isOver(row) || realNow() >= deadline) return row
    await sleep(LOOK_MS)
  }
}

/** A life as commands show it. */
export function shownLife(row: LifeRow) {
  const startMs = row.started_at.getTime()
  const seconds = Number(row.busy_ms) / 1_000
  const counts = countsOf(row)
  return {
    id: row.id,
    state: row.state,
    ...(row.reason === null ? {} : { reason: row.reason }),
    seed: row.seed,
    personas: row.personas,
    speed: row.speed ?? ('max' as const),
    order: row.feed_order,
    behaviour: row.behaviour as BehaviourPlan,
    ...(row.sandbox_account === null ? {} : { sandbox: row.sandbox_account }),
    started_at: row.started_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    at: new Date(Math.min(row.ends_at.getTime(), startMs + row.done * row.tick_ms)).toISOString(),
    ticks: row.done,
    seconds: Math.round(seconds * 10) / 10,
    ...counts,
  }
}

const TICKS_PER_PAGE = 60

/** The decisions of the next ticks, one for each look with an action or, with `all`, for each look. */
export async function exportDecisions(runtime: Runtime, id: string, after: number, all: boolean) {
  const row = await findLife(runtime, id)
  const ticks = await ticksAfter.all(runtime.database, id, after, TICKS_PER_PAGE)
  const decisions = ticks.flatMap(({ tick, looked, decisions: stored }) => {
    const at = new Date(row.started_at.getTime() + tick * row.tick_ms).toISOString()
    const made = stored as StoredDecision[]
    const quiet = new Set(all ? looked : [])
    for (const { p } of made) quiet.delete(p)
    const shown = all ? made : made.filter(({ a }) => a.length > 0)
    return [...shown, ...[...quiet].map((p): StoredDecision => ({ p, a: [] }))].map(({ p, a }) => ({
      tick,
      at,
      persona: p,
      actions: a,
    }))
  })
  return { decisions, ...(ticks.length === TICKS_PER_PAGE ? { next: ticks.at(-1)!.tick } : {}) }
}
