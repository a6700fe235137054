import { writeLimitHeaders } from '../../api-kit/limits/limit-headers.ts'
import { parseWindows } from '../../api-kit/limits/rate-limiter.ts'
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
  'audience users': { user: WIDE, shared: false, account: '1500/1m' },
  'catalog reads': { user: '1000/15m', shared: false },
  'catalog writes': { user: '20/15m', shared: false },
  'product writes': { user: '600/15m', shared: false },
  'product deletes': { user: '150/15m', shared: false },
  'product set reads': { user: '2000/15m', shared: false },
  'product set creates': { user: '100/15m', shared: false },
  'product set updates': { user: '500/15m', shared: false },
} satisfies Record<string, Rule>
export type Limit = keyof typeof LIMITS

const TOTAL_COUNT = parseWindows('200/15m')[0]!

/** Counts a use by a user through an app, and sets the limit headers. */
export async function countUserUse(
  runtime: Runtime,
  use: { limit: Limit; operation: string; owner: string },
  headers: Headers,
): Promise<void> {
  if (runtime.rateLimits === 'off') return
  const rule: Rule = LIMITS[use.limit]
  const state = await runtime.limiter.take(`${counterOf(use)}:${use.owner}`, parseWindows(rule.user)[0]!)
  writeLimitHeaders(headers, 'x-rate-limit', state)
  if (state.exceeded) throw tooMany('the requests of this window are used up')
}

/** Counts a use of an account by somebody who may use it: strangers cannot use up its limit. */
export async function countAccountUse(
  runtime: Runtime,
  use: { limit: Limit; operation: string; account: string },
  headers: Headers,
): Promise<void> {
  const rule: Rule = LIMITS[use.limit]
  if (runtime.rateLimits === 'off' || !rule.account) return
  const name = `${counterOf(use)}:account:${use.account}`
  const state = await runtime.limiter.take(name, parseWindows(rule.account)[0]!)
  writeLimitHeaders(headers, 'x-account-rate-limit', state)
  if (state.exceeded) throw tooMany('the requests of this window for the account are used up')
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
  if (runtime.rateLimits === 'off') return
  const state = await runtime.limiter.take(`ads:total:${operation}:${owner}`, TOTAL_COUNT)
  writeLimitHeaders(headers, 'x-rate-limit', state)
  if (state.exceeded) throw tooMany('requests with with_total_count are used up for this window')
}

const tooMany = (details: string) =>
  refusal('TOO_MANY_REQUESTS', 'The rate limit of this call is exceeded', { details })
