import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Operation } from '../../api-kit/declaring/operation.ts'
import type { Meter } from '../../api-kit/limits/meter.ts'
import type { RequestCost, ReturnedObjects } from '../../api-kit/limits/returned-objects.ts'
import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { isStorableId } from '../../process/ids.ts'
import { capReached, type ProjectUsage, refusal } from './caps.ts'
import { PendingUsage } from './pending-usage.ts'
import { usageTotals } from './usage.statements.ts'

/** How long usage may wait in memory. A process that is killed loses at most this. */
const STORE_MS = 1_000
/** Objects remembered as counted, over all projects. More are forgotten: the database knows them. */
const MOST_SEEN = 500_000
/** Objects that wait while the database is away. Further ones are not counted. */
const MOST_WAITING = 500_000
/** Projects whose totals are kept, so a project that reads now and then does not wait for them. */
const MOST_PROJECTS = 10_000
const MOST_TRIES = 3
const DAY_MS = 24 * 3600_000

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** What an operation can use. */
interface OperationUse {
  /** The kind of object that it answers with. */
  kind: string | undefined
  /** The price of a request. */
  micros: number
  /** Nothing that it does counts. */
  isFree: boolean
}

/**
 * Counts the objects that the reads of a project return, each once a day, and what requests cost. A request only adds to memory;
 * once a second everything new is stored in a few statements, and the totals of all processes are read again.
 */
class UsageMeter implements Meter {
  readonly #runtime: Runtime
  readonly #uses = new Map<string, OperationUse>()
  readonly #projects = new Map<string, ProjectUsage>()
  /** Objects that were counted, by project and kind. */
  #seen = new Map<string, Map<string, Set<string>>>()
  #seenCount = 0
  #dayNumber = 0
  #pending: PendingUsage
  /** What could not be stored yet, of this day or earlier ones. */
  #late: PendingUsage[] = []
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> | undefined
  #uncounted = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#pending = new PendingUsage('')
    runtime.bus.answer('usage.settle', () => this.settle())
    onNewWorld(runtime, () => this.forget())
  }

  admit(caller: Caller, operation: Operation): Promise<void> | undefined {
    const use = this.#useOf(operation)
    if (use.isFree) return undefined
    this.#checkDay()
    this.#storeSoon()
    const known = this.#projects.get(caller.app.projectId)
    if (!known || capReached(known, caller, use, this.#runtime.prices)) return this.#admitExactly(caller, use)
    known.isUsed = true
    return undefined
  }

  count(
    caller: Caller,
    operation: Operation,
    returned: ReturnedObjects,
    { ofOwnData }: { ofOwnData: boolean },
  ): RequestCost | undefined {
    const { micros, kind: ownKind } = this.#useOf(operation)
    if (micros === 0 && returned.length === 0) return undefined
    this.#checkDay()
    // An operation that answers with posts was refused before; others may include some.
    if (ownKind !== 'post' && returned.some(([kind, ids]) => kind === 'post' && ids.length > 0))
      this.#refuseIncluded(caller)
    const cost: RequestCost = { micros }
    const { projectId, id: appId } = caller.app
    if (micros > 0) {
      this.#pending.addRequest(projectId, appId, operation.id, micros)
      this.#expect(projectId, 0, micros)
    }
    for (const [kind, ids] of returned) this.#countObjects(caller, kind, ids, ofOwnData, cost)
    if (this.#pending.size > 0) this.#storeSoon()
    return cost
  }

  /** Counts objects that were delivered, as by a stream. */
  countDelivered(app: { id: string; projectId: string }, kind: string, ids: readonly string[]): void {
    this.#checkDay()
    this.#countObjects({ app }, kind, ids, false, { micros: 0 })
    if (this.#pending.size > 0) this.#storeSoon()
  }

  /** Stores what is in memory and reads the totals of these projects. */
  async store(projectIds: readonly string[] = []): Promise<void> {
    while (this.#storing) await this.#storing.catch(() => {})
    this.#storing = this.#storeNow(projectIds).finally(() => {
      this.#storing = undefined
    })
    return this.#storing
  }

  /** Stores what is in memory. The next request of each project reads its totals again. */
  async settle(): Promise<void> {
    await this.store()
    this.#projects.clear()
  }

  /** Forgets everything: the world was replaced. */
  forget(): void {
    this.#projects.clear()
    this.#late = []
    this.#dayNumber = 0
    this.#checkDay()
    this.#pending = new PendingUsage(this.#pending.day)
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#pending.size === 0 && this.#late.length === 0) return
    await this.store().catch((error: unknown) =>
      this.#runtime.log.warn({ err: error }, 'the usage of the last second could not be stored'),
    )
  }

  #useOf(operation: Operation): OperationUse {
    let use = this.#uses.get(operation.id)
    if (!use) {
      const { objects, operations } = this.#runtime.prices
      const kind = operation.method === 'GET' ? operation.query.selection?.kindOfObject?.() : undefined
      const micros = operations[operation.id] ?? 0
      use = { kind, micros, isFree: micros === 0 && kind !== 'post' && !(kind !== undefined && objects[kind]) }
      this.#uses.set(operation.id, use)
    }
    return use
  }

  #countObjects(
    { app }: { app: { id: string; projectId: string } },
    kind: string,
    ids: readonly string[],
    ofOwnData: boolean,
    cost: RequestCost,
  ): void {
    const { objects, ownedObject } = this.#runtime.prices
    const price = objects[kind]
    if (price === undefined && kind !== 'post') return
    const { projectId, id: appId } = app
    const seen = this.#seenOf(projectId, kind)
    const micros = ofOwnData ? (ownedObject ?? price ?? 0) : (price ?? 0)
    for (const id of ids) {
      if (seen.has(id) || !isStorableId(id)) continue
      if (this.#pending.size >= MOST_WAITING) {
        this.#uncounted += 1
        continue
      }
      seen.add(id)
      this.#seenCount += 1
      this.#pending.addObject({ projectId, appId, kind, id, micros, cost })
      this.#expect(projectId, kind === 'post' ? 1 : 0, micros)
    }
  }

  #seenOf(projectId: string, kind: string): Set<string> {
    let kinds = this.#seen.get(projectId)
    if (!kinds) {
      kinds = new Map()
      this.#seen.set(projectId, kinds)
    }
    let seen = kinds.get(kind)
    if (!seen) {
      seen = new Set()
      kinds.set(kind, seen)
    }
    return seen
  }

  /** Adds to the totals of a project what is probably new, until they are read again. */
  #expect(projectId: string, posts: number, micros: number): void {
    const known = this.#projects.get(projectId)
    if (!known) return
    known.posts += posts
    known.monthMicros += micros
    known.dayMicros += micros
    known.isExact = false
  }

  async #admitExactly(caller: Caller, use: OperationUse): Promise<void> {
    const usage = await this.#exactUsage(caller.app.projectId)
    const reached = usage && capReached(usage, caller, use, this.#runtime.prices)
    if (reached) throw refusal(caller, reached)
  }

  // Of many requests at once, one reads the totals. A project that reads all the time may get an estimate.
  async #exactUsage(projectId: string): Promise<ProjectUsage | undefined> {
    for (let tries = 1; ; tries++) {
      while (this.#storing) await this.#storing.catch(() => {})
      const known = this.#projects.get(projectId)
      if (known) known.isUsed = true
      if (known?.isExact || tries > MOST_TRIES) return known
      await this.store([projectId])
    }
  }

  #refuseIncluded(caller: Caller): void {
    const known = this.#projects.get(caller.app.projectId)
    const reached = known && capReached(known, caller, { kind: 'post', micros: 0 }, this.#runtime.prices)
    if (reached?.scope === 'Product') throw refusal(caller, reached)
  }

  // A new day begins with nothing seen; what waits belongs to the old one.
  #checkDay(): void {
    const now = this.#runtime.clock.now()
    const number = Math.floor(now / DAY_MS)
    if (number === this.#dayNumber) return
    this.#dayNumber = number
    this.#seen = new Map()
    this.#seenCount = 0
    this.#projects.clear()
    if (this.#pending.size > 0) this.#late.push(this.#pending)
    this.#pending = new PendingUsage(dayOf(now))
  }

  #storeSoon(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.store().catch((error: unknown) => {
        this.#runtime.log.warn({ err: error }, 'usage could not be stored and waits')
        this.#storeSoon()
      })
    }, STORE_MS)
    this.#timer.unref()
  }

  async #storeNow(more: readonly string[]): Promise<void> {
    this.#checkDay()
    const { database, log } = this.#runtime
    if (this.#pending.size > 0) {
      this.#late.push(this.#pending)
      this.#pending = new PendingUsage(this.#pending.day)
    }
    const used = [...this.#projects].filter(([, project]) => project.isUsed).map(([id]) => id)
    const ids = new Set([...more, ...used, ...this.#late.flatMap((part) => [...part.projectIds])])
    while (this.#late.length > 0) {
      await this.#late[0]!.store(database)
      this.#late.shift()
    }
    if (ids.size > 0) await this.#readTotals([...ids])
    if (this.#uncounted > 0) log.warn({ objects: this.#uncounted }, 'objects were not counted: too many waited')
    this.#uncounted = 0
    // Only now: nothing waits twice in one statement.
    if (this.#seenCount > MOST_SEEN && this.#pending.size === 0) {
      this.#seen = new Map()
      this.#seenCount = 0
    }
  }

  async #readTotals(ids: string[]): Promise<void> {
    const day = this.#pending.day
    const rows = await usageTotals.all(this.#runtime.database, ids, day)
    if (this.#projects.size > MOST_PROJECTS) this.#projects.clear()
    for (const row of rows)
      this.#projects.set(row.project_id, {
        posts: row.posts,
        monthMicros: row.month_micros,
        dayMicros: row.day_micros,
        postCap: row.monthly_post_cap,
        monthBudget: row.monthly_budget_micros,
        dayBudget: row.daily_budget_micros,
        // What was counted meanwhile is missing in these totals.
        isExact: !this.#pending.projectIds.has(row.project_id),
        isUsed: false,
      })
  }
}

/** The meter of this process. */
export const usageMeter = defineSingleton({
  name: 'usage meter',
  create: (runtime) => new UsageMeter(runtime),
  stop: (meter) => meter.stop(),
})

export const meterOf = (runtime: Runtime): UsageMeter => runtime.singleton(usageMeter)

/** Stores what every process of this machine has in memory, and lets them read changed caps and budgets. */
export async function storeUsage(runtime: Runtime): Promise<void> {
  await Promise.all([meterOf(runtime).settle(), runtime.bus.askAll('usage.settle', null)])
}
