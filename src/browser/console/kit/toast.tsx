import { signal } from '@preact/signals'
import { CallError } from './client.ts'

interface Toast {
  id: number
  words: string
  isBad: boolean
}

const SHOWN_MS = 6_000
const toasts = signal<Toast[]>([])
let count = 0

/** Says something for a few seconds. */
export function say(words: string, options: { isBad?: boolean } = {}): void {
  count += 1
  const toast = { id: count, words, isBad: options.isBad ?? false }
  toasts.value = [...toasts.value.slice(-3), toast]
  setTimeout(() => {
    toasts.value = toasts.value.filter((item) => item !== toast)
  }, SHOWN_MS)
}

/** Does something and says how it went: `attempt('The fault is set', () => command(...))`. Undefined after a failure. */
export async function attempt<T>(done: string | undefined, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work()
    if (done) say(done)
    return result
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    say(error.message, { isBad: true })
    return undefined
  }
}

/** Shows what was said. The application has it once. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <p key={toast.id} class={toast.isBad ? 'bad' : undefined}>
          {toast.words}
        </p>
      ))}
    </div>
  )
}
