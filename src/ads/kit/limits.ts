import { unusedWindow, writeLimitHeaders } from '../../api-kit/limits/limit-headers.ts'
import { parseWindows, type Window } from '../../api-kit/limits/rate-limiter.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Headers } from '../../api-kit/serving/serve-request.ts'
import { refusal } from './errors.ts'

/** How uses of an operation are counted. */
interface Rule {
  /** Uses by one user through one app. */
  user: string
  /** One counter for all operations of the category, or one for each operation. */
  shared: boolean
  /** Uses of one account by all users together. */
  account?: string
}

// Where the account has a limit, the user's limit is wide and spans all accounts.
const WIDE = '100000/15m'

/** The categories of the platform's limits. */
export const LIMITS = {
  writes: { user: '450/1m', shared: true },
  'core reads': { user: WIDE, shared: false, account: '10000/15m' },
  'account reads': { user: '2000/15m', shared: false },
  'global reads': { user: '5/15m', shared: false },
  'targeting lookups': { user: '400/15m', shared: true },
  'tv lookups': { user: '2000/15m', shared: false },
  'audience insights': { user: '400/15m', shared: true },
  'keyword insights': { user: '500/15m', shared: true },
  statistics: { user: '250/15m', shared: true },
  // Only the number of jobs in progress is limited.
  'statistics jobs': { user: WIDE, shared: false },
  'audience users': { user: WIDE, shared: false, account: '1500/1m' },
  'catalog reads': { user: '1000/15m', shared: false },
  'catalog writes': { user: '20/15m', shared: false },
  'product writes': { user: '600/15m', shared: false },
  'product deletes': { user: '150/15m', shared: false },
  'product set reads': { user: '2000/15m', shared: false },
  'product set creates': { user: '100/15m', shared: false },
  conversions: { user: '60000/15m', shared: false },
  'product set updates': { user: '500/15m', shared: false },
} satisfies Record<string, Rule>
export type Limit = keyof typeof LIMITS

const TOTAL_COUNT = parseWindows('200/15m')[0]!

/** The window of the uses by one user through one app. */
export const userWindow = (limit: Limit): Window => parseWindows(LIMITS[limit].user)[0]!

/** Counts a use by a user through an app, and sets the limit headers. */
export async function countUserUse(
  runtime: Runtime,
  use: { limit: Limit; operation: string; owner: string },
  headers: Headers,
): Promise<void> {
  const window = userWindow(use.limit)
  const state =
    runtime.rateLimits === 'off'
      ? unusedWindow(window)
      : await runtime.limiter.take(`${counterOf(use)}:${use.owner}`, window)
  writeLimitHeaders(headers, 'x-rate-limit', state)
  if (state.exceeded) throw tooManyAdsRequests('the requests of this window are used up')
}

/** Counts a use of an account by somebody who may use it: strangers cannot use up its limit. */
export async function countAccountUse(
  runtime: Runtime,
  use: { limit: Limit; operation: string; account: string },
  headers: Headers,
): Promise<void> {
  const rule: Rule = LIMITS[use.limit]
  if (!rule.account) return
  const name = `${counterOf(use)}:account:${use.account}`
  const window = parseWindows(rule.account)[0]!
  const state = runtime.rateLimits === 'off' ? unusedWindow(window) : await runtime.limiter.take(name, window)
  writeLimitHeaders(headers, 'x-account-rate-limit', state)
  if (state.exceeded) throw tooManyAdsRequests('the requests of this window for the account are used up')
}

const counterOf = (use: { limit: Limit; operation: string }): string =>
  `ads:${LIMITS[use.limit].shared ? use.limit : use.operation}`

/** Counts a use of a list with its total count, which has its own limit. */
export async function countTotalUse(
  runtime: Runtime,
  operation: string,
  owner: string,
  headers: Headers,
): Promise<void> {
  const name = `ads:total:${operation}:${owner}`
  const state = runtime.rateLimits === 'off' ? unusedWindow(TOTAL_COUNT) : await runtime.limiter.take(name, TOTAL_COUNT)
  writeLimitHeaders(headers, 'x-rate-limit', state)
  if (state.exceeded) throw tooManyAdsRequests('requests with with_total_count are used up for this window')
}

export const tooManyAdsRequests = (details: string) =>
  refusal('TOO_MANY_REQUESTS', 'The rate limit of this call is exceeded', { details })
