import { networkOf } from '../../process/addresses.ts'
import type { Runtime } from '../runtime.ts'
import type { Exchange } from '../serving/serve-request.ts'
import type { Answer } from '../writing/answer.ts'
import type { Problem } from '../writing/problem.ts'
import { unusedWindow, writeLimitHeaders } from './limit-headers.ts'
import type { Window } from './rate-limiter.ts'

/** How often an endpoint may be used. */
export interface EndpointLimit {
  /** For each authenticated app. Left out for pages. */
  app?: Window
  /** For each client address: all requests if apps are not counted, else those without an authenticated app. */
  address: Window
  /** The answer to one request too many. */
  refuse(reason: string): Problem | Answer
}

/** A limit was reached; the message says which. */
export class LimitReached extends Error {}

/**
 * Counts a request before any work is done for it: for the authenticated app, or for the address when there is none.
 */
export type CountFor = (app: { id: string } | undefined) => Promise<void>

/** Sets the limit headers of a request that nothing was counted for yet. */
export function writeFirstHeaders({ limit }: { limit?: EndpointLimit }, { headers }: Pick<Exchange, 'headers'>): void {
  if (limit) writeLimitHeaders(headers, 'x-rate-limit', unusedWindow(limit.app ?? limit.address))
}

/** Runs the work of an endpoint within its limit, and sets the limit headers. */
export async function withinLimit<T>(
  { id, limit }: { id: string; limit?: EndpointLimit },
  { facts, headers }: Exchange,
  runtime: Runtime,
  work: (countFor: CountFor) => Promise<T>,
): Promise<T> {
  if (!limit) return work(async () => {})
  writeFirstHeaders({ limit }, { headers })
  if (runtime.rateLimits === 'off') return work(async () => {})
  let isCounted = false
  const take = async (pool: 'app' | 'address', owner: string, window: Window) => {
    isCounted = true
    const state = await runtime.limiter.take(`${id}:${pool}:${owner}`, window)
    writeLimitHeaders(headers, 'x-rate-limit', state)
    if (state.exceeded)
      throw new LimitReached(`${window.limit} requests per ${window.seconds} s of this ${pool} are used up`)
  }
  const countAddress = () => take('address', networkOf(facts.remoteAddress), limit.address)
  const { app: appWindow } = limit
  if (!appWindow) await countAddress()
  try {
    return await work(async (app) => {
      if (app && appWindow) await take('app', app.id, appWindow)
      else if (!isCounted) await countAddress()
    })
  } finally {
    // The request was refused before its app was known.
    if (!isCounted) await countAddress()
  }
}
