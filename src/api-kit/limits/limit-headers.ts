import { realNow } from '../../process/clock.ts'
import type { LimitState, Window } from './rate-limiter.ts'

type Headers = Record<string, string | string[]>

/** Shown where no limit applies: client libraries read the headers of every answer without asking whether they are there. */
export const NO_LIMIT: Window = { limit: 1_000_000, seconds: 900 }

/** Writes the state of a limit as headers: `<prefix>-limit`, `<prefix>-remaining` and `<prefix>-reset`. */
export function writeLimitHeaders(headers: Headers, prefix: string, state: LimitState): void {
  headers[`${prefix}-limit`] = String(state.limit)
  headers[`${prefix}-remaining`] = String(state.remaining)
  headers[`${prefix}-reset`] = String(state.reset)
}

/** The state of a window that nothing was counted in, as for a refused caller or with limits off. */
export const unusedWindow = ({ limit, seconds }: Window): LimitState => ({
  limit,
  remaining: limit,
  reset: Math.floor(realNow() / 1000) + seconds,
  exceeded: false,
})
