import { setImmediate } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import type { LoggedEvent } from '../events/catalog.ts'
import { readEvents } from '../events/log-tail.ts'

const PAGE = 500

/** Events that follow a sequence, as readers of the live channel get them. */
export interface EventPage {
  /** A JSON array; undefined where nothing follows. */
  json: string | undefined
  /** The sequence of the last event of the page. */
  sequence: string
  isFull: boolean
}

/**
 * Reads and writes events once for all readers of the live channel at the same sequence: a thousand consoles that connect again after a
 * restart would each read the same log.
 */
export class EventPages {
  readonly #runtime: Runtime
  /** Reads that have not begun, and reads in progress, by sequence. */
  readonly #waiting = new Map<string, Promise<EventPage>>()
  readonly #reading = new Map<string, Promise<EventPage>>()
  readonly #written = new WeakMap<readonly LoggedEvent[], string>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** The next page. Its read begins after this call: one in progress may miss what happened before the reader began to listen. */
  readAfter(sequence: string): Promise<EventPage> {
    const joined = this.#waiting.get(sequence)
    if (joined) return joined
    const waiting = this.#readNext(sequence)
    this.#waiting.set(sequence, waiting)
    return waiting
  }

  /** The JSON of a batch of the log tail. Events have their sequence as `place` there. */
  write(events: readonly LoggedEvent[]): string {
    const json =
      this.#written.get(events) ?? JSON.stringify(events.map(({ sequence: place, ...event }) => ({ place, ...event })))
    this.#written.set(events, json)
    return json
  }

  async #readNext(sequence: string): Promise<EventPage> {
    await (this.#reading.get(sequence)?.catch(() => {}) ?? setImmediate())
    this.#waiting.delete(sequence)
    const reading = this.#read(sequence)
    this.#reading.set(sequence, reading)
    try {
      return await reading
    } finally {
      if (this.#reading.get(sequence) === reading) this.#reading.delete(sequence)
    }
  }

  async #read(sequence: string): Promise<EventPage> {
    const events = await readEvents(this.#runtime.database, sequence, PAGE)
    return {
      json: events.length === 0 ? undefined : this.write(events),
      sequence: events.at(-1)?.sequence ?? sequence,
      isFull: events.length === PAGE,
    }
  }
}

export const eventPages = defineSingleton<EventPages>({
  name: 'event pages',
  create: (runtime) => new EventPages(runtime),
})
