import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { readEvents } from '../events/log-tail.ts'
import { tailOf } from '../events/runtime-tail.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { realNow } from '../process/clock.ts'
import {
  connectionClose,
  connectionLock,
  connectionOpen,
  connectionsAbandon,
  connectionsRenew,
} from './connection.statements.ts'
import type { EndReason, OpenStream } from './open-stream.ts'
import { streamingConnection } from './stream-problems.ts'

const UPKEEP_MS = 5_000
// The interface promises a sign of life every 20 s; the upkeep may come a little late.
const QUIET_MS = 12_000
/** A process that has not renewed its connections for this long is gone. */
export const LOST_AFTER_MS = 20_000
const PAGE = 500

/** A client of a channel, with what it asked for. */
export interface Subscriber<W = unknown> {
  stream: OpenStream
  wants: W
  /** It has everything up to this place already. */
  after?: bigint
}

/** Turns events of the log into lines for those who read one kind of stream. Called with batches in the log's order. */
export interface Channel<W = unknown> {
  deliver(runtime: Runtime, events: readonly LoggedEvent[], subscribers: readonly Subscriber<W>[]): Promise<void>
}

/** Where in the log a stream begins: behind a place, and up to a moment where it is a recovery. */
export interface Span {
  after: string
  until: Date | undefined
}

const REASONS: Partial<Record<EndReason, string>> = {
  client: 'client_disconnect',
  complete: 'complete',
  ForceDisconnect: 'operator_disconnect',
}

/** The open streams of this process. */
export class StreamHub {
  readonly #runtime: Runtime
  readonly #streams = new Map<string, OpenStream>()
  readonly #live = new Map<Channel, Set<Subscriber>>()
  #place = 0n
  // Batches are delivered one after the other; joining and catching up happen between them.
  #turn: Promise<void> = Promise.resolve()
  #started: Promise<void> | undefined
  #cleared: Promise<unknown> | undefined
  #upkeep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    runtime.bus.answer('streams.close', (ids: string[]) => this.closeById(ids))
  }

  /** Ends what a process that had this machine number before left open, so that its clients can come back. Once. */
  clearUp(): Promise<unknown> {
    const { database, clock } = this.#runtime
    this.#cleared ??= connectionsAbandon
      .count(database, this.#runtime.machine, new Date(clock.now()))
      .catch((error: unknown) => {
        this.#cleared = undefined
        throw error
      })
    return this.#cleared
  }

  /** Begins to follow the log; a stream that opens afterwards misses nothing that happens from then on. */
  ready(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }

  async #start(): Promise<void> {
    const tail = await tailOf(this.#runtime)
    await this.clearUp()
    tail.listen((events) => {
      this.#turn = this.#turn.then(() => this.#deliver(events))
    })
    this.#upkeep = setInterval(() => void this.#keepUp(), UPKEEP_MS)
    this.#upkeep.unref()
  }

  /** Notes a connection, or refuses it when the app has as many open as it may. */
  async admit(
    stream: OpenStream,
    { endpoint, partition, most }: { endpoint: string; partition?: number | undefined; most: number },
    request: RequestFacts,
  ): Promise<void> {
    const { clock } = this.#runtime
    const appId = stream.caller.app.id
    const opened = await change(this.#runtime, async (tx) => {
      await connectionLock.count(tx, `${appId}:${endpoint}`)
      const now = realNow()
      return connectionOpen.first(
        tx,
        stream.id,
        appId,
        endpoint,
        request.remoteAddress,
        this.#runtime.machine,
        new Date(clock.now()),
        most,
        new Date(now),
        new Date(now - LOST_AFTER_MS),
        partition ?? null,
      )
    })
    if (opened) return
    throw streamingConnection('TooManyConnections', 'This stream is currently at the maximum allowed connection limit.')
  }

  /** Serves an admitted stream from now on, or from an earlier place. */
  serve<W>(channel: Channel<W>, subscriber: Subscriber<W>, span: Span | undefined): void {
    const { stream } = subscriber
    // The client may be gone before it is served.
    if (stream.isEnded) return
    this.#streams.set(stream.id, stream)
    if (this.#isClosed) stream.end('OperationalDisconnect')
    else if (span) void this.#catchUp(channel as Channel, subscriber, span)
    else this.#turn = this.#turn.then(() => this.#join(channel as Channel, subscriber))
  }

  /** Called when a stream has ended, whatever the reason. */
  left(stream: OpenStream, reason: EndReason): void {
    this.#streams.delete(stream.id)
    for (const subscribers of this.#live.values())
      for (const subscriber of subscribers) if (subscriber.stream === stream) subscribers.delete(subscriber)
    const { inFlight, database, clock, log } = this.#runtime
    inFlight.begin()
    connectionClose
      .count(database, stream.id, new Date(clock.now()), REASONS[reason] ?? reason)
      .catch((error: unknown) => log.warn({ err: error }, 'the end of a stream could not be noted'))
      .finally(() => inFlight.end())
  }

  /** Ends those of these connections that this process serves; returns their ids. */
  closeById(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const stream = this.#streams.get(id)
      stream?.end('ForceDisconnect')
      return stream !== undefined
    })
  }

  /** Says goodbye to everyone and takes nobody any more. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#upkeep)
    for (const stream of this.#streams.values()) stream.end('OperationalDisconnect')
  }

  #join(channel: Channel, subscriber: Subscriber): void {
    if (subscriber.stream.isEnded) return
    const subscribers = this.#live.get(channel) ?? new Set()
    subscribers.add(subscriber)
    this.#live.set(channel, subscribers)
  }

  async #deliver(events: readonly LoggedEvent[]): Promise<void> {
    this.#place = BigInt(events.at(-1)!.sequence)
    const ways: Promise<boolean>[] = []
    for (const [channel, subscribers] of this.#live) {
      const level: Subscriber[] = []
      for (const subscriber of subscribers) {
        const { after } = subscriber
        if (after === undefined) level.push(subscriber)
        else {
          const rest = events.filter((event) => BigInt(event.sequence) > after)
          if (rest.length === 0) continue
          subscriber.after = undefined
          ways.push(this.#deliverTo(channel, rest, [subscriber]))
        }
      }
      if (level.length > 0) ways.push(this.#deliverTo(channel, events, level))
    }
    await Promise.all(ways)
  }

  // Who misses events is told so by the end of the stream, and can ask for them again.
  async #deliverTo(channel: Channel, events: readonly LoggedEvent[], subscribers: Subscriber[]): Promise<boolean> {
    try {
      await channel.deliver(this.#runtime, events, subscribers)
      return true
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'events could not be delivered to streams')
      for (const { stream } of subscribers) stream.end('InternalError')
      return false
    }
  }

  /** Sends what the log holds, at the pace of the client, and then joins the others between two batches. */
  async #catchUp(channel: Channel, subscriber: Subscriber, span: Span): Promise<void> {
    const { stream } = subscriber
    let { after } = span
    try {
      for (;;) {
        const page = await readEvents(this.#runtime.database, after, PAGE)
        const events = span.until ? page.filter((event) => event.happened_at < span.until!) : page
        if (events.length > 0 && !(await this.#deliverTo(channel, events, [subscriber]))) return
        await stream.drained()
        if (stream.isEnded) return
        if (page.length > 0) after = page.at(-1)!.sequence
        if (page.length === PAGE && events.length === page.length) continue
        if (span.until) return stream.end('complete')
        break
      }
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'the backfill of a stream failed')
      return stream.end('InternalError')
    }
    this.#turn = this.#turn.then(() => this.#joinBehind(channel, subscriber, after))
  }

  // Batches wait meanwhile. They may be behind or ahead of what was read: what they told is read, what they will tell is skipped.
  async #joinBehind(channel: Channel, subscriber: Subscriber, after: string): Promise<void> {
    let last = BigInt(after)
    try {
      while (last < this.#place) {
        const page = await readEvents(this.#runtime.database, String(last), PAGE)
        const events = page.filter((event) => BigInt(event.sequence) <= this.#place)
        if (events.length === 0) break
        last = BigInt(events.at(-1)!.sequence)
        if (!(await this.#deliverTo(channel, events, [subscriber]))) return
      }
      subscriber.after = last
      this.#join(channel, subscriber)
    } catch (error) {
      this.#runtime.log.error({ err: error }, 'a stream could not join the others')
      subscriber.stream.end('InternalError')
    }
  }

  async #keepUp(): Promise<void> {
    for (const stream of this.#streams.values()) stream.beat(QUIET_MS)
    if (this.#streams.size === 0) return
    const { database, parts, log } = this.#runtime
    try {
      const closed = await connectionsRenew.all(database, [...this.#streams.keys()], new Date(realNow()))
      this.closeById(closed.map((row) => row.id))
      const appIds = new Set([...this.#streams.values()].map((stream) => stream.caller.app.id))
      const apps = await parts.many(appPart, [...appIds])
      for (const stream of this.#streams.values()) {
        const app = apps.get(stream.caller.app.id)
        // What a stream gives, and how fast, follows from the tier that it was opened with.
        if (!app || app.suspended || app.tier !== stream.caller.app.tier) stream.end('ClientApplicationStateDegraded')
        const leftOut = stream.takeLeftOut()
        if (leftOut > 0) log.warn(`a stream of app ${stream.caller.app.id} is over its rate: ${leftOut} lines left out`)
      }
    } catch (error) {
      log.warn({ err: error }, 'the upkeep of streams failed and is tried again')
    }
  }
}

/** The hub of this process. */
export const streamHub = defineSingleton({ name: 'stream hub', create: (runtime) => new StreamHub(runtime) })

export const hubOf = (runtime: Runtime): StreamHub => runtime.singleton(streamHub)
