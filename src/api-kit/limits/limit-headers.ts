import type { LimitState } from './rate-limiter.ts'

/** Tells the client what is left of a limit: `<prefix>-limit`, `<prefix>-remaining` and `<prefix>-reset`. */
export function writeLimitHeaders(headers: Record<string, string | string[]>, prefix: string, state: LimitState): void {
  headers[`${prefix}-limit`] = String(state.limit)
  headers[`${prefix}-remaining`] = String(state.remaining)
  headers[`${prefix}-reset`] = String(state.reset)
}
