import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Caller } from '../api-kit/declaring/caller.ts'
import type { Naming } from '../api-kit/naming/naming.ts'
import { renderBody } from '../api-kit/writing/problem.ts'
import { Pace } from './pace.ts'
import { type DisconnectType, operationalDisconnect } from './stream-problems.ts'

/** A client for which more waits in our memory is behind. A burst may do that to any client; one that stays behind is let go. */
export const MOST_WAITING_BYTES = 2 * 1024 * 1024
const BEHIND_MS = 3_000
/** Nobody gets more than this ahead of what they read, however short the time. */
const MOST_EVER_BYTES = 8 * MOST_WAITING_BYTES
const GOODBYE_MS = 1_000
/** Of lines that come faster than they may be sent, those of this time wait; older ones are left out. */
const PACED_SECONDS = 10
const LINE_END = '\r\n'

const DETAILS: Record<DisconnectType, string> = {
  OperationalDisconnect: 'This stream has been disconnected for operational reasons.',
  UpstreamOperationalDisconnect: 'This stream has been disconnected upstream for operational reasons.',
  ForceDisconnect: 'This stream has been disconnected on request of the app.',
  UpstreamUncleanDisconnect: 'This stream has been disconnected upstream without a reason.',
  SlowReader: 'This stream has been disconnected because the client reads too slowly.',
  InternalError: 'This stream has been disconnected because of an internal error.',
  ClientApplicationStateDegraded: 'This stream has been disconnected because the app may no longer use it.',
  InvalidRules: 'This stream has been disconnected because the rules of the app are not valid.',
}

/** Why a stream ended: as the goodbye line tells it, or `client` and `complete`, of which no line tells. */
export type EndReason = DisconnectType | 'client' | 'complete'

/** One client that reads a stream. Lines of one turn leave in one write. */
export class OpenStream {
  readonly id: string = randomUUID()
  readonly caller: Caller
  readonly naming: Naming
  readonly #problemBase: string
  #response: ServerResponse | undefined
  readonly #perSecond: number
  readonly #pace: Pace | undefined
  #lines: string[] = []
  #later: NodeJS.Timeout | undefined
  #leftOut = 0
  #lastWriteMs = 0
  #behindSinceMs: number | undefined
  #ended: EndReason | undefined
  #onEnd: (reason: EndReason) => void = () => {}

  /** `perSecond` is how many lines may leave in any second. */
  constructor(caller: Caller, naming: Naming, options: { problemBase: string; perSecond: number }) {
    this.caller = caller
    this.naming = naming
    this.#problemBase = options.problemBase
    this.#perSecond = options.perSecond
    this.#pace = Number.isFinite(options.perSecond) ? new Pace(options.perSecond) : undefined
  }

  get isEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Takes the response over; `onEnd` is called once, however the stream ends. */
  begin(response: ServerResponse, onEnd: (reason: EndReason) => void): void {
    this.#response = response
    this.#onEnd = onEnd
    this.#lastWriteMs = performance.now()
    response.on('close', () => this.#finish('client'))
    response.on('error', () => this.#finish('client'))
    if (response.destroyed) this.#finish('client')
    else if (this.#lines.length > 0) setImmediate(this.#flush)
  }

  /** Adds a line; those of one turn leave together. */
  write(line: string): void {
    if (this.#ended) return
    this.#lines.push(line)
    if (this.#lines.length === 1 && this.#response) setImmediate(this.#flush)
    if (this.#pace && this.#lines.length > PACED_SECONDS * this.#perSecond) {
      this.#lines.shift()
      this.#leftOut += 1
    }
  }

  /** How many lines were left out since this was last asked, since they came faster than they may be sent. */
  takeLeftOut(): number {
    const count = this.#leftOut
    this.#leftOut = 0
    return count
  }

  /** Sends a blank line when nothing was sent for `quietMs`. */
  beat(quietMs: number): void {
    if (!this.#ended && this.#response && performance.now() - this.#lastWriteMs >= quietMs) this.#send(LINE_END)
  }

  /** How much waits for the client. */
  get waitingBytes(): number {
    return this.#response?.writableLength ?? 0
  }

  /** Resolves when the client has taken most of what waits for it, or the stream ended. */
  async drained(): Promise<void> {
    const response = this.#response
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

  /** Ends the stream: with a last line that says why, or without one when everything asked for was sent. */
  end(reason: Exclude<EndReason, 'client'>): void {
    if (this.#ended) return
    if (this.#lines.length > 0) this.#flush()
    // The last lines may have been too much for a slow client.
    if (this.isEnded) return
    const response = this.#response
    if (response && reason !== 'complete') {
      const problem = operationalDisconnect(reason, DETAILS[reason])
      response.end(JSON.stringify({ errors: [renderBody(problem, this.naming, this.#problemBase)] }) + LINE_END)
    } else response?.end()
    // A client that does not read keeps the goodbye from leaving.
    if (response) setTimeout(() => response.destroy(), GOODBYE_MS).unref()
    this.#finish(reason)
  }

  #flush = (): void => {
    if (this.#ended || this.#lines.length === 0) return
    const lines = this.#pace ? this.#paced(this.#pace) : this.#lines.splice(0)
    if (lines.length > 0) this.#send(lines.join(LINE_END) + LINE_END)
  }

  /** The lines that may leave now; the others are looked at again when the next one may. */
  #paced(pace: Pace): string[] {
    const now = performance.now()
    const lines = this.#lines.splice(0, pace.take(this.#lines.length, now))
    if (this.#lines.length > 0 && this.#later === undefined) {
      this.#later = setTimeout(() => {
        this.#later = undefined
        this.#flush()
      }, pace.waitMs(now))
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
    this.#response!.write(text)
    if (this.waitingBytes > MOST_WAITING_BYTES) this.#behindSinceMs ??= now
  }

  #finish(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = reason
    this.#lines = []
    clearTimeout(this.#later)
    this.#onEnd(reason)
  }
}
