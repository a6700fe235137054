import type { RequestCost } from '../../api-kit/limits/returned-objects.ts'
import { type Database, repeatingDeadlock, transaction } from '../../storage/database.ts'
import { transactionId, wasCommitted } from '../../storage/transaction-outcome.ts'
import { objectsCount, requestsCount } from './usage.statements.ts'

/** An object that an answer showed and that this process has not counted today. */
export interface PendingObject {
  projectId: string
  appId: string
  kind: string
  id: string
  micros: number
  /** What the request costs so far. */
  cost: RequestCost
}

interface PendingRequests {
  projectId: string
  appId: string
  kind: string
  used: number
  micros: number
}

const AT_ONCE = 5_000

const keyOf = (projectId: string, kind: string, id: string): string => `${projectId} ${kind} ${id}`

/** What was used on one day and is not stored yet. */
export class PendingUsage {
  readonly day: string
  readonly projectIds = new Set<string>()
  readonly #objects: PendingObject[] = []
  readonly #requests = new Map<string, PendingRequests>()
  /** The last transaction that should have stored the requests. */
  #triedIn: string | undefined

  constructor(day: string) {
    this.day = day
  }

  get size(): number {
    return this.#objects.length + this.#requests.size
  }

  addObject(object: PendingObject): void {
    this.projectIds.add(object.projectId)
    this.#objects.push(object)
  }

  addRequest(projectId: string, appId: string, operation: string, micros: number): void {
    this.projectIds.add(projectId)
    const key = keyOf(projectId, operation, appId)
    const known = this.#requests.get(key) ?? { projectId, appId, kind: operation, used: 0, micros: 0 }
    known.used += 1
    known.micros += micros
    this.#requests.set(key, known)
  }

  /** Stores everything. What was stored before a failure is not stored again when it is tried another time. */
  async store(database: Database): Promise<void> {
    await this.#storeRequests(database)
    while (this.#objects.length > 0) {
      await repeatingDeadlock(() => this.#storeObjects(database, this.#objects.slice(0, AT_ONCE)))
      this.#objects.splice(0, AT_ONCE)
    }
  }

  async #storeObjects(database: Database, some: PendingObject[]): Promise<void> {
    const fresh = await objectsCount.all(
      database,
      this.day,
      some.map((item) => item.projectId),
      some.map((item) => item.appId),
      some.map((item) => item.kind),
      some.map((item) => item.id),
      some.map((item) => item.micros),
    )
    // Another process or an earlier one may have counted the others: only these cost something.
    const counted = new Set(fresh.map((row) => keyOf(row.project_id, row.kind, row.object_id)))
    for (const item of some) if (counted.has(keyOf(item.projectId, item.kind, item.id))) item.cost.micros += item.micros
  }

  // Objects are counted once whatever is repeated; of requests only the database knows whether a lost connection had stored them.
  async #storeRequests(database: Database): Promise<void> {
    const some = [...this.#requests.values()]
    if (some.length === 0) return
    if (this.#triedIn === undefined || !(await wasCommitted(database, this.#triedIn)))
      await repeatingDeadlock(() =>
        transaction(database, async (tx) => {
          this.#triedIn = await transactionId(tx)
          await requestsCount.count(
            tx,
            this.day,
            some.map((item) => item.projectId),
            some.map((item) => item.appId),
            some.map((item) => item.kind),
            some.map((item) => item.used),
            some.map((item) => item.micros),
          )
        }),
      )
    this.#requests.clear()
  }
}
