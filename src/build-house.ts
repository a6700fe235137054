import type { Forgotten, House } from './api-kit/house.ts'
import { PartStore } from './api-kit/part-store.ts'
import { RateLimiter } from './api-kit/rate-limiter.ts'
import { type RecordFilter, RequestRecord } from './api-kit/request-record.ts'
import { stopTail } from './events/house-tail.ts'
import { createClock } from './process/clock.ts'
import { createIdMaker } from './process/ids.ts'
import type { Logger } from './process/logger.ts'
import { createOutgoingClient } from './process/outgoing.ts'
import { createSealer } from './process/sealer.ts'
import type { Switchboard } from './process/switchboard.ts'
import { UnderWay } from './process/under-way.ts'
import { baseUrl, type Settings } from './settings.ts'
import type { Database } from './storage/database.ts'

/** What a process brings along; the rest of the house is made from it. */
export interface Ground {
  settings: Settings
  database: Database
  switchboard: Switchboard
  log: Logger
  /** Distinguishes the ids of running processes, 0 to 1023. */
  machine: number
  secretKey: string
}

// Other machines on the same database are not heard of: what is remembered must be younger than this.
const SHARED_DATABASE_AGE_MS = 900

/** Makes the house of a process and listens to what the other processes of this machine change. */
export function createHouse(ground: Ground): House {
  const { settings, database, switchboard } = ground
  const clock = createClock()
  const parts = new PartStore({
    db: database,
    maxBytes: settings.cacheMb * 1024 * 1024,
    maxAgeMs: settings.databaseUrl === '' ? Infinity : SHARED_DATABASE_AGE_MS,
  })
  const record = new RequestRecord(settings.requestRecord, ground.machine)
  switchboard.answer('forget', (forgotten: Forgotten) => {
    for (const [kind, ids] of forgotten) parts.forget(kind, ids)
  })
  switchboard.answer('forget-all', () => parts.forgetAll())
  switchboard.answer('clock', (offsetMs: number) => clock.setOffset(offsetMs))
  switchboard.answer('requests', (filter: RecordFilter) => record.read(filter))
  const address = baseUrl(settings)
  const { origin, pathname } = new URL(address)
  return {
    database,
    parts,
    clock,
    ids: createIdMaker(clock, ground.machine),
    log: ground.log,
    limiter: new RateLimiter(database),
    sealer: createSealer(ground.secretKey),
    outgoing: createOutgoingClient({ allowPrivate: settings.privateWebhooks === 'on' }),
    switchboard,
    record,
    underWay: new UnderWay(),
    machine: ground.machine,
    baseUrl: address,
    origin,
    mount: pathname.replace(/\/$/, ''),
    problemBase: `${address}/2/problems`,
    rateLimits: settings.rateLimits,
  }
}

/** Waits for what is under way and lets go of everything that the house holds. */
export async function closeHouse(house: House): Promise<void> {
  await house.underWay.settled()
  await stopTail(house)
  await house.database.close()
}
