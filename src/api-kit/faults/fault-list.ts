import { invalidateEverywhere, type Runtime } from '../runtime.ts'
import { defineSingleton } from '../singleton.ts'
import { type FaultRow, faultsActive, faultTake } from './fault.statements.ts'
import { type FaultPattern, parsePattern } from './fault-pattern.ts'

/** The kind under which changes of faults are announced to all processes. */
const KIND = 'fault'
// Where a message between machines may be lost, as with cached parts.
const SHARED_DATABASE_AGE_MS = 900

/** A fault of requests that can still happen. */
export interface RequestFault {
  row: FaultRow
  pattern: FaultPattern
}

/** Compared by identity: this is all that a request costs while there is no fault. */
const NONE: readonly never[] = []

interface Lists {
  requests: readonly RequestFault[]
  deliveries: readonly FaultRow[]
}

/** The faults as this process knows them. The rows decide; this list only says which to ask. */
export class FaultList {
  readonly #runtime: Runtime
  readonly #maxAgeMs: number
  #lists: Lists | undefined
  #loading: Promise<Lists> | undefined
  #loadedAt = 0
  readonly #stopping = new AbortController()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#maxAgeMs = runtime.isShared ? SHARED_DATABASE_AGE_MS : Infinity
    runtime.parts.onInvalidate(KIND, () => {
      this.#lists = undefined
      this.#loading = undefined
    })
  }

  /** Aborted when the process stops: nothing waits longer on purpose. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** False when no request can fail. */
  get hasRequestFaults(): boolean {
    return this.#current()?.requests !== NONE
  }

  /** False when no delivery can fail on purpose. */
  get hasDeliveryFaults(): boolean {
    return this.#current()?.deliveries !== NONE
  }

  /** The faults of requests; none while the database is away. */
  async requests(): Promise<readonly RequestFault[]> {
    return (await this.#load())?.requests ?? NONE
  }

  async deliveries(): Promise<readonly FaultRow[]> {
    return (await this.#load())?.deliveries ?? NONE
  }

  /** Takes one use of a fault; false when it does not happen this time. */
  async take({ id }: FaultRow): Promise<boolean> {
    const taken = await faultTake.first(this.#runtime.database, id)
    if (!taken || taken.is_spent) this.#drop(id)
    return taken?.happens ?? false
  }

  #current(): Lists | undefined {
    if (this.#maxAgeMs !== Infinity && performance.now() - this.#loadedAt > this.#maxAgeMs) this.#lists = undefined
    return this.#lists
  }

  async #load(): Promise<Lists | undefined> {
    const current = this.#current()
    if (current) return current
    this.#loading ??= this.#read()
    return this.#loading.catch(() => undefined)
  }

  #read(): Promise<Lists> {
    const reading = faultsActive.all(this.#runtime.database).then(listsOf)
    const settle = (lists: Lists | undefined) => {
      // Invalidated meanwhile: the next request reads again.
      if (this.#loading !== reading) return
      this.#loading = undefined
      this.#lists = lists
      this.#loadedAt = performance.now()
    }
    reading.then(settle, () => settle(undefined))
    return reading
  }

  #drop(id: string): void {
    if (!this.#lists) return
    const { requests, deliveries } = this.#lists
    this.#lists = {
      requests: orNone(requests.filter(({ row }) => row.id !== id)),
      deliveries: orNone(deliveries.filter((row) => row.id !== id)),
    }
  }
}

const listsOf = (rows: readonly FaultRow[]): Lists => ({
  requests: orNone(
    rows.filter((row) => row.target === 'request').map((row) => ({ row, pattern: parsePattern(row.match!)! })),
  ),
  deliveries: orNone(rows.filter((row) => row.target === 'delivery')),
})

const orNone = <T>(items: readonly T[]): readonly T[] => (items.length === 0 ? NONE : items)

export const faultList = defineSingleton({
  name: 'fault list',
  create: (runtime) => new FaultList(runtime),
  stop: (list) => list.stop(),
})

/** Lets every process read the faults again before it serves its next request. */
export const announceFaults = (runtime: Runtime): Promise<void> => invalidateEverywhere(runtime, [[KIND, ['all']]])
