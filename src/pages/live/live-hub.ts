import { onNewWorld, type Runtime } from '../../api-kit/runtime.ts'
import type { EventStream } from '../../api-kit/serving/event-stream.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { tailOf } from '../../events/runtime-tail.ts'
import { countUnreadConversations } from '../../social/messages/conversation-list.ts'
import { countNewNotifications } from '../../social/notifications/read-notifications.ts'
import { NOTIFICATION } from '../../social/notifications/write-notifications.ts'
import { postMetrics, postRow } from '../../social/posts/post.parts.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { statement } from '../../storage/statement.ts'

/** A page that a signed-in user has open. */
export interface OpenPage {
  viewerId: string
  stream: EventStream
  /** It shows the home timeline. */
  isHome: boolean
  /** The posts on it, which the viewer may see. */
  postIds: ReadonlySet<string>
}

/** How many pages one user can have open at a process. */
const MOST_PAGES = 40

/** Which of these viewers follow which authors is asked once for a batch of events. */
const viewersFollowing = statement(
  'live_viewers_following',
  { source_id: 'int8' },
  'select distinct source_id from follow where source_id = any($1::bigint[]) and target_id = any($2::bigint[]) and not pending',
)

/** The open pages of this process. It follows the event log only while there are some. */
export class LiveHub {
  readonly #runtime: Runtime
  readonly #pages = new Map<string, Set<OpenPage>>()
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

  async open(page: OpenPage): Promise<void> {
    const own = this.#pages.get(page.viewerId) ?? new Set()
    this.#pages.set(page.viewerId, own.add(page))
    // The page that was opened first is closed: its browser may connect again.
    if (own.size > MOST_PAGES) own.values().next().value!.stream.close()
    page.stream.onClose(() => this.#close(page))
    await this.#start()
    await this.#sendCounts([page.viewerId])
  }

  #close(page: OpenPage): void {
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
          tail.listen((events) => this.#next(() => this.#handle(events))),
          this.#runtime.parts.onInvalidate(NOTIFICATION, (ids) => this.#next(() => this.#sendCounts(ids))),
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

  #send(viewerIds: Iterable<string>, name: string, data: unknown): void {
    for (const id of viewerIds) for (const page of this.#pages.get(id) ?? []) page.stream.send(name, data)
  }

  /** The numbers in the navigation. */
  async #sendCounts(viewerIds: readonly string[]): Promise<void> {
    for (const id of viewerIds.filter((viewer) => this.#pages.has(viewer))) {
      const [notifications, messages] = await Promise.all([
        countNewNotifications(this.#runtime, id),
        countUnreadConversations(this.#runtime, id),
      ])
      this.#send([id], 'counts', { notifications, messages })
    }
  }

  async #handle(events: readonly LoggedEvent[]): Promise<void> {
    for (const event of events) await this.#reportMessages(event)
    await this.#reportArrivals(events)
    await this.#reportMetrics(events)
  }

  /** Messages, what was read, and who is typing, to those who are in the conversation. */
  async #reportMessages(event: LoggedEvent): Promise<void> {
    if (!isEventOf(event, 'message.create', 'message.read', 'message.typing')) return
    const { conversation_id: conversation, recipient_ids: recipients } = event.payload
    const actor = event.actor_id!
    const reached = recipients.filter((id) => this.#pages.has(id) && id !== actor)
    if (isEventOf(event, 'message.typing')) {
      const user = reached.length > 0 ? await this.#runtime.parts.one(userRow, actor) : undefined
      if (user) this.#send(reached, 'typing', { conversation, name: user.name })
      return
    }
    if (isEventOf(event, 'message.read')) {
      this.#send(reached, 'read', { conversation, event_id: event.payload.last_read_event_id })
      return this.#sendCounts([actor])
    }
    this.#send([...reached, actor], 'message', { conversation })
    await this.#sendCounts(reached)
  }

  /** That there may be new posts in the home timeline. The page asks for them as its viewer, so the timeline decides. */
  async #reportArrivals(events: readonly LoggedEvent[]): Promise<void> {
    const authors = new Set(
      events.flatMap((event) => (isEventOf(event, 'post.create', 'repost.create') ? (event.actor_id ?? []) : [])),
    )
    const readers = [...this.#pages].filter(([, own]) => [...own].some((page) => page.isHome)).map(([id]) => id)
    if (authors.size === 0 || readers.length === 0) return
    const found = await viewersFollowing.all(this.#runtime.database, readers, [...authors])
    const concerned = new Set([...found.map((row) => row.source_id), ...readers.filter((id) => authors.has(id))])
    for (const id of concerned)
      for (const page of this.#pages.get(id) ?? []) if (page.isHome) page.stream.send('arrivals', {})
  }

  /** The numbers under posts, and posts that are gone. */
  async #reportMetrics(events: readonly LoggedEvent[]): Promise<void> {
    const watched = new Set(this.#all().flatMap((page) => [...page.postIds]))
    if (watched.size === 0) return
    const changed = new Set((await this.#changedPosts(events)).filter((id) => watched.has(id)))
    const gone = events.flatMap((event) => (isEventOf(event, 'post.delete') ? event.payload.version_ids : []))
    const metrics = await this.#runtime.parts.many(postMetrics, [...changed])
    for (const page of this.#all()) {
      for (const id of gone) if (page.postIds.has(id)) page.stream.send('gone', { id })
      for (const [id, row] of metrics)
        if (page.postIds.has(id))
          page.stream.send('metrics', { id, like: row.like_count, repost: row.repost_count, reply: row.reply_count })
    }
  }

  async #changedPosts(events: readonly LoggedEvent[]): Promise<string[]> {
    const marked = events.flatMap((event) =>
      isEventOf(event, 'like.create', 'like.delete', 'repost.create', 'repost.delete') ? (event.post_id ?? []) : [],
    )
    const created = events.flatMap((event) => (isEventOf(event, 'post.create') ? (event.post_id ?? []) : []))
    const rows = await this.#runtime.parts.many(postRow, created)
    return [...marked, ...[...rows.values()].flatMap((row) => row.in_reply_to_post_id ?? [])]
  }
}

export const liveHub = defineSingleton<LiveHub>({
  name: 'live pages',
  create: (runtime) => new LiveHub(runtime),
  stop: (hub) => hub.stop(),
})
