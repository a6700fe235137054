import { realNow } from '../../process/clock.ts'
import type { LimitState, Window } from './rate-limiter.ts'

type Headers = Record<string, string | string[]>

/** Shown where no limit applies: client libraries read the headers of every answer without asking whether they are there. */
export const NO_LIMIT: Window = { limit: 1_000_000, seconds: 900 }

/** Writes the state of a limit as headers: `<prefix>-limit`, `<prefix>-remaining` and `<prefix>-reset`. */
export function writeLimitHeaders(headers: Headers, prefix: string, state: LimitState): void {
  let names = namesByPrefix.get(prefix)
  if (!names) {
    names = { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` }
    namesByPrefix.set(prefix, names)
  }
  headers[names.limit] = String(state.limit)
  headers[names.remaining] = String(state.remaining)
  headers[names.reset] = String(state.reset)
}

// Every answer has them several times, and V8 looks up a name that was put together each time anew.
const namesByPrefix = new Map<string, Record<'limit' | 'remaining' | 'reset', string>>()

/** The state of a window that nothing was counted in, as for a refused caller or with limits off. */
export const unusedWindow = ({ limit, seconds }: Window): LimitState => ({
  limit,
  remaining: limit,
  reset: Math.floor(realNow() / 1000) + seconds,
  exceeded: false,
})
