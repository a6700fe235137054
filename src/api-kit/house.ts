import type { Clock } from '../process/clock.ts'
import type { IdMaker } from '../process/ids.ts'
import type { Logger } from '../process/logger.ts'
import type { OutgoingClient } from '../process/outgoing.ts'
import type { Sealer } from '../process/sealer.ts'
import type { Switchboard } from '../process/switchboard.ts'
import type { UnderWay } from '../process/under-way.ts'
import { type Database, type Db, repeatingDeadlock, type Tx, transaction } from '../storage/database.ts'
import type { PartStore } from './part-store.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { RequestRecord } from './request-record.ts'

/** What every operation may use: one value per process, made where the parts meet. */
export interface House {
  database: Database
  parts: PartStore
  clock: Clock
  ids: IdMaker
  log: Logger
  limiter: RateLimiter
  sealer: Sealer
  outgoing: OutgoingClient
  switchboard: Switchboard
  record: RequestRecord
  underWay: UnderWay
  /** Distinguishes running processes, 0 to 1023. */
  machine: number
  baseUrl: string
  /** Scheme and host of the public address. */
  origin: string
  /** Path of the public address, without a slash at its end: what our own links begin with. */
  mount: string
  problemBase: string
  rateLimits: 'on' | 'off'
}

/** Names objects whose remembered facts a change makes old. */
export type Touch = (kind: string, ...ids: string[]) => void

/**
 * Runs a change in one transaction and, after its commit and before returning, makes every process of this machine
 * forget what it touched: an answer sent afterwards is never older than the change.
 */
export function change<T>(house: House, work: (tx: Tx, touch: Touch) => Promise<T>): Promise<T> {
  return forgettingTouched(house, (touch) => transaction(house.database, (tx) => work(tx, touch)))
}

/** The same for a change that is one statement: all or nothing by itself, so that it needs no transaction around it. */
export function changeByStatement<T>(house: House, work: (db: Db, touch: Touch) => Promise<T>): Promise<T> {
  return forgettingTouched(house, (touch) => work(house.database, touch))
}

async function forgettingTouched<T>(house: House, work: (touch: Touch) => Promise<T>): Promise<T> {
  const touched = new Map<string, Set<string>>()
  const touch: Touch = (kind, ...ids) => {
    const known = touched.get(kind) ?? new Set()
    for (const id of ids) known.add(id)
    touched.set(kind, known)
  }
  try {
    return await repeatingDeadlock(() => work(touch))
  } finally {
    // Also after a failure: a connection lost during commit leaves open whether the change was kept.
    if (touched.size > 0)
      await forgetEverywhere(
        house,
        [...touched].map(([kind, ids]) => [kind, [...ids]]),
      )
  }
}

/** Kind and ids to forget. */
export type Forgotten = [kind: string, ids: string[]][]

export async function forgetEverywhere(house: House, forgotten: Forgotten): Promise<void> {
  for (const [kind, ids] of forgotten) house.parts.forget(kind, ids)
  await house.switchboard.tellAll('forget', forgotten)
}
