import { setTimeout as sleep } from 'node:timers/promises'
import type { Tier } from '../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import type { DisconnectType } from '../api-kit/writing/problem-words.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { readEvents, readHead } from '../events/log-tail.ts'
import { tailOf } from '../events/runtime-tail.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { outageOf } from '../storage/outage.ts'
import { ConnectionRows, type Slot } from './connection-rows.ts'
import { endpointOf } from './endpoint-names.ts'
import type { EndReason, OpenStream, StreamFacts } from './open-stream.ts'
import { STREAM_FACTS, STREAM_FAULT, type StreamFault } from './stream-fault.ts'
import { streamingConnection } from './stream-problems.ts'

const MAINTENANCE_MS = 5_000
// The interface promises a blank line every 20 s, and maintenance may run late.
const QUIET_MS = 12_000
const RETRY_MS = 250
/** How often a batch is tried while the database answers. */
const MOST_TRIES = 3
const PAGE = 500
const MOST_UNREPORTED = 10_000
const REPORTED = 10

/** A client of a channel, with its options. */
export interface Subscriber<W = unknown> {
  stream: OpenStream
  wants: W
  /** The client already has everything up to this sequence. */
  after?: bigint
}

/**
 * Turns events into lines for the clients of one kind of stream. It gets batches in the order of the log. It writes all lines of
 * a batch or, when it fails, none: the batch comes again.
 */
export interface Channel<W = unknown> {
  deliver(runtime: Runtime, events: readonly LoggedEvent[], subscribers: readonly Subscriber<W>[]): Promise<void>
}

/** The events of the past that a stream gets: after a sequence and, for a recovery, until a time. */
export interface LogRange {
  after: string
  until: Date | undefined
}

const REASONS: Partial<Record<EndReason, string>> = {
  client: 'client_disconnect',
  complete: 'complete',
  dropped: 'connection_dropped',
  ForceDisconnect: 'operator_disconnect',
}

/** How streams end after an error: the database is upstream of them. */
const endOf = (error: unknown): DisconnectType =>
  outageOf(error) === undefined ? 'InternalError' : 'UpstreamOperationalDisconnect'

/** The open streams of this process. */
class StreamHub {
  readonly #runtime: Runtime
  readonly #connections: ConnectionRows
  readonly #streams = new Map<string, OpenStream>()
  readonly #live = new Map<Channel, Set<Subscriber>>()
  #lastSequence = 0n
  // Batches are delivered one after the other. Streams join between two batches.
  #turn: Promise<void> = Promise.resolve()
  #started: Promise<void> | undefined
  #maintenance: NodeJS.Timeout | undefined
  #isClosed = false
  // Events since the last report, each with its reason.
  readonly #withheld = new Map<string, string>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#connections = new ConnectionRows(runtime)
    runtime.bus.answer('streams.close', (ids: string[]) => this.closeById(ids))
    runtime.bus.answer(STREAM_FAULT, (fault: StreamFault) => this.applyFault(fault))
    runtime.bus.answer(STREAM_FACTS, (ids: string[]) => this.factsOf(ids))
    // From other machines.
    runtime.parts.onInvalidate(STREAM_FAULT, (faults) => {
      for (const text of faults) this.applyFault(JSON.parse(text) as StreamFault)
    })
  }

  /** Closes connections that an earlier process with this machine number left open. It runs once. */
  closeAbandoned(): Promise<unknown> {
    return this.#connections.closeAbandoned()
  }

  /** Starts to follow the log. A stream that opens afterwards misses no event. */
  ready(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }

  async #start(): Promise<void> {
    const tail = await tailOf(this.#runtime)
    await this.closeAbandoned()
    await this.#connections.hold()
    tail.listen((events) => {
      this.#turn = this.#turn.then(() => this.#deliver(events))
    })
    this.#maintenance = setInterval(() => void this.#maintain(), MAINTENANCE_MS)
    this.#maintenance.unref()
  }

  /** Stores a connection, or refuses it when the app is at its limit. */
  async admit(stream: OpenStream, slot: Slot, request: RequestFacts): Promise<void> {
    if (await this.#connections.open(stream.id, stream.caller.app.id, slot, request)) return
    throw streamingConnection('TooManyConnections', 'This stream is currently at the maximum allowed connection limit.')
  }

  /** Serves an admitted stream from now on, or from an earlier sequence. */
  serve<W>(channel: Channel<W>, subscriber: Subscriber<W>, range: LogRange | undefined): void {
    const { stream } = subscriber
    // The client may have disconnected already.
    if (stream.isEnded) return
    this.#streams.set(stream.id, stream)
    if (this.#isClosed) stream.end('OperationalDisconnect')
    else if (range) void this.#catchUp(channel as Channel, subscriber, range)
    else this.#turn = this.#turn.then(() => this.#join(channel as Channel, subscriber))
  }

  /** Called when a stream has ended for any reason. */
  release(stream: OpenStream, reason: EndReason): void {
    this.#streams.delete(stream.id)
    for (const subscribers of this.#live.values())
      for (const subscriber of subscribers) if (subscriber.stream === stream) subscribers.delete(subscriber)
    this.#connections.close(stream.id, REASONS[reason] ?? reason)
  }

  /** Ends the given connections that this process serves; returns their ids. */
  closeById(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const stream = this.#streams.get(id)
      stream?.end('ForceDisconnect')
      return stream !== undefined
    })
  }

  /** What operators see of those streams that this process serves. */
  factsOf(ids: readonly string[]): StreamFacts[] {
    return ids.flatMap((id) => this.#streams.get(id)?.facts() ?? [])
  }

  /** Does what an operator wants to the streams of this process; returns to how many. */
  applyFault({ action, disconnectType = 'OperationalDisconnect', endpoint, appId }: StreamFault): number {
    const meant = [...this.#streams.values()].filter(
      (stream) =>
        (endpoint === undefined || endpointOf(stream.endpoint) === endpoint) &&
        (appId === undefined || stream.caller.app.id === appId),
    )
    for (const stream of meant) {
      if (action === 'disconnect') stream.end(disconnectType)
      else stream[action]()
    }
    return meant.length
  }

  /** Disconnects all clients and accepts no new ones. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#maintenance)
    for (const stream of this.#streams.values()) stream.end('OperationalDisconnect')
  }

  async stop(): Promise<void> {
    this.close()
    await this.#connections.stop()
  }

  /** An event is not written to streams that should have got it. It is logged soon, once for all streams. */
  reportWithheld(sequence: string, reason: string): void {
    this.#withheld.set(sequence, reason)
    if (this.#withheld.size >= MOST_UNREPORTED) this.#logWithheld()
  }

  #logWithheld(): void {
    if (this.#withheld.size === 0) return
    const some = [...this.#withheld].slice(0, REPORTED).map(([sequence, reason]) => `event ${sequence}: ${reason}`)
    const rest = this.#withheld.size - some.length
    // Nothing else records it, so it is logged at the usual level.
    this.#runtime.log.warn(
      { withheld: this.#withheld.size },
      `withheld from streams: ${some.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
    )
    this.#withheld.clear()
  }

  #join(channel: Channel, subscriber: Subscriber): void {
    if (subscriber.stream.isEnded) return
    const subscribers = this.#live.get(channel) ?? new Set()
    subscribers.add(subscriber)
    this.#live.set(channel, subscribers)
  }

  async #deliver(events: readonly LoggedEvent[]): Promise<void> {
    this.#lastSequence = BigInt(events.at(-1)!.sequence)
    const deliveries: Promise<boolean>[] = []
    for (const [channel, subscribers] of this.#live) {
      const current: Subscriber[] = []
      for (const subscriber of subscribers) {
        const { after } = subscriber
        if (after === undefined) current.push(subscriber)
        else {
          const rest = events.filter((event) => BigInt(event.sequence) > after)
          if (rest.length === 0) continue
          subscriber.after = undefined
          deliveries.push(this.#deliverTo(channel, rest, [subscriber]))
        }
      }
      if (current.length > 0) deliveries.push(this.#deliverTo(channel, events, current))
    }
    await Promise.all(deliveries)
  }

  /**
   * Delivers a batch, whose lines a channel writes all or none. While the database is away the streams stay open and the batch
   * waits. A stream that ends shows its client that events were missed, which it can request again.
   */
  async #deliverTo(channel: Channel, events: readonly LoggedEvent[], subscribers: Subscriber[]): Promise<boolean> {
    try {
      await this.#persist(async () => {
        const open = subscribers.filter(({ stream }) => !stream.isEnded)
        if (open.length > 0) await channel.deliver(this.#runtime, events, open)
      })
      return true
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'events could not be delivered to streams')
      for (const { stream } of subscribers) stream.end(endOf(error))
      return false
    }
  }

  /** Repeats work that failed: as long as the database is away, and a few times while it answers. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (tries === 1) this.#runtime.log.warn({ err: error }, 'a batch of streams failed and is tried again')
        if (tries === MOST_TRIES || !(await this.#databaseAnswers())) throw error
      }
    }
  }

  /** Waits until the database answers; false when the streams are closed first. */
  async #databaseAnswers(): Promise<boolean> {
    while (!this.#isClosed) {
      await sleep(RETRY_MS, undefined, { ref: false })
      const answers = await readHead(this.#runtime.database).then(
        () => true,
        () => false,
      )
      if (answers) return true
    }
    return false
  }

  /** Sends earlier events as fast as the client reads, then joins the live streams between two batches. */
  async #catchUp(channel: Channel, subscriber: Subscriber, range: LogRange): Promise<void> {
    const { stream } = subscriber
    let { after } = range
    try {
      for (;;) {
        const page = await this.#persist(() => readEvents(this.#runtime.database, after, PAGE))
        const events = range.until ? page.filter((event) => event.happened_at < range.until!) : page
        if (events.length > 0 && !(await this.#deliverTo(channel, events, [subscriber]))) return
        await stream.drained()
        if (stream.isEnded) return
        if (page.length > 0) after = page.at(-1)!.sequence
        if (page.length === PAGE && events.length === page.length) continue
        if (range.until) return stream.end('complete')
        break
      }
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'the backfill of a stream failed')
      return stream.end(endOf(error))
    }
    this.#turn = this.#turn.then(() => this.#joinAfter(channel, subscriber, after))
  }

  // Live batches wait meanwhile. Events that they delivered and the backfill lacks are read here; `after` makes the stream
  // skip later batches that the backfill already has.
  async #joinAfter(channel: Channel, subscriber: Subscriber, after: string): Promise<void> {
    let last = BigInt(after)
    try {
      while (last < this.#lastSequence) {
        const page = await this.#persist(() => readEvents(this.#runtime.database, String(last), PAGE))
        const events = page.filter((event) => BigInt(event.sequence) <= this.#lastSequence)
        if (events.length === 0) break
        last = BigInt(events.at(-1)!.sequence)
        if (!(await this.#deliverTo(channel, events, [subscriber]))) return
      }
      subscriber.after = last
      this.#join(channel, subscriber)
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'a stream could not continue after its backfill')
      subscriber.stream.end(endOf(error))
    }
  }

  async #maintain(): Promise<void> {
    this.#logWithheld()
    for (const stream of this.#streams.values()) stream.keepAlive(QUIET_MS)
    if (this.#streams.size === 0) return
    const { parts, log } = this.#runtime
    try {
      this.closeById(await this.#connections.renew([...this.#streams.keys()]))
      const appIds = new Set([...this.#streams.values()].map((stream) => stream.caller.app.id))
      const apps = await parts.many(appPart, [...appIds])
      for (const stream of this.#streams.values()) {
        const app = apps.get(stream.caller.app.id)
        // The content and rate of a stream depend on the tier at the time of opening.
        if (!app || app.suspended) stream.end('ClientApplicationStateDegraded')
        else if (app.tier !== stream.caller.app.tier) await stream.endForTier(this.#runtime, app.tier as Tier)
        const dropped = stream.takeDropped()
        if (dropped > 0)
          log.warn(`a stream of app ${stream.caller.app.id} exceeds its rate: ${dropped} lines were dropped`)
      }
    } catch (error) {
      log.warn({ err: error }, 'the maintenance of streams failed and will be retried')
    }
  }
}

/** The hub of this process. */
export const streamHub = defineSingleton({
  name: 'stream hub',
  create: (runtime) => new StreamHub(runtime),
  stop: (hub) => hub.stop(),
})

export const hubOf = (runtime: Runtime): StreamHub => runtime.singleton(streamHub)

/** Reports events that are withheld from the streams of this process. */
export const reporting =
  (runtime: Runtime) =>
  (event: { sequence: string }, reason: string): void =>
    hubOf(runtime).reportWithheld(event.sequence, reason)

/** Those that are not withheld; the others are reported. */
export function notWithheld<T extends { event: LoggedEvent; withheld?: string }>(
  runtime: Runtime,
  items: readonly T[],
): T[] {
  return items.filter(({ event, withheld }) => {
    if (withheld !== undefined) hubOf(runtime).reportWithheld(event.sequence, withheld)
    return withheld === undefined
  })
}
