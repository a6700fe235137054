import { RateLimiter } from '../api-kit/limits/rate-limiter.ts'
import { PartCache } from '../api-kit/reading/part-cache.ts'
import { type Invalidations, onNewWorld, type Runtime, type Singleton } from '../api-kit/runtime.ts'
import { RequestLog, type RequestLogFilter } from '../api-kit/serving/request-log.ts'
import { Singletons } from '../api-kit/singleton.ts'
import { type ClockState, createClock } from '../process/clock.ts'
import { type Determinism, FIXED_CLOCK } from '../process/deterministic.ts'
import { createCountingIdMaker, createIdMaker } from '../process/ids.ts'
import { InFlight } from '../process/in-flight.ts'
import type { Logger } from '../process/logger.ts'
import { createOutgoingClient } from '../process/outgoing.ts'
import type { ProcessBus } from '../process/process-bus.ts'
import { createSecretBox } from '../process/secret-box.ts'
import { createStallWatch } from '../process/stall-watch.ts'
import { baseUrl, type Settings } from '../settings.ts'
import { setLinkBase } from '../social/links/short-link.ts'
import type { Database } from '../storage/database.ts'

/** What the runtime is made from. */
interface RuntimeOptions {
  settings: Settings
  database: Database
  bus: ProcessBus
  log: Logger
  /** Distinguishes the ids of running processes, 0 to 511. */
  machine: number
  secretKey: string
  /** Real time that was reached before this process; the clock does not begin earlier. */
  clockReachedMs?: number
  determinism?: Determinism | undefined
  /** In the order in which they are created; they are stopped in reverse. */
  singletons: readonly Singleton<unknown>[]
}

/** A runtime as the process that made it sees it. */
export interface ProcessRuntime extends Runtime {
  /** Waits for work in flight, stops the singletons and closes the database. */
  close(): Promise<void>
}

// Other machines on the same database send invalidations, but a message may be lost: cached data must be younger than this.
const SHARED_DATABASE_AGE_MS = 900

/** Creates the runtime of a process and subscribes to what the other processes of this machine change. */
export function createRuntime(options: RuntimeOptions): ProcessRuntime {
  const { settings, database, bus } = options
  const { determinism } = options
  const clock = createClock(options.clockReachedMs, determinism ? FIXED_CLOCK : undefined)
  const parts = new PartCache({
    db: database,
    maxBytes: settings.cacheMb * 1024 * 1024,
    maxAgeMs: settings.databaseUrl === '' ? Infinity : SHARED_DATABASE_AGE_MS,
  })
  const requestLog = new RequestLog(settings.requestLog, options.machine)
  bus.answer('invalidate', (forgotten: Invalidations) => {
    for (const [kind, ids] of forgotten) parts.invalidate(kind, ids)
  })
  bus.answer('invalidate-all', () => parts.invalidateAll())
  onNewWorld({ parts }, () => parts.invalidateAll())
  bus.answer('clock', (state: ClockState) => clock.setState(state))
  bus.answer('disk-full', (isFull: boolean) => {
    runtime.diskIsFull = isFull
  })
  bus.answer('request', (seq: string) => requestLog.find(seq))
  bus.answer('calls', () => requestLog.readCalls())
  bus.answer('requests', (filter: RequestLogFilter) => requestLog.read(filter))
  const address = baseUrl(settings)
  const { origin, pathname } = new URL(address)
  setLinkBase(settings.linkHost, address)
  const singletons = new Singletons()
  const runtime: ProcessRuntime = {
    database,
    parts,
    clock,
    ids: determinism
      ? createCountingIdMaker(clock, options.machine, determinism.starts)
      : createIdMaker(clock, options.machine),
    log: options.log,
    limiter: new RateLimiter(database),
    secretBox: createSecretBox(options.secretKey),
    outgoing: createOutgoingClient({ allowPrivate: settings.privateWebhooks === 'on' }),
    bus,
    requestLog,
    inFlight: new InFlight(),
    // The other processes did not wait: what they changed meanwhile may not have arrived yet.
    stalls: createStallWatch((forMs) => {
      options.log.warn(`the event loop stood still for ${Math.round(forMs)} ms; cached data is dropped`)
      parts.invalidateAll()
    }),
    machine: options.machine,
    baseUrl: address,
    origin,
    mount: pathname.replace(/\/$/, ''),
    problemBase: `${address}/2/problems`,
    isDeterministic: determinism !== undefined,
    diskIsFull: false,
    isShared: settings.databaseUrl !== '',
    // Replaced by the singleton that knows how, where there may be other machines.
    passOn: () => {},
    rateLimits: settings.rateLimits,
    strict: settings.strict,
    console: settings.console,
    devSignIn: settings.devSignIn === 'on',
    registration: settings.registration,
    prices: settings.priceTable,
    hasUsage: settings.usage === 'on',
    natsUrl: settings.natsUrl,
    singleton: (singleton) => singletons.get(singleton),
    close: async () => {
      await runtime.inFlight.settled()
      runtime.stalls.stop()
      await singletons.stop()
      await database.close()
    },
  }
  singletons.create(runtime, options.singletons)
  return runtime
}
