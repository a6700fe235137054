import { AdsError, invalidParameter } from '../kit/errors.ts'
import { isPayable, largestBid, smallestAmount } from '../money.ts'

const AMOUNTS = [
  'bid_amount_local_micro',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'target_cpa_local_micro',
] as const

/** Amounts in millionths of the currency unit; campaigns have fewer of them than line items. */
type Amounts = { [K in (typeof AMOUNTS)[number]]?: number | null }

/** Rules about the amounts of a campaign or line item. */
export function budgetErrors(draft: Amounts, currency: string, given: ReadonlySet<string>): AdsError[] {
  const errors: AdsError[] = []
  for (const name of AMOUNTS) {
    const amount = draft[name] ?? null
    if (!given.has(name) || amount === null || isPayable(amount, currency)) continue
    errors.push(
      new AdsError('INVALID_DENOMINATION', 'The amount is not a multiple of the smallest amount of the currency', {
        parameter: name,
        details: `must be a multiple of ${smallestAmount(currency)}`,
        value: amount,
      }),
    )
  }
  const bid = draft.bid_amount_local_micro ?? null
  if (given.has('bid_amount_local_micro') && bid !== null && bid > largestBid(currency))
    errors.push(
      invalidParameter('bid_amount_local_micro', `must not exceed ${largestBid(currency)}, see bidding_rules`, bid),
    )
  const { daily_budget_amount_local_micro: daily = null, total_budget_amount_local_micro: total = null } = draft
  if (daily !== null && total !== null && daily > total)
    errors.push(
      invalidParameter('daily_budget_amount_local_micro', 'must not exceed total_budget_amount_local_micro', daily),
    )
  return errors
}
