import type { Caller } from '../declaring/caller.ts'
import type { Operation } from '../declaring/operation.ts'
import type { Runtime } from '../runtime.ts'
import { tooManyRequests } from '../writing/problems.ts'
import { writeLimitHeaders } from './limit-headers.ts'
import type { LimitState } from './rate-limiter.ts'

type Headers = Record<string, string | string[]>

/** Counts a use for the user, or for the app when no user calls. Where only users may call, the app has a limit over all of them. */
export async function countOperationUse(
  operation: Operation,
  caller: Caller,
  runtime: Runtime,
  headers: Headers,
): Promise<void> {
  if (runtime.rateLimits === 'off') return
  const takesApps = operation.auth !== 'none' && operation.auth.app === true
  if (caller.user) await countPool(operation, 'user', `${caller.app.id}:${caller.user.id}`, runtime, headers)
  if (!caller.user || !takesApps) await countPool(operation, 'app', caller.app.id, runtime, headers)
}

async function countPool(
  operation: Operation,
  pool: 'user' | 'app',
  owner: string,
  runtime: Runtime,
  headers: Headers,
): Promise<void> {
  for (const window of operation.limits[pool]) {
    const name = `${window.pool ?? operation.id}:${pool}:${owner}:${window.seconds}`
    const state = await runtime.limiter.take(name, window)
    addHeaders(headers, state, window.seconds, pool)
    if (state.exceeded)
      throw tooManyRequests(`${window.limit} requests per ${window.seconds} s of this ${pool} are used up`)
  }
}

const DAY_S = 86_400

// The first window has the common header names, a day's window its own; a window that refuses takes over the common names.
function addHeaders(headers: Headers, state: LimitState, seconds: number, pool: 'user' | 'app'): void {
  const isFirst = headers['x-rate-limit-limit'] === undefined
  if (isFirst || state.exceeded) writeLimitHeaders(headers, 'x-rate-limit', state)
  if (!isFirst && seconds === DAY_S) writeLimitHeaders(headers, `x-${pool}-limit-24hour`, state)
}
