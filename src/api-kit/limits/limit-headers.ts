import type { LimitState } from './rate-limiter.ts'

/** Writes the state of a limit as headers: `<prefix>-limit`, `<prefix>-remaining` and `<prefix>-reset`. */
export function writeLimitHeaders(headers: Record<string, string | string[]>, prefix: string, state: LimitState): void {
  headers[`${prefix}-limit`] = String(state.limit)
  headers[`${prefix}-remaining`] = String(state.remaining)
  headers[`${prefix}-reset`] = String(state.reset)
}
