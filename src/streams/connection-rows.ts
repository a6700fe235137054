import { randomInt } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { realNow } from '../process/clock.ts'
import { keepTrying, pauseFor, type Stoppable } from '../process/keep-trying.ts'
import { untilEnd } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { openOwnConnection } from '../storage/own-connection.ts'
import {
  connectionLock,
  connectionOpen,
  connectionOpenBesideLiving,
  connectionsAbandon,
  connectionsClose,
  connectionsRenew,
} from './connection.statements.ts'

/** A process that has not renewed its connections for this long counts as stopped. */
export const LOST_AFTER_MS = 20_000
const RETRY_MS = 200
const LARGEST_NUMBER = 2 ** 31 - 1

/** What a connection takes of an app's limit. */
export interface Slot {
  endpoint: string
  partition?: number | undefined
  /** How many connections the app may have. */
  most: number
}

/**
 * The stored connections of this process. A process holds an advisory lock while it serves streams. The lock ends with the
 * process, so connections of a process that died do not count against an app's limit, even before they are lost.
 */
export class ConnectionRows {
  readonly #runtime: Runtime
  /** The number of the lock. Each process chooses its own. */
  readonly #process = randomInt(1, LARGEST_NUMBER)
  /** Connections that have a row, or may get one. */
  readonly #open = new Set<string>()
  /** Ends that are not stored yet. */
  readonly #ended = new Map<string, { at: Date; reason: string }>()
  #storing: Promise<void> | undefined
  #holding: Stoppable | undefined
  #isHeld = false
  readonly #waiting: { resolve(): void; reject(error: unknown): void }[] = []
  #cleared: Promise<unknown> | undefined
  #isStopped = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Resolves when this process holds its lock, which it takes again whenever the connection was lost. */
  async hold(): Promise<void> {
    this.#holding ??= keepTrying({
      attempt: (stopping) => this.#holdOnce(stopping),
      // An outage is reported by whatever uses the database.
      failed: () => {},
      pause: (stopping) => pauseFor(RETRY_MS, stopping),
    })
    if (!this.#isHeld) await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async #holdOnce(stopping: AbortSignal): Promise<void> {
    const broken = new AbortController()
    try {
      const { connection } = this.#runtime.database
      const own = await openOwnConnection(connection, 'rostra streams', () => broken.abort())
      try {
        await own.client.query('select pg_advisory_lock($1, $2)', [LOCK.streamProcess, this.#process])
        this.#isHeld = true
        for (const { resolve } of this.#waiting.splice(0)) resolve()
        await untilEnd(AbortSignal.any([stopping, broken.signal]))
      } finally {
        this.#isHeld = false
        await own.close()
      }
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
      throw error
    }
  }

  /** Closes connections that an earlier process with this machine number left open. It runs once. */
  closeAbandoned(): Promise<unknown> {
    const { database, clock, machine } = this.#runtime
    this.#cleared ??= connectionsAbandon
      .count(database, machine, new Date(clock.now()), this.#process)
      .catch((error: unknown) => {
        this.#cleared = undefined
        throw error
      })
    return this.#cleared
  }

  /** Stores a connection; false when the app is at its limit. */
  async open(id: string, appId: string, { endpoint, partition, most }: Slot, request: RequestFacts): Promise<boolean> {
    // Connections of this process that have ended must not count.
    if (this.#ended.size > 0) await this.#store()
    this.#open.add(id)
    try {
      const opened = await change(this.#runtime, async (tx) => {
        await connectionLock.count(tx, `${appId}:${endpoint}`)
        const now = realNow()
        const lost = new Date(now - LOST_AFTER_MS)
        const connectedAt = new Date(this.#runtime.clock.now())
        const { machine } = this.#runtime
        const facts = [
          id,
          appId,
          endpoint,
          request.remoteAddress,
          machine,
          connectedAt,
          most,
          new Date(now),
          lost,
        ] as const
        const own = [partition ?? null, this.#process] as const
        return (
          (await connectionOpen.first(tx, ...facts, ...own)) ??
          // The limit is reached. Only then it is worth finding out which processes are alive.
          (await connectionOpenBesideLiving.first(tx, ...facts, ...own, [...this.#open]))
        )
      })
      if (!opened) this.#open.delete(id)
      return opened !== undefined
    } catch (error) {
      // The commit may have been kept although its answer was lost.
      this.close(id, 'InternalError')
      throw error
    }
  }

  /** Stores the end of a connection, as soon as the database answers. */
  close(id: string, reason: string): void {
    this.#open.delete(id)
    this.#ended.set(id, { at: new Date(this.#runtime.clock.now()), reason })
    this.#storing ??= this.#storeEnds().finally(() => {
      this.#storing = undefined
    })
  }

  /** Records that this process still serves connections; returns those that another process closed. */
  async renew(ids: readonly string[]): Promise<string[]> {
    const rows = await connectionsRenew.all(this.#runtime.database, ids, new Date(realNow()))
    return rows.map((row) => row.id)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#holding?.stop()
  }

  // Ends of one turn of the event loop are stored together, and those that come meanwhile after them.
  async #storeEnds(): Promise<void> {
    const { inFlight, log } = this.#runtime
    let failures = 0
    while (this.#ended.size > 0 && (failures === 0 || !this.#isStopped)) {
      // The stop of the process waits for the first try only.
      if (failures === 0) inFlight.begin()
      try {
        await setImmediate()
        await this.#store()
        if (failures === 0) inFlight.end()
        failures = 0
      } catch (error) {
        if (failures === 0) {
          inFlight.end()
          log.warn({ err: error }, 'the ends of streams could not be stored and will be retried')
        }
        failures += 1
        await setTimeout(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  async #store(): Promise<void> {
    const ends = [...this.#ended]
    await connectionsClose.count(
      this.#runtime.database,
      ends.map(([id]) => id),
      ends.map(([, end]) => end.at.toISOString()),
      ends.map(([, end]) => end.reason),
    )
    for (const [id] of ends) this.#ended.delete(id)
  }
}
