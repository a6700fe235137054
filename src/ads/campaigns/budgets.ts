import type { Loose } from '../kit/entity.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { isPayable, largestBid, smallestAmount } from '../money.ts'

const AMOUNTS = [
  'bid_amount_local_micro',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'target_cpa_local_micro',
]

/** Rules about the amounts of a campaign or line item. */
export function budgetErrors(draft: Loose, currency: string, given: ReadonlySet<string>): AdsError[] {
  const errors: AdsError[] = []
  for (const name of AMOUNTS) {
    if (!given.has(name) || draft[name] === null || isPayable(draft[name], currency)) continue
    errors.push(
      new AdsError('INVALID_DENOMINATION', 'The amount is finer than the currency allows', {
        parameter: name,
        details: `must be a multiple of ${smallestAmount(currency)}`,
        value: draft[name],
      }),
    )
  }
  const bid = draft.bid_amount_local_micro ?? null
  if (given.has('bid_amount_local_micro') && bid !== null && bid > largestBid(currency))
    errors.push(
      invalidParameter('bid_amount_local_micro', `must not exceed ${largestBid(currency)}, see bidding_rules`, bid),
    )
  const { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total } = draft
  if (daily !== null && total !== null && daily > total)
    errors.push(
      invalidParameter('daily_budget_amount_local_micro', 'must not exceed total_budget_amount_local_micro', daily),
    )
  return errors
}
