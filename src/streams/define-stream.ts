import { setTimeout as pause } from 'node:timers/promises'
import type { Caller, Tier } from '../api-kit/declaring/caller.ts'
import { defineOperation, type Operation, type RequestFacts } from '../api-kit/declaring/operation.ts'
import { type Parameter, wholeNumber } from '../api-kit/declaring/parameters.ts'
import type { TSchema } from '../api-kit/declaring/schema.ts'
import type { ReadContext } from '../api-kit/reading/read-context.ts'
import { checkTimes, type TimeBounds, timeBounds } from '../api-kit/reading/time-bounds.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { tierTooLow } from '../api-kit/serving/gate.ts'
import { StreamAnswer } from '../api-kit/writing/answer.ts'
import { problemBaseOf } from '../api-kit/writing/problem.ts'
import type { DisconnectType } from '../api-kit/writing/problem-words.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { readSequenceAt } from '../events/log-tail.ts'
import { capOf, FULL_TIERS, hasFullTier } from '../identity/tier-caps.ts'
import { recoveryName } from './endpoint-names.ts'
import { type Channel, hubOf, type LogRange } from './hub.ts'
import { OpenStream } from './open-stream.ts'
import { streamingConnection } from './stream-problems.ts'

const RECOVERY_MS = 24 * 3600_000
const RECOVERIES_AT_ONCE = 2
const SETTLED_MS = 10_000
const READY_WITHIN_MS = 3_000

/** The query parameters that all streams have. */
interface CommonQuery {
  backfill_minutes: number | undefined
  bounds?: TimeBounds
  partition?: number | undefined
}

interface StreamDeclaration<W, Q extends Record<string, Parameter<unknown>>> {
  id: string
  route: `GET /${string}`
  tag: string
  summary: string
  /** Its name in the list of connections. */
  endpoint: string
  tiers?: readonly Tier[]
  limit?: { app: string }
  /** How many connections an app may have to each partition at once. */
  connections: (caller: Caller) => number
  /** The number of partitions, of which a connection reads one. */
  partitions?: number
  /** Whether clients can request a time range of the last day again. */
  recovery: boolean
  query: Q
  reply: TSchema
  channel: Channel<W>
  /** How an open stream ends when the tier of its app has changed; `caller` has the new tier. */
  endOnTierChange?: (runtime: Runtime, caller: Caller) => Promise<DisconnectType>
  /** Refuses the request, or returns what the channel needs to serve it. */
  wants: (input: {
    query: Record<string, unknown> & CommonQuery
    caller: Caller
    runtime: Runtime
    context: ReadContext
    rawQuery: string
  }) => Promise<W>
}

/** Declares a stream: an operation whose answer stays open and gets lines from a channel. */
export function defineStream<W, Q extends Record<string, Parameter<unknown>>>(
  declaration: StreamDeclaration<W, Q>,
): Operation {
  const { partitions } = declaration
  return defineOperation({
    id: declaration.id,
    route: declaration.route,
    tag: declaration.tag,
    summary: declaration.summary,
    auth: { app: true, ...(declaration.tiers ? { tiers: declaration.tiers } : {}) },
    limit: declaration.limit,
    streaming: true,
    query: {
      backfill_minutes: wholeNumber({ min: 0, max: 5 }),
      ...(partitions === undefined ? {} : { partition: wholeNumber({ min: 1, max: partitions }, { required: true }) }),
      ...(declaration.recovery ? timeBounds() : {}),
      ...declaration.query,
    } as Record<string, Parameter<unknown>>,
    reply: declaration.reply,
    handle: async ({ query: read, caller, runtime, context, naming, request }) => {
      const query = read as Record<string, unknown> & CommonQuery
      const wants = await declaration.wants({ query, caller, runtime, context, rawQuery: request.rawQuery })
      const isRecovery = checkRange(query, caller, runtime)
      const hub = hubOf(runtime)
      await readySoon(hub.ready())
      const perSecond = capOf(caller, 'stream_lines_per_second')
      const slot = isRecovery
        ? { endpoint: recoveryName(declaration.endpoint), most: RECOVERIES_AT_ONCE }
        : { endpoint: declaration.endpoint, partition: query.partition, most: declaration.connections(caller) }
      const stream = new OpenStream(caller, naming, {
        endpoint: slot.endpoint,
        problemBase: context.problemBase,
        moveLinks: linkMover(request, runtime),
        perSecond,
        endOnTierChange: declaration.endOnTierChange,
      })
      await hub.admit(stream, slot, request)
      const range = await findRange(query, runtime).catch((error: unknown) => {
        hub.release(stream, 'InternalError')
        throw error
      })
      return new StreamAnswer((response) => {
        stream.begin(response, (reason) => hub.release(stream, reason))
        hub.serve(declaration.channel, { stream, wants }, range)
      })
    },
  })
}

/** Lines are written once for all clients, with the address of the server. Clients that reached it at another one get their own. */
function linkMover({ baseUrl, moveLinks }: RequestFacts, runtime: Runtime): ((text: string) => string) | undefined {
  if (baseUrl === runtime.baseUrl) return undefined
  const [from, to] = [runtime.baseUrl, baseUrl].map((address) => `"type":"${problemBaseOf(address)}/`) as [
    string,
    string,
  ]
  return (text) => moveLinks(text).replaceAll(from, to)
}

/** Refuses the request while the process does not follow the log yet, as shortly after its start. */
async function readySoon(ready: Promise<void>): Promise<void> {
  const isReady = await Promise.race([ready.then(() => true), pause(READY_WITHIN_MS, false, { ref: false })])
  if (!isReady)
    throw streamingConnection(
      'ProvisioningSubscription',
      'The stream is being set up on this server. Connect again in a few seconds.',
    )
}

/** Refuses invalid time ranges; true when the request is for a range of the past. */
function checkRange(query: CommonQuery, caller: Caller, runtime: Runtime): boolean {
  const given = query.bounds?.given.size ?? 0
  if ((given > 0 || (query.backfill_minutes ?? 0) > 0) && !hasFullTier(caller)) throw tierTooLow(caller, FULL_TIERS)
  if (given === 0 || !query.bounds) return false
  const now = runtime.clock.now()
  if (query.bounds.startMs === undefined)
    throw invalidParameter(
      'start_time',
      undefined,
      'The `start_time` query parameter is required when `end_time` is given',
    )
  checkTimes(query.bounds, { earliestMs: now - RECOVERY_MS, latestMs: now - SETTLED_MS })
  return true
}

async function findRange(query: CommonQuery, runtime: Runtime): Promise<LogRange | undefined> {
  const now = runtime.clock.now()
  if (query.bounds?.startMs !== undefined) {
    const after = await readSequenceAt(runtime.database, new Date(query.bounds.startMs))
    return { after, until: new Date(query.bounds.endMs ?? now) }
  }
  if (!query.backfill_minutes) return undefined
  return {
    after: await readSequenceAt(runtime.database, new Date(now - query.backfill_minutes * 60_000)),
    until: undefined,
  }
}
