/** The day of rows that have everything, whatever the day. */
export const IN_ALL = 'infinity'

/** What a line item may still spend is limited by five budgets; null where there is none. */
export interface Limits {
  itemDaily: number | null
  itemTotal: number | null
  campaignDaily: number | null
  campaignTotal: number | null
  funding: number | null
}

/** Who pays for what a line item shows. */
export interface Payer {
  id: string
  campaignId: string
  fundingId: string
  /** Whose spending the limit of the funding instrument counts: its own, or that of the credit line that it shares. */
  creditId: string
  timezone: string
  limits: Limits
}

/** What a record has spent on its last day, and in all. */
export interface Spent {
  day: string
  today: number
  inAll: number
}

/** What was spent, as far as this process knows. */
export class Ledger {
  readonly #spent = new Map<string, Spent>()

  /** The account of a record, which stays the same object. */
  of(entityId: string): Spent {
    let known = this.#spent.get(entityId)
    if (!known) {
      known = { day: '', today: 0, inAll: 0 }
      this.#spent.set(entityId, known)
    }
    return known
  }

  /** Takes over what the database has. */
  set(entityId: string, day: string, spent: number): void {
    const known = this.of(entityId)
    if (day === IN_ALL) known.inAll = spent
    else if (day >= known.day) {
      known.day = day
      known.today = spent
    }
  }
}

/** What was spent on a day. */
export const spentOn = (spent: Spent, day: string): number => (spent.day === day ? spent.today : 0)

export function addSpent(spent: Spent, day: string, charge: number): void {
  if (spent.day !== day) {
    spent.day = day
    spent.today = 0
  }
  spent.today += charge
  spent.inAll += charge
}

/** What may still be spent on a day. */
export function leftOf(limits: Limits, item: Spent, campaign: Spent, funding: Spent, day: string): number {
  let left = Number.POSITIVE_INFINITY
  if (limits.itemDaily !== null) left = Math.min(left, limits.itemDaily - spentOn(item, day))
  if (limits.itemTotal !== null) left = Math.min(left, limits.itemTotal - item.inAll)
  if (limits.campaignDaily !== null) left = Math.min(left, limits.campaignDaily - spentOn(campaign, day))
  if (limits.campaignTotal !== null) left = Math.min(left, limits.campaignTotal - campaign.inAll)
  if (limits.funding !== null) left = Math.min(left, limits.funding - funding.inAll)
  return Math.max(0, left)
}
