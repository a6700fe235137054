import type { Caller } from '../declaring/caller.ts'
import type { Operation } from '../declaring/operation.ts'
import type { Runtime } from '../runtime.ts'
import { tooManyRequests } from '../writing/problems.ts'
import { NO_LIMIT, unusedWindow, writeLimitHeaders } from './limit-headers.ts'
import type { LimitState, Window } from './rate-limiter.ts'

type Headers = Record<string, string | string[]>
type Pool = 'user' | 'app'
/** What the limits of an operation depend on. */
type LimitedOperation = Pick<Operation, 'id' | 'method' | 'limits' | 'auth'>

/** The window that a caller reads who is refused before a use is counted. */
export const firstWindow = ({ limits }: LimitedOperation): Window => limits.app[0] ?? limits.user[0] ?? NO_LIMIT

/** The window that a user or an app reads first. */
export const windowOf = (operation: LimitedOperation, caller: 'user' | 'app'): Window =>
  operation.limits[caller][0] ?? firstWindow(operation)

/** Counts a use for the user, or for the app when no user calls. Where only users may call, the app has a limit over all of them. */
export async function countOperationUse(
  operation: LimitedOperation,
  caller: Caller,
  runtime: Runtime,
  headers: Headers,
): Promise<void> {
  const uses = usesOf(operation, caller)
  if (uses.length === 0) writeLimitHeaders(headers, 'x-rate-limit', unusedWindow(NO_LIMIT))
  for (const [index, { pool, owner, window }] of uses.entries()) {
    const name = `${window.pool ?? operation.id}:${pool}:${owner}:${window.seconds}`
    const state = runtime.rateLimits === 'off' ? unusedWindow(window) : await runtime.limiter.take(name, window)
    addHeaders(headers, state, { isFirst: index === 0, isDay: window.seconds === DAY_S, pool })
    if (state.exceeded)
      throw tooManyRequests(`${window.limit} requests per ${window.seconds} s of this ${pool} are used up`)
  }
}

/** The windows that a request counts in. */
function usesOf(
  { auth, limits, method }: LimitedOperation,
  caller: Caller,
): { pool: Pool; owner: string; window: Window }[] {
  const { app } = caller
  if (app.isOwn && method === 'GET') return []
  const takesApps = auth !== 'none' && auth.app === true
  const inPool = (pool: Pool, owner: string) => limits[pool].map((window) => ({ pool, owner, window }))
  return [
    ...(caller.user ? inPool('user', `${app.id}:${caller.user.id}`) : []),
    ...((!caller.user || !takesApps) && !app.isOwn ? inPool('app', app.id) : []),
  ]
}

const DAY_S = 86_400

// The first window has the common header names, a day's window its own; a window that refuses takes over the common names.
function addHeaders(
  headers: Headers,
  state: LimitState,
  { isFirst, isDay, pool }: { isFirst: boolean; isDay: boolean; pool: Pool },
): void {
  if (isFirst || state.exceeded) writeLimitHeaders(headers, 'x-rate-limit', state)
  if (!isFirst && isDay) writeLimitHeaders(headers, `x-${pool}-limit-24hour`, state)
}
