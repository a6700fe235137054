import { signal } from '@preact/signals'
import { go, href } from './router.ts'

/** Whether the list of shortcuts is shown. */
export const showsShortcuts = signal(false)

export const SHORTCUTS: [keys: string, meaning: string][] = [
  ['j / k', 'next or previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'close what is open'],
  ['/', 'go to the filter'],
  [
    'g then a letter',
    'go to a page: h Home, r Requests, d Deliveries, s Streams, w World, t Time, a Advertising, e Explorer, m Moderation',
  ],
  ['?', 'show this list'],
]

const PAGE_KEYS: Record<string, string> = {
  h: '',
  r: 'requests',
  d: 'deliveries',
  s: 'streams',
  w: 'world',
  t: 'time',
  a: 'advertising',
  e: 'explorer',
  m: 'moderation',
}

const escapes: (() => void)[] = []

/** Calls back when Esc is pressed, before those that were added earlier. Returns how to end that. */
export function onEscape(listener: () => void): () => void {
  escapes.push(listener)
  return () => {
    const at = escapes.lastIndexOf(listener)
    if (at >= 0) escapes.splice(at, 1)
  }
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  if (rows.length === 0) return
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const current = at >= 0 ? at : rows.findIndex((row) => row.getAttribute('aria-current') === 'true')
  const next = rows[Math.min(rows.length - 1, Math.max(0, current < 0 ? 0 : current + step))]
  next?.focus()
  // A pane that is open follows the selection.
  if (document.querySelector('[data-detail]')) next?.click()
}

let isGoing = false

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    if (document.querySelector('dialog[open]')) return
    if (isTyping(event.target)) (event.target as HTMLElement).blur()
    else escapes.at(-1)?.()
    return
  }
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
  if (document.querySelector('dialog[open]')) return
  if (isGoing && PAGE_KEYS[event.key] !== undefined) {
    isGoing = false
    event.preventDefault()
    return go(PAGE_KEYS[event.key] === '' ? href() : href(PAGE_KEYS[event.key]!))
  }
  isGoing = event.key === 'g'
  if (event.key === 'j') moveRow(1)
  else if (event.key === 'k') moveRow(-1)
  else if (event.key === '?') showsShortcuts.value = true
  else if (event.key === '/') {
    const filter = document.querySelector<HTMLElement>('[data-filter]')
    if (!filter) return
    event.preventDefault()
    filter.focus()
  }
})
