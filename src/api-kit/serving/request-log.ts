import { realNow } from '../../process/clock.ts'
import type { NotedFault } from '../faults/noted-fault.ts'
import type { RequestCost } from '../limits/returned-objects.ts'
import { type CallCount, CallCounts } from './call-counts.ts'
import { type Capture, type ShownCapture, showCapture, sizeOf } from './capture.ts'
import { redactPath } from './redact.ts'

/** One request, as the request log shows it. */
export interface RecordedRequest {
  /** Grows with the time of the answer over all processes of a machine, so readers do not miss slow requests. */
  seq: string
  time: string
  method: string
  path: string
  operation: string | undefined
  /** 0 when the connection was cut before an answer. */
  status: number
  /** Undefined when no operation served it. */
  latency_ms: number | undefined
  app_id: string | undefined
  app: string | undefined
  user: string | undefined
  credential: string | undefined
  naming: string
  /** Why it was refused, in words. */
  reason: string | undefined
  /** What helps to fix it, such as the signature base string. */
  details: Record<string, string> | undefined
  /** Millionths of the currency of the price table; undefined where nothing has a price. */
  cost_micros: number | undefined
  /** The fault that an operator had set and that happened to it. */
  fault?: NotedFault | undefined
}

const NO_APP = ''
const TIME_DIGITS = 14
const OVERLAP_MS = 1_000
const PROCESS_DIGITS = 4
const MOST_COUNTED = 999
const SHRINK_AFTER = 2_000

/** A number a little lower than `seq`: other processes may still add entries just before those that were read. */
export const shortlyBefore = (seq: string): string =>
  String(Math.max(0, Number(seq.slice(0, TIME_DIGITS)) - OVERLAP_MS)).padStart(TIME_DIGITS, '0')

/** Requests that are answered from a moment of real time on have a larger `seq`. */
export const seqAt = (ms: number): string => String(ms).padStart(TIME_DIGITS, '0')

/** The process that answered a request, as its `seq` has it. */
export const processOf = (seq: string): string => seq.slice(TIME_DIGITS, TIME_DIGITS + PROCESS_DIGITS)

/** What a process stores of a request; the rest is computed when the log is read. */
type NotedRequest = Omit<RecordedRequest, 'seq' | 'time' | 'cost_micros'> & { cost?: RequestCost | undefined }

interface Item {
  startedAt: number
  answeredAt: number
  count: number
  request: NotedRequest
  capture: Capture | undefined
}

interface Ring {
  items: Item[]
  next: number
}

// Of all apps together: with many apps, the latest requests have headers and bodies.
const MOST_CAPTURED_BYTES = 8 * 1024 * 1024
/**
 * Of answers that are no refusals, in a second. Under load nobody looks at each, and what is kept costs a tenth of the time of a
 * read, because it survives the quick garbage collections.
 */
const MOST_CAPTURED_PER_SECOND = 200

/** The last requests of each app in this process. */
export class RequestLog {
  readonly #perApp: number
  readonly #process: number
  readonly #rings = new Map<string, Ring>()
  readonly #listeners = new Set<(request: RecordedRequest) => void>()
  /** The items with headers and bodies, oldest first. */
  #captured: Item[] = []
  #capturedFrom = 0
  #capturedBytes = 0
  #captureSecond = 0
  #capturedInSecond = 0
  readonly #calls = new CallCounts()
  #answeredAt = 0
  #count = 0

  constructor(perApp: number, processNumber: number) {
    this.#perApp = perApp
    this.#process = processNumber
  }

  add(startedAt: number, request: NotedRequest, capture?: Capture): void {
    if (this.#perApp === 0) return
    // Each is larger than the one before, also when the clock of the machine is set back: readers go on after the last they have.
    let now = Math.max(realNow(), this.#answeredAt)
    if (now === this.#answeredAt && this.#count === MOST_COUNTED) now += 1
    this.#count = now === this.#answeredAt ? this.#count + 1 : 0
    this.#answeredAt = now
    const key = request.app_id ?? NO_APP
    let ring = this.#rings.get(key)
    if (!ring) {
      ring = { items: [], next: 0 }
      this.#rings.set(key, ring)
    }
    // Secrets of a query are not kept, not even in memory.
    const kept = { ...request, path: redactPath(request.path) }
    this.#calls.add(now, kept)
    const item = { startedAt, answeredAt: this.#answeredAt, count: this.#count, request: kept, capture }
    if (capture) this.#keepCapture(item, capture)
    ring.items[ring.next] = item
    ring.next = (ring.next + 1) % this.#perApp
    if (this.#listeners.size === 0) return
    const shown = this.#show(item)
    for (const listener of this.#listeners) listener(shown)
  }

  /** Whether headers and bodies of an answer with this status should be kept. */
  takesCapture(status: number): boolean {
    if (status >= 400) return true
    const second = Math.floor(realNow() / 1000)
    if (second !== this.#captureSecond) {
      this.#captureSecond = second
      this.#capturedInSecond = 0
    }
    this.#capturedInSecond += 1
    return this.#capturedInSecond <= MOST_CAPTURED_PER_SECOND
  }

  /** The headers and bodies of a request, while they are kept. Undefined if this process did not answer it. */
  find(seq: string): { request: RecordedRequest; capture: ShownCapture | undefined } | undefined {
    if (Number(processOf(seq)) !== this.#process) return undefined
    for (const ring of this.#rings.values())
      for (const item of ring.items)
        if (seq.startsWith(seqAt(item.answeredAt)) && this.#show(item).seq === seq)
          return { request: this.#show(item), capture: item.capture && showCapture(item.capture) }
    return undefined
  }

  /** How the calls of each operation fared. */
  readCalls(): CallCount[] {
    return this.#calls.read()
  }

  #keepCapture(item: Item, capture: Capture): void {
    this.#captured.push(item)
    this.#capturedBytes += sizeOf(capture)
    while (this.#capturedBytes > MOST_CAPTURED_BYTES) {
      const oldest = this.#captured[this.#capturedFrom]!
      this.#capturedBytes -= sizeOf(oldest.capture!)
      oldest.capture = undefined
      this.#capturedFrom += 1
    }
    if (this.#capturedFrom < SHRINK_AFTER) return
    this.#captured = this.#captured.slice(this.#capturedFrom)
    this.#capturedFrom = 0
  }

  /** Calls back with each request from now on. Returns how to end that. */
  listen(listener: (request: RecordedRequest) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Newest last. */
  read(filter: RequestLogFilter): RecordedRequest[] {
    const rings = filter.app === undefined ? [...this.#rings.values()] : [this.#rings.get(filter.app)]
    const found = rings
      .flatMap((ring) => ring?.items ?? [])
      .map((item) => this.#show(item))
      .filter((item) => matches(item, filter))
    return found.sort((left, right) => (left.seq < right.seq ? -1 : 1)).slice(-filter.limit)
  }

  #show({ startedAt, answeredAt, count, request }: Item): RecordedRequest {
    const seq = [
      seqAt(answeredAt),
      String(this.#process).padStart(PROCESS_DIGITS, '0'),
      String(count).padStart(3, '0'),
    ].join('')
    const latency_ms = request.latency_ms === undefined ? undefined : Math.round(request.latency_ms * 100) / 100
    const { cost, ...shown } = request
    return { seq, time: new Date(startedAt).toISOString(), ...shown, latency_ms, cost_micros: cost?.micros }
  }
}

/** Which requests to read. */
export interface RequestLogFilter {
  app?: string
  after?: string
  refused?: boolean
  limit: number
}

function matches(item: RecordedRequest, filter: RequestLogFilter): boolean {
  if (filter.after !== undefined && item.seq <= filter.after) return false
  return !filter.refused || isRefused(item)
}

/** A page is also refused by sending the browser back to the app. */
function isRefused({ status, reason, fault }: RecordedRequest): boolean {
  const isFault = fault !== undefined && fault.effect !== 'delay'
  return status >= 400 || (status >= 300 && reason !== undefined) || isFault
}
