import type { Clock } from '../process/clock.ts'
import type { IdMaker } from '../process/ids.ts'
import type { InFlight } from '../process/in-flight.ts'
import type { Logger } from '../process/logger.ts'
import type { OutgoingClient } from '../process/outgoing.ts'
import type { ProcessBus } from '../process/process-bus.ts'
import type { SecretBox } from '../process/secret-box.ts'
import type { StallWatch } from '../process/stall-watch.ts'
import { type Database, type Db, repeatingDeadlock, type Tx, transaction } from '../storage/database.ts'
import type { PriceTable } from './limits/price-table.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { PartCache } from './reading/part-cache.ts'
import type { RequestLog } from './serving/request-log.ts'

/** What a process has, and every operation may use. `start/create-runtime.ts` creates it. */
export interface Runtime {
  database: Database
  parts: PartCache
  clock: Clock
  ids: IdMaker
  log: Logger
  limiter: RateLimiter
  secretBox: SecretBox
  outgoing: OutgoingClient
  bus: ProcessBus
  requestLog: RequestLog
  inFlight: InFlight
  stalls: StallWatch
  /** Distinguishes running processes, 0 to 511. */
  machine: number
  baseUrl: string
  /** Scheme and host of the public address. */
  origin: string
  /** Path of the public address, without a slash at its end. The server's own links begin with it. */
  mount: string
  problemBase: string
  /** The same requests get the same answers in every run. */
  isDeterministic: boolean
  /** The disk of the database has too little space: requests that write are refused. */
  diskIsFull: boolean
  /** Other machines may use the same database. */
  isShared: boolean
  /** Sends invalidations to other machines without waiting. */
  passOn(invalidations: Invalidations): void
  rateLimits: 'on' | 'off'
  /** Who can reach the console. */
  console: 'off' | 'local' | 'on'
  /** Whether the sign-in page offers users to click: only on a server for development. */
  devSignIn: boolean
  /** Who may create an account on the registration page. */
  registration: 'open' | 'invitation' | 'closed'
  /** Whether advertising refuses parameters that an operation does not know. */
  strict: 'on' | 'off'
  prices: PriceTable
  /** What is read is counted. */
  hasUsage: boolean
  /** The addresses of the NATS servers; empty without NATS. */
  natsUrl: string
  /** The instance of a singleton; throws if this process does not have it. */
  singleton<T>(singleton: Singleton<T>): T
}

/** Something that a process has once, such as a queue or a connection. The declaration itself is the key to its instance. */
export interface Singleton<T> {
  readonly name: string
  create(runtime: Runtime): T
  stop?(instance: T): Promise<void> | void
}

/** Marks objects whose cached data a change has made stale. */
export type Invalidate = (kind: string, ...ids: string[]) => void

/**
 * Runs a change in one transaction. After its commit and before it returns, every process of this machine has invalidated what
 * the change marked, so no answer sent afterwards shows older data.
 */
export function change<T>(runtime: Runtime, work: (tx: Tx, invalidate: Invalidate) => Promise<T>): Promise<T> {
  return invalidatingChanged(runtime, (invalidate) => transaction(runtime.database, (tx) => work(tx, invalidate)))
}

/** The same for a change of one statement, which needs no transaction around it. */
export function changeByStatement<T>(
  runtime: Runtime,
  work: (db: Db, invalidate: Invalidate) => Promise<T>,
): Promise<T> {
  return invalidatingChanged(runtime, (invalidate) => work(runtime.database, invalidate))
}

async function invalidatingChanged<T>(runtime: Runtime, work: (invalidate: Invalidate) => Promise<T>): Promise<T> {
  const marked = new Map<string, Set<string>>()
  const invalidate: Invalidate = (kind, ...ids) => {
    const known = marked.get(kind) ?? new Set()
    for (const id of ids) known.add(id)
    marked.set(kind, known)
  }
  try {
    return await repeatingDeadlock(() => work(invalidate))
  } finally {
    // Also after a failure: a connection lost during commit leaves open whether the change was kept.
    if (marked.size > 0)
      await invalidateEverywhere(
        runtime,
        [...marked].map(([kind, ids]) => [kind, [...ids]]),
      )
  }
}

/** The kind under which processes learn that the world was replaced. */
const WORLD = 'world'

/** Calls back when the world was replaced by another: what is kept about the one before is wrong. Returns how to end that. */
export const onNewWorld = ({ parts }: Pick<Runtime, 'parts'>, listener: () => void): (() => void) =>
  parts.onInvalidate(WORLD, (ids) => {
    if (ids.length > 0) listener()
  })

/** Lets all processes drop what they keep about the world before, and `also` something else. */
export const announceNewWorld = (runtime: Runtime, also: Invalidations = []): Promise<void> =>
  invalidateEverywhere(runtime, [[WORLD, ['all']], ...also])

/** Kinds and ids to invalidate. */
export type Invalidations = [kind: string, ids: string[]][]

export async function invalidateEverywhere(runtime: Runtime, invalidations: Invalidations): Promise<void> {
  for (const [kind, ids] of invalidations) runtime.parts.invalidate(kind, ids)
  runtime.passOn(invalidations)
  await runtime.bus.sendAll('invalidate', invalidations)
}
