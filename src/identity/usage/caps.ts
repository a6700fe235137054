import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { PriceTable } from '../../api-kit/limits/price-table.ts'
import type { Problem } from '../../api-kit/writing/problem.ts'
import type { CapWords } from '../../api-kit/writing/problem-words.ts'
import { usageCapped } from '../../api-kit/writing/problems.ts'
import { capOf } from '../tier-caps.ts'

/** What a project has used, and what it may use. */
export interface ProjectUsage {
  /** Posts of this month. */
  posts: number
  monthMicros: number
  dayMicros: number
  /** Instead of the cap of the tier. */
  postCap: number | null
  monthBudget: number | null
  dayBudget: number | null
  /** The numbers are those of the database; nothing was added since. */
  isExact: boolean
  /** It made a request since the numbers were read. */
  isUsed: boolean
}

/** A cap that is used up. */
export interface ReachedCap extends CapWords {
  reason: string
}

/** The cap that keeps a caller from an operation; undefined when there is none. */
export function capReached(
  usage: ProjectUsage,
  caller: { app: Pick<Caller['app'], 'tier'> },
  { kind, micros }: { kind: string | undefined; micros: number },
  { objects, currency }: PriceTable,
): ReachedCap | undefined {
  const cap = usage.postCap ?? capOf(caller, 'monthly_posts')
  if (kind === 'post' && usage.posts >= cap)
    return { period: 'Monthly', scope: 'Product', reason: `the project has read ${cap} posts this month` }
  const costs = micros > 0 || (kind !== undefined && (objects[kind] ?? 0) > 0)
  if (!costs) return undefined
  if (usage.dayBudget !== null && usage.dayMicros >= usage.dayBudget)
    return { period: 'Daily', scope: 'Account', reason: spent('today', usage.dayBudget, currency) }
  if (usage.monthBudget !== null && usage.monthMicros >= usage.monthBudget)
    return { period: 'Monthly', scope: 'Account', reason: spent('this month', usage.monthBudget, currency) }
  return undefined
}

/** The refusal of a caller whose cap is used up. */
export const refusal = ({ app }: Caller, reached: ReachedCap): Problem =>
  usageCapped({ ...reached, accountId: app.accountId, product: app.tier })

const spent = (when: string, micros: number, currency: string) =>
  `the project has spent its budget of ${micros / 1_000_000} ${currency} ${when}`
