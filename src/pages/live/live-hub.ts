import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import type { LoggedEvent } from '../../events/catalog.ts'
import { readEvents, readHead } from '../../events/log-tail.ts'
import { tailOf } from '../../events/runtime-tail.ts'
import { NOTIFICATION } from '../../social/notifications/write-notifications.ts'
import { type OpenPage, type OpenPages, reportCounts, reportEvents, reportMissed } from './report-events.ts'

/** How many pages one user can have open at a process. */
const MOST_PAGES = 40

/** A page that missed more events is told to ask for everything. */
const MOST_MISSED = 1_000

/** The open pages of this process. It follows the event log only while there are some. */
export class LiveHub {
  readonly #runtime: Runtime
  readonly #pages: OpenPages = new Map()
  /** The last event that open pages were told of. */
  #sequence: string | undefined
  #ends: (() => void)[] = []
  #starting: Promise<void> | undefined
  /** Events are handled one batch after the other. */
  #work: Promise<void> = Promise.resolve()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  openPagesOf(viewerId: string): number {
    return this.#pages.get(viewerId)?.size ?? 0
  }

  /** Follows what happens for a page. One that was cut off after an event is told first what happened since. */
  async open(page: OpenPage, after: string | undefined): Promise<void> {
    const own = this.#pages.get(page.viewerId) ?? new Set()
    this.#pages.set(page.viewerId, own.add(page))
    // The page that was opened first is closed: its browser may connect again.
    if (own.size > MOST_PAGES) own.values().next().value!.stream.close()
    page.stream.onClose(() => this.#forget(page))
    await this.#start()
    // Read after the tail has begun, so what comes later is delivered.
    const head = await readHead(this.#runtime.database)
    await reportCounts(this.#runtime, this.#pages, [page.viewerId])
    // The log of a world that was begun again ends before the position.
    if (after !== undefined && BigInt(after) < BigInt(head)) await this.#resume(page, after)
    page.stream.send('ready', {}, head)
  }

  async #resume(page: OpenPage, after: string): Promise<void> {
    const events = await readEvents(this.#runtime.database, after, MOST_MISSED)
    const only: OpenPages = new Map([[page.viewerId, new Set([page])]])
    if (events.length === MOST_MISSED) await reportMissed(this.#runtime, page)
    else if (events.length > 0) await reportEvents(this.#runtime, events, only, { isLate: true })
  }

  /** Ends the channel of a page, which comes back and goes on where it was. */
  async close(page: OpenPage): Promise<void> {
    if (this.#sequence !== undefined) page.stream.mark(this.#sequence)
    await page.stream.drained()
    page.stream.close()
  }

  #forget(page: OpenPage): void {
    const own = this.#pages.get(page.viewerId)
    own?.delete(page)
    if (own?.size === 0) this.#pages.delete(page.viewerId)
    if (this.#pages.size === 0) this.stop()
  }

  stop(): void {
    this.#starting = undefined
    for (const end of this.#ends) end()
    this.#ends = []
  }

  /** Follows the log, the notices and the world. */
  #start(): Promise<void> {
    this.#starting ??= tailOf(this.#runtime).then(
      (tail) => {
        if (this.#pages.size === 0) return
        this.#ends.push(
          tail.listen((events) => this.#next(() => this.#report(events))),
          this.#runtime.parts.onInvalidate(NOTIFICATION, (ids) =>
            this.#next(() => reportCounts(this.#runtime, this.#pages, ids)),
          ),
          // Sessions may have ended with the world: browsers connect again.
          onNewWorld(this.#runtime, () => {
            for (const page of this.#all()) page.stream.close()
          }),
        )
      },
      (error: unknown) => {
        this.#starting = undefined
        throw error
      },
    )
    return this.#starting
  }

  #next(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#runtime.log.warn({ err: error }, 'open pages missed what happened'))
  }

  #all(): OpenPage[] {
    return [...this.#pages.values()].flatMap((own) => [...own])
  }

  async #report(events: readonly LoggedEvent[]): Promise<void> {
    const reached = await reportEvents(this.#runtime, events, this.#pages)
    this.#sequence = events.at(-1)!.sequence
    // The position follows what it stands for: a page that is cut off in between gets the batch again.
    for (const page of reached) page.stream.mark(this.#sequence)
  }
}

export const liveHub = defineSingleton<LiveHub>({
  name: 'live pages',
  create: (runtime) => new LiveHub(runtime),
  stop: (hub) => hub.stop(),
})
