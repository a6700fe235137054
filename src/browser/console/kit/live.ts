import { signal } from '@preact/signals'
import type { RecordedRequest } from '../../../api-kit/serving/request-log.ts'
import type { liveShow } from '../../../control/population/life-commands.ts'
import type { ShownDelivery } from '../../../control/shown-delivery.ts'
import type { LoggedEvent } from '../../../events/catalog.ts'
import { type ResultOf, signedIn } from './client.ts'
import { mount } from './router.ts'

/** An event of the log, as the control interface shows it. */
export type ShownEvent = Omit<LoggedEvent, 'sequence'> & { place: string }

interface Topics {
  requests: RecordedRequest
  events: ShownEvent
  deliveries: ShownDelivery
  life: ResultOf<typeof liveShow>
}

/** Whether what the console shows is up to date. */
export const liveState = signal<'connecting' | 'open' | 'lost'>('connecting')

const listeners: { [T in keyof Topics]: Set<(items: Topics[T][]) => void> } = {
  requests: new Set(),
  events: new Set(),
  deliveries: new Set(),
  life: new Set(),
}

/** Calls back with batches of a topic as they arrive, oldest first. Returns how to end that. */
export function listen<T extends keyof Topics>(topic: T, listener: (items: Topics[T][]) => void): () => void {
  listeners[topic].add(listener)
  return () => listeners[topic].delete(listener)
}

const SILENT_MS = 40_000
const AGAIN_MS = 1_000
let lastId = ''
let isRunning = false

/** Follows the server until the browser is signed out. What was missed while the connection was cut is sent again. */
export async function startLive(): Promise<void> {
  if (isRunning) return
  isRunning = true
  while (signedIn.value) {
    try {
      await readOnce()
    } catch {
      // Cut off or refused: what matters is that it is tried again.
    }
    liveState.value = 'lost'
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
  isRunning = false
}

async function readOnce(): Promise<void> {
  const cut = new AbortController()
  let timer = setTimeout(() => cut.abort(), SILENT_MS)
  const answer = await fetch(`${mount}/_rostra/live`, {
    headers: { 'x-rostra-console': '1', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
    signal: cut.signal,
  })
  if (answer.status === 401) signedIn.value = false
  if (!answer.ok || !answer.body) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    clearTimeout(timer)
    // The server says every 15 s that it is there.
    timer = setTimeout(() => cut.abort(), SILENT_MS)
    liveState.value = 'open'
    text += value
    const messages = text.split('\n\n')
    text = messages.pop()!
    for (const message of messages) take(message)
  }
}

function take(message: string): void {
  const field = (name: string) =>
    message
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const topic = field('event') as keyof Topics | undefined
  const data = field('data')
  lastId = field('id') ?? lastId
  if (!topic || data === undefined || !(topic in listeners)) return
  const items = JSON.parse(data)
  for (const listener of listeners[topic]) listener(items)
}
