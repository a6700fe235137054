import { elementsOf, say } from './send-in-place.ts'

// What happens while a page is open comes as server-sent events. Nothing is asked for in intervals.

const { mount = '', viewer, live = '' } = document.body.dataset

const all = <T extends HTMLElement>(selector: string): T[] => [...document.querySelectorAll<T>(selector)]
const first = <T extends HTMLElement>(selector: string): T | null => document.querySelector<T>(selector)

/** Asks for a part of a page, as JSON. */
async function ask<T>(path: string): Promise<T> {
  const answer = await fetch(mount + path, { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(path)
  return (await answer.json()) as T
}

let source: EventSource | undefined
/** The last event that came, for when the channel is opened anew: browsers send it only when they connect again by themselves. */
let last = ''

/** Opens the live channel while the page can be seen: browsers allow few connections to one server. */
export function startLive(): void {
  if (viewer === undefined) return
  document.addEventListener('visibilitychange', follow)
  window.addEventListener('pagehide', stop)
  follow()
}

function stop(): void {
  source?.close()
  source = undefined
}

function follow(): void {
  if (document.hidden) stop()
  else if (!source) open()
}

function open(): void {
  const posts = all('[data-post]').map((card) => card.dataset.post)
  const parameters = new URLSearchParams({ page: live, posts: [...new Set(posts)].slice(0, 100).join(',') })
  if (last !== '') parameters.set('last_event_id', last)
  source = new EventSource(`${mount}/i/live?${parameters}`)
  const on = <T>(name: string, listener: (data: T) => void) =>
    source?.addEventListener(name, (event) => {
      const { data, lastEventId } = event as MessageEvent<string>
      last = lastEventId || last
      listener(JSON.parse(data) as T)
    })
  on('counts', showCounts)
  on('ready', () => {
    if (live === 'home') void askArrivals()
    if (conversation) void askMessages()
  })
  on('arrivals', () => void askArrivals())
  on('metrics', showMetrics)
  on<{ id: string }>('gone', ({ id }) => {
    for (const card of all(`[data-post="${id}"]`)) card.remove()
  })
  on<{ conversation: string }>('message', (data) => {
    if (data.conversation === conversation) void askMessages()
    else if (live === 'messages') void renewConversations()
  })
  on<{ conversation: string; name: string }>('typing', showTyping)
  on<{ conversation: string; event_id: string }>('read', (data) => {
    if (data.conversation === conversation) showRead(data.event_id)
  })
}

/** The channel follows the posts that are on the page: after new ones came, it is opened again. */
function followAgain(): void {
  stop()
  follow()
}

function showCounts(counts: Record<string, number>): void {
  for (const badge of all('[data-count]')) {
    const count = counts[badge.dataset.count ?? ''] ?? 0
    badge.hidden = count === 0
    badge.textContent = count > 99 ? '99+' : String(count)
    badge.setAttribute('aria-label', `${count} new`)
  }
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

function showMetrics({ id, ...counts }: { id: string } & Record<string, number | string>): void {
  for (const [name, count] of Object.entries(counts))
    for (const number of all(`[data-post="${id}"] [data-metric="${name}"]`))
      number.textContent = Number(count) === 0 ? '' : SHORT.format(Number(count))
}

// The home timeline: new posts wait behind a button, so that nothing moves under the reader's eyes.

const list = live === 'home' ? first('[data-list]') : null
let waiting: { html: string; count: number }[] = []
let newest = list?.dataset.newest ?? '1'
let asking: Promise<void> | undefined
let again: { isShown: boolean } | undefined

/** Asks for new posts, and shows them at once or behind the button. While an answer is awaited, it asks once more afterwards. */
export function askArrivals({ isShown } = { isShown: false }): Promise<void> {
  if (!list) return Promise.resolve()
  if (asking) {
    again = { isShown: isShown || again?.isShown === true }
    return asking
  }
  asking = ask<{ html: string; count: number; newest: string }>(`/i/live/home?after=${newest}`)
    .then((answer) => {
      newest = answer.newest
      if (answer.count > 0) waiting.push(answer)
      if (isShown) showArrivals()
      else announceArrivals()
    })
    .catch(() => {})
    .finally(() => {
      asking = undefined
      const next = again
      again = undefined
      return next && askArrivals(next)
    })
  return asking
}

function announceArrivals(): void {
  const button = first<HTMLButtonElement>('[data-arrivals]')
  if (!button) return
  const count = waiting.reduce((sum, item) => sum + item.count, 0)
  button.hidden = count === 0
  button.textContent = count === 1 ? 'Show 1 new post' : `Show ${count} new posts`
}

export function showArrivals(): void {
  for (const item of waiting) list?.prepend(elementsOf(item.html))
  if (waiting.length > 0) followAgain()
  waiting = []
  announceArrivals()
}

// A conversation.

const messages = first<HTMLElement>('[data-messages]')
const conversation = messages?.dataset.messages
let askingMessages: Promise<void> | undefined

/** Asks for new messages of the open conversation, which is read by that. */
export function askMessages(): Promise<void> {
  const after = messages?.querySelector<HTMLElement>('[data-message]:last-child')?.dataset.message ?? '0'
  askingMessages = (askingMessages ?? Promise.resolve())
    .then(() => ask<{ html: string; read: string }>(`/i/live/messages/${conversation}?after=${newestMessage(after)}`))
    .then((answer) => {
      const added = elementsOf(answer.html)
      if (added.childElementCount > 0) {
        messages?.append(added)
        showTyping({ conversation: conversation ?? '', name: '' })
        messages?.lastElementChild?.scrollIntoView({ block: 'nearest' })
      }
      showRead(answer.read)
    })
    .catch(() => {})
  return askingMessages
}

const newestMessage = (known: string): string =>
  messages?.querySelector<HTMLElement>('[data-message]:last-child')?.dataset.message ?? known

function showRead(eventId: string): void {
  if (!messages) return
  messages.dataset.read = eventId
  const last = messages.querySelector<HTMLElement>('[data-message]:last-child')
  const seen = first('[data-seen]')
  if (seen && last) seen.hidden = !last.classList.contains('own') || BigInt(eventId) < BigInt(last.dataset.message ?? 0)
}

let typingEnds: ReturnType<typeof setTimeout> | undefined

function showTyping(data: { conversation: string; name: string }): void {
  const line = first('[data-typing]')
  if (!line || data.conversation !== conversation) return
  clearTimeout(typingEnds)
  line.textContent = data.name === '' ? '' : `${data.name} is typing…`
  typingEnds = setTimeout(() => {
    line.textContent = ''
  }, 5_000)
}

/** Loads the list of conversations again. */
async function renewConversations(): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  const loaded = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main')
  if (answer.ok && loaded) first('main')?.replaceChildren(...loaded.childNodes)
  else say('There are new messages.')
}
