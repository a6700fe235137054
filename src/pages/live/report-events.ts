import type { Runtime } from '../../api-kit/runtime.ts'
import type { EventStream } from '../../api-kit/serving/event-stream.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { countUnreadConversations } from '../../social/messages/conversation-list.ts'
import { countNewNotifications } from '../../social/notifications/read-notifications.ts'
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

/** Open pages by their viewers. */
export type OpenPages = Map<string, Set<OpenPage>>

/** Which of these viewers follow which authors is asked once for a batch of events. */
const viewersFollowing = statement(
  'live_viewers_following',
  { source_id: 'int8' },
  'select distinct source_id from follow where source_id = any($1::bigint[]) and target_id = any($2::bigint[]) and not pending',
)

/** Tells open pages what happened. Returns those that something concerned. Late events have nothing about who is typing. */
export async function reportEvents(
  runtime: Runtime,
  events: readonly LoggedEvent[],
  pages: OpenPages,
  options: { isLate?: boolean } = {},
): Promise<ReadonlySet<OpenPage>> {
  const report = new Report(runtime, pages)
  for (const event of events) if (!(options.isLate && event.type === 'message.typing')) await report.messages(event)
  await report.arrivals(events)
  await report.metrics(events)
  return report.reached
}

/** Tells the page of what it missed so much that nobody looks it up: everything on it may have changed. */
export async function reportMissed(runtime: Runtime, page: OpenPage): Promise<void> {
  const report = new Report(runtime, new Map([[page.viewerId, new Set([page])]]))
  if (page.isHome) page.stream.send('arrivals', {})
  await report.numbers(page.postIds)
}

/** The numbers in the navigation. */
export const reportCounts = (runtime: Runtime, pages: OpenPages, viewerIds: readonly string[]): Promise<void> =>
  new Report(runtime, pages).counts(viewerIds)

class Report {
  readonly #runtime: Runtime
  readonly #pages: OpenPages
  readonly reached = new Set<OpenPage>()

  constructor(runtime: Runtime, pages: OpenPages) {
    this.#runtime = runtime
    this.#pages = pages
  }

  #all(): OpenPage[] {
    return [...this.#pages.values()].flatMap((own) => [...own])
  }

  #sendTo(page: OpenPage, name: string, data: unknown): void {
    page.stream.send(name, data)
    this.reached.add(page)
  }

  #send(viewerIds: Iterable<string>, name: string, data: unknown): void {
    for (const id of viewerIds) for (const page of this.#pages.get(id) ?? []) this.#sendTo(page, name, data)
  }

  async counts(viewerIds: readonly string[]): Promise<void> {
    for (const id of viewerIds.filter((viewer) => this.#pages.has(viewer))) {
      const [notifications, messages] = await Promise.all([
        countNewNotifications(this.#runtime, id),
        countUnreadConversations(this.#runtime, id),
      ])
      this.#send([id], 'counts', { notifications, messages })
    }
  }

  /** Messages, what was read, and who is typing, to those who are in the conversation. */
  async messages(event: LoggedEvent): Promise<void> {
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
      return this.counts([actor])
    }
    this.#send([...reached, actor], 'message', { conversation })
    await this.counts(reached)
  }

  /** That there may be new posts in the home timeline. The page asks for them as its viewer, so the timeline decides. */
  async arrivals(events: readonly LoggedEvent[]): Promise<void> {
    const authors = new Set(
      events.flatMap((event) => (isEventOf(event, 'post.create', 'repost.create') ? (event.actor_id ?? []) : [])),
    )
    const readers = [...this.#pages].filter(([, own]) => [...own].some((page) => page.isHome)).map(([id]) => id)
    if (authors.size === 0 || readers.length === 0) return
    const found = await viewersFollowing.all(this.#runtime.database, readers, [...authors])
    const concerned = new Set([...found.map((row) => row.source_id), ...readers.filter((id) => authors.has(id))])
    for (const id of concerned)
      for (const page of this.#pages.get(id) ?? []) if (page.isHome) this.#sendTo(page, 'arrivals', {})
  }

  /** The numbers under posts, and posts that are gone. */
  async metrics(events: readonly LoggedEvent[]): Promise<void> {
    const watched = new Set(this.#all().flatMap((page) => [...page.postIds]))
    if (watched.size === 0) return
    const gone = events.flatMap((event) => (isEventOf(event, 'post.delete') ? event.payload.version_ids : []))
    for (const page of this.#all()) for (const id of gone) if (page.postIds.has(id)) this.#sendTo(page, 'gone', { id })
    await this.numbers(new Set((await this.#changedPosts(events)).filter((id) => watched.has(id))))
  }

  async numbers(postIds: ReadonlySet<string>): Promise<void> {
    const metrics = await this.#runtime.parts.many(postMetrics, [...postIds])
    for (const page of this.#all())
      for (const [id, { like_count: like, repost_count: repost, reply_count: reply }] of metrics)
        if (page.postIds.has(id)) this.#sendTo(page, 'metrics', { id, like, repost, reply })
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
