import type { Runtime } from '../api-kit/runtime.ts'
import type { RecordedRequest } from '../api-kit/serving/request-log.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import { realNow } from '../process/clock.ts'
import { RequestCursor } from './request-cursor.ts'

const BATCH_MS = 50
const SUBSCRIBE_EVERY_MS = 5_000
const SUBSCRIBED_MS = 3 * SUBSCRIBE_EVERY_MS

type Listener = (requests: RecordedRequest[]) => void
interface Subscription {
  machine: number
  cursor: string
}

/**
 * The requests of all processes of this machine, as they are answered. A process with a listener subscribes at the others, which
 * send their requests in batches while it does. A subscription is renewed every few seconds, with what has arrived: so a process
 * that starts later learns of it, and what was lost comes again.
 */
export class RequestFeed {
  readonly #runtime: Runtime
  readonly #listeners = new Set<Listener>()
  /** Until when other processes want the requests of this one. */
  readonly #subscribers = new Map<number, number>()
  #arrived = RequestCursor.at(0)
  #unsent: RecordedRequest[] = []
  #sending: NodeJS.Timeout | undefined
  #subscribing: NodeJS.Timeout | undefined
  #endFollowing: (() => void) | undefined

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    runtime.bus.answer('requests-subscribe', ({ machine, cursor }: Subscription) => {
      this.#subscribers.set(machine, performance.now() + SUBSCRIBED_MS)
      this.#follow()
      return this.#readAfter(RequestCursor.parse(cursor))
    })
    runtime.bus.answer('requests-unsubscribe', (machine: number) => this.#subscribers.delete(machine))
    runtime.bus.answer('requests-answered', (requests: RecordedRequest[]) => this.#deliver(requests))
  }

  /** Calls back with batches from now on. Resolves with what a reader with this cursor has missed, and how to end it. */
  async listen(cursor: RequestCursor, listener: Listener): Promise<{ missed: RecordedRequest[]; end: () => void }> {
    if (this.#listeners.size === 0) {
      this.#arrived = RequestCursor.at(realNow())
      this.#subscribing = setInterval(() => void this.#renew(), SUBSCRIBE_EVERY_MS).unref()
    }
    this.#listeners.add(listener)
    this.#follow()
    const others = await this.#subscribe(cursor)
    const missed = [...this.#readAfter(cursor), ...others]
    const end = () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#subscribing)
      void this.#runtime.bus.sendAll('requests-unsubscribe', this.#runtime.machine)
    }
    return { missed, end }
  }

  stop(): void {
    this.#listeners.clear()
    this.#subscribers.clear()
    clearInterval(this.#subscribing)
    clearTimeout(this.#sending)
    this.#endFollowing?.()
  }

  async #subscribe(cursor: RequestCursor): Promise<RecordedRequest[]> {
    const { bus, machine } = this.#runtime
    const answers = await bus.askAll<RecordedRequest[] | null>('requests-subscribe', { machine, cursor: cursor.text })
    return answers.flatMap((requests) => requests ?? [])
  }

  async #renew(): Promise<void> {
    const requests = await this.#subscribe(this.#arrived)
    if (requests.length > 0) this.#deliver(requests)
  }

  #readAfter(cursor: RequestCursor | undefined): RecordedRequest[] {
    if (!cursor) return []
    return this.#runtime.requestLog.read({ limit: MOST_READ }).filter((request) => !cursor.has(request))
  }

  /** Collects the requests of this process. */
  #follow(): void {
    this.#endFollowing ??= this.#runtime.requestLog.listen((request) => {
      this.#unsent.push(request)
      this.#sending ??= setTimeout(() => this.#send(), BATCH_MS)
    })
  }

  #send(): void {
    this.#sending = undefined
    const batch = this.#unsent
    this.#unsent = []
    for (const [machine, until] of this.#subscribers) if (until < performance.now()) this.#subscribers.delete(machine)
    this.#deliver(batch)
    if (this.#subscribers.size > 0) void this.#runtime.bus.sendAll('requests-answered', batch)
    else if (this.#listeners.size === 0) {
      this.#endFollowing?.()
      this.#endFollowing = undefined
    }
  }

  #deliver(requests: RecordedRequest[]): void {
    if (this.#listeners.size === 0) return
    this.#arrived.take(requests)
    for (const listener of this.#listeners) listener(requests)
  }
}

// More than the log holds of any number of apps that somebody watches.
const MOST_READ = 100_000

export const requestFeed = defineSingleton<RequestFeed>({
  name: 'request feed',
  create: (runtime) => new RequestFeed(runtime),
  stop: (feed) => feed.stop(),
})
