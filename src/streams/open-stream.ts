import type { ServerResponse } from 'node:http'
import type { Caller, Tier } from '../api-kit/declaring/caller.ts'
import type { Naming } from '../api-kit/naming/naming.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { renderBody } from '../api-kit/writing/problem.ts'
import type { DisconnectType } from '../api-kit/writing/problem-words.ts'
import { randomUuid } from '../process/random.ts'
import { operationalDisconnect } from './stream-problems.ts'
import { Throttle } from './throttle.ts'

/** A client with more waiting bytes is behind. A burst can cause that; a client that stays behind is disconnected. */
const MOST_WAITING_BYTES = 2 * 1024 * 1024
const BEHIND_MS = 3_000
/** A client with more waiting bytes is disconnected at once. */
const MOST_EVER_BYTES = 8 * MOST_WAITING_BYTES
const LAST_LINE_MS = 1_000
/** Lines above the rate of the tier wait in a queue of this length; older ones are dropped. */
const QUEUED_SECONDS = 10
/** So many lines wait for a stalled client; older ones are dropped. */
const MOST_STALLED_LINES = 10_000
const LINE_END = '\r\n'

const DETAILS: Record<DisconnectType, string> = {
  OperationalDisconnect: 'This stream has been disconnected for operational reasons.',
  UpstreamOperationalDisconnect: 'This stream has been disconnected upstream for operational reasons.',
  ForceDisconnect: 'This stream has been disconnected at the request of the app.',
  UpstreamUncleanDisconnect: 'This stream has been disconnected upstream for an unknown reason.',
  SlowReader: 'This stream has been disconnected because the client reads too slowly.',
  InternalError: 'This stream has been disconnected because of an internal error.',
  ClientApplicationStateDegraded: 'This stream has been disconnected because the app may no longer use it.',
  InvalidRules: 'This stream has been disconnected because the rules of the app are not valid.',
}

/** Why a stream ended. `client`, `dropped` and `complete` have no last line. */
export type EndReason = DisconnectType | 'client' | 'dropped' | 'complete'

interface StreamOptions {
  /** The name under which the connection is listed. */
  endpoint: string
  problemBase: string
  /** Changes the links of lines, for a client at another address. */
  moveLinks?: ((text: string) => string) | undefined
  perSecond: number
  endOnTierChange?: ((runtime: Runtime, caller: Caller) => Promise<DisconnectType>) | undefined
}

/** What has left for a client, and what waits for it. */
export interface StreamFacts {
  id: string
  lines: number
  bytes: number
  waiting_lines: number
  waiting_bytes: number
  dropped_lines: number
  stalled: boolean
}

/** One client that reads a stream. Lines of one turn of the event loop leave in one write. */
export class OpenStream {
  readonly id: string = randomUuid()
  readonly caller: Caller
  readonly naming: Naming
  readonly endpoint: string
  readonly #problemBase: string
  readonly #moveLinks: StreamOptions['moveLinks']
  #response: ServerResponse | undefined
  readonly #perSecond: number
  readonly #endOnTierChange: StreamOptions['endOnTierChange']
  readonly #throttle: Throttle | undefined
  #lines: string[] = []
  #isStalled = false
  #onResume: (() => void)[] = []
  #later: NodeJS.Timeout | undefined
  #dropped = 0
  #lastWriteMs = 0
  #behindSinceMs: number | undefined
  #ended: EndReason | undefined
  #sentLines = 0
  #allDropped = 0
  /** What the socket had written before: a client may reuse a connection. */
  #bytesBefore = 0
  #onEnd: (reason: EndReason) => void = () => {}

  /** `perSecond` is how many lines may leave in any second. */
  constructor(caller: Caller, naming: Naming, options: StreamOptions) {
    this.caller = caller
    this.naming = naming
    this.endpoint = options.endpoint
    this.#problemBase = options.problemBase
    this.#moveLinks = options.moveLinks
    this.#perSecond = options.perSecond
    this.#endOnTierChange = options.endOnTierChange
    this.#throttle = Number.isFinite(options.perSecond) ? new Throttle(options.perSecond) : undefined
  }

  /** Ends the stream because its app has another tier than when it was opened. */
  async endForTier(runtime: Runtime, tier: Tier): Promise<void> {
    const caller = { ...this.caller, app: { ...this.caller.app, tier } }
    this.end((await this.#endOnTierChange?.(runtime, caller)) ?? 'ClientApplicationStateDegraded')
  }

  get isEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Takes over the response; `onEnd` is called once for any end. */
  begin(response: ServerResponse, onEnd: (reason: EndReason) => void): void {
    this.#response = response
    this.#bytesBefore = response.socket?.bytesWritten ?? 0
    this.#onEnd = onEnd
    this.#lastWriteMs = performance.now()
    response.on('close', () => this.#finish('client'))
    response.on('error', () => this.#finish('client'))
    if (response.destroyed) this.#finish('client')
    else if (this.#lines.length > 0) setImmediate(this.#flush)
  }

  /** Queues a line. */
  write(line: string): void {
    if (this.#ended) return
    this.#lines.push(line)
    if (this.#lines.length === 1 && this.#response) setImmediate(this.#flush)
    const isOverRate = this.#throttle && this.#lines.length > QUEUED_SECONDS * this.#perSecond
    if (isOverRate || (this.#isStalled && this.#lines.length > MOST_STALLED_LINES)) {
      this.#lines.shift()
      this.#dropped += 1
      this.#allDropped += 1
    }
  }

  /** What operators see of an open stream. */
  facts(): StreamFacts {
    const bytes = (this.#response?.socket?.bytesWritten ?? this.#bytesBefore) - this.#bytesBefore
    return {
      id: this.id,
      lines: this.#sentLines,
      bytes,
      waiting_lines: this.#lines.length,
      waiting_bytes: this.waitingBytes,
      dropped_lines: this.#allDropped,
      stalled: this.#isStalled,
    }
  }

  /** How many lines were dropped since the last call because of the rate. */
  takeDropped(): number {
    const count = this.#dropped
    this.#dropped = 0
    return count
  }

  /** Sends a blank line if nothing was sent for `quietMs`. */
  keepAlive(quietMs: number): void {
    if (!this.#ended && !this.#isStalled && this.#response && performance.now() - this.#lastWriteMs >= quietMs)
      this.#send(LINE_END)
  }

  /** How many bytes wait for the client. */
  get waitingBytes(): number {
    return this.#response?.writableLength ?? 0
  }

  /** Resolves when the client has read most of the waiting bytes, or the stream has ended. */
  async drained(): Promise<void> {
    const response = this.#response
    if (this.#isStalled) await new Promise<void>((resolve) => this.#onResume.push(resolve))
    if (this.#lines.length > 0) this.#flush()
    if (!response || this.#ended || !response.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
    })
  }

  /** Sends nothing more, not even blank lines, until it is resumed. What arrives meanwhile waits. */
  stall(): void {
    this.#isStalled = true
  }

  resume(): void {
    this.#isStalled = false
    this.#flush()
    for (const resolve of this.#onResume.splice(0)) resolve()
  }

  /** Cuts the connection without a last line. */
  drop(): void {
    const response = this.#response
    this.#finish('dropped')
    response?.destroy()
  }

  /** Ends the stream with a last line that has the reason; a complete recovery has none. */
  end(reason: Exclude<EndReason, 'client' | 'dropped'>): void {
    if (this.#ended) return
    // A stalled client does not get the lines that wait; it can ask for them by a backfill.
    if (this.#lines.length > 0) this.#flush()
    // Flushing may have ended the stream of a slow client.
    if (this.isEnded) return
    const response = this.#response
    if (response && reason !== 'complete') {
      const problem = operationalDisconnect(reason, DETAILS[reason])
      response.end(JSON.stringify({ errors: [renderBody(problem, this.naming, this.#problemBase)] }) + LINE_END)
    } else response?.end()
    // The last line cannot leave if the client does not read.
    if (response) setTimeout(() => response.destroy(), LAST_LINE_MS).unref()
    this.#finish(reason)
  }

  #flush = (): void => {
    if (this.#ended || this.#isStalled || this.#lines.length === 0) return
    const lines = this.#throttle ? this.#allowedLines(this.#throttle) : this.#lines.splice(0)
    if (lines.length === 0) return
    this.#sentLines += lines.length
    this.#send(lines.join(LINE_END) + LINE_END)
  }

  /** Takes the lines that may leave now, and sets a timer for the others. */
  #allowedLines(throttle: Throttle): string[] {
    const now = performance.now()
    const lines = this.#lines.splice(0, throttle.take(this.#lines.length, now))
    if (this.#lines.length > 0 && this.#later === undefined) {
      this.#later = setTimeout(() => {
        this.#later = undefined
        this.#flush()
      }, throttle.waitMs(now))
    }
    return lines
  }

  #send(text: string): void {
    const now = performance.now()
    const waiting = this.waitingBytes
    if (waiting <= MOST_WAITING_BYTES) this.#behindSinceMs = undefined
    else if (waiting > MOST_EVER_BYTES || now - (this.#behindSinceMs ?? now) > BEHIND_MS) {
      this.end('SlowReader')
      return
    }
    this.#lastWriteMs = now
    this.#response!.write(this.#moveLinks ? this.#moveLinks(text) : text)
    if (this.waitingBytes > MOST_WAITING_BYTES) this.#behindSinceMs ??= now
  }

  #finish(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = reason
    this.#lines = []
    clearTimeout(this.#later)
    for (const resolve of this.#onResume.splice(0)) resolve()
    this.#onEnd(reason)
  }
}
