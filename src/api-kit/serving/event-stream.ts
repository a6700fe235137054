import type { ServerResponse } from 'node:http'
import type { Runtime } from '../runtime.ts'
import { defineSingleton } from '../singleton.ts'
import { StreamAnswer } from '../writing/answer.ts'

const BATCH_MS = 100
const HEARTBEAT_MS = 15_000
/** A reader that leaves more unread is closed. It connects again and goes on after the last event that it got. */
const MOST_WAITING_BYTES = 1024 * 1024
const RECONNECT_AFTER_MS = 1_000

/** One browser that reads server-sent events. Events of a tenth of a second leave in one write. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #heartbeat: NodeJS.Timeout
  readonly #onClose: (() => void)[] = []
  #waiting = ''
  #timer: NodeJS.Timeout | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(response: ServerResponse) {
    this.#response = response
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT_MS)
    this.#heartbeat.unref()
    response.on('close', () => this.#end())
    response.on('error', () => this.#end())
    // Says at once that the stream is open, also through proxies that wait for a first byte.
    this.#write(`retry: ${RECONNECT_AFTER_MS}\n\n`)
    if (response.destroyed) this.#end()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Queues an event. `id` is where a reader that has it goes on. */
  send(event: string, data: unknown, id?: string): void {
    this.sendJson(event, JSON.stringify(data), id)
  }

  /** The same for JSON without line breaks that is already written. */
  sendJson(event: string, json: string, id?: string): void {
    this.#queue(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`)
  }

  /** Says where a reader goes on that has everything so far. Readers see no event. */
  mark(id: string): void {
    this.#queue(`id: ${id}\n\n`)
  }

  #queue(text: string): void {
    if (this.#isClosed) return
    this.#waiting += text
    if (this.#waiting.length + this.#response.writableLength > MOST_WAITING_BYTES) {
      this.close()
      return
    }
    if (this.#timer) return
    // The first event after a pause leaves at once.
    const restMs = Math.max(0, BATCH_MS - (performance.now() - this.#wroteAt))
    this.#timer = setTimeout(this.#flush, restMs)
  }

  /** Resolves when the reader has taken what waits for it, or is gone. For those who have more than fits. */
  async drained(): Promise<void> {
    this.#flush()
    if (this.#isClosed || !this.#response.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      this.#response.once('drain', resolve)
      this.onClose(resolve)
    })
  }

  /** Calls back once when the reader is gone; at once if it is. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#onClose.push(listener)
  }

  /** Ends the connection. Browsers connect again. */
  close(): void {
    if (this.#isClosed) return
    this.#response.destroy()
    this.#end()
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '') this.#write(text)
  }

  #write(text: string): void {
    if (this.#isClosed) return
    this.#wroteAt = performance.now()
    this.#response.write(text)
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#timer)
    for (const listener of this.#onClose) listener()
  }
}

/** The open event streams of this process. */
export const eventStreams = defineSingleton<Set<EventStream>>({ name: 'event streams', create: () => new Set() })

/** Closes every event stream of this process: it ends. */
export function closeEventStreams(runtime: Runtime): void {
  for (const stream of runtime.singleton(eventStreams)) stream.close()
}

/** The answer of an endpoint that sends events: `open` gets the stream. An error of `open` closes it. */
export function eventStreamAnswer(runtime: Runtime, open: (stream: EventStream) => Promise<void> | void): StreamAnswer {
  const streams = runtime.singleton(eventStreams)
  return new StreamAnswer(
    (response) => {
      const stream = new EventStream(response)
      streams.add(stream)
      stream.onClose(() => streams.delete(stream))
      Promise.resolve()
        .then(() => open(stream))
        .catch((error: unknown) => {
          if (!stream.isClosed) runtime.log.warn({ err: error }, 'an event stream failed and is closed')
          stream.close()
        })
    },
    {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that collect answers before they pass them on would delay events.
      'x-accel-buffering': 'no',
    },
  )
}
