import { localDay } from '../kit/local-time.ts'

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
  timezone: string
  limits: Limits
}

interface Spent {
  day: string
  today: number
  inAll: number
}

/** What was spent, as far as this process knows. */
export class Ledger {
  readonly #spent = new Map<string, Spent>()

  /** Takes over what the database has. */
  set(entityId: string, day: string, spent: number): void {
    const known = this.#of(entityId)
    if (day === IN_ALL) known.inAll = spent
    else if (day >= known.day) {
      known.day = day
      known.today = spent
    }
  }

  add(payer: Payer, day: string, charge: number): void {
    for (const id of [payer.id, payer.campaignId, payer.fundingId]) {
      const known = this.#of(id)
      if (known.day !== day) {
        known.day = day
        known.today = 0
      }
      known.today += charge
      known.inAll += charge
    }
  }

  today(entityId: string, day: string): number {
    const known = this.#spent.get(entityId)
    return known && known.day === day ? known.today : 0
  }

  inAll(entityId: string): number {
    return this.#spent.get(entityId)?.inAll ?? 0
  }

  /** What a line item may still spend at a moment. */
  left(payer: Payer, at: number): number {
    const { limits } = payer
    const { date } = localDay(at, payer.timezone)
    let left = Number.POSITIVE_INFINITY
    const bound = (limit: number | null, spent: number) => {
      if (limit !== null) left = Math.min(left, limit - spent)
    }
    bound(limits.itemDaily, this.today(payer.id, date))
    bound(limits.itemTotal, this.inAll(payer.id))
    bound(limits.campaignDaily, this.today(payer.campaignId, date))
    bound(limits.campaignTotal, this.inAll(payer.campaignId))
    bound(limits.funding, this.inAll(payer.fundingId))
    return Math.max(0, left)
  }

  #of(entityId: string): Spent {
    let known = this.#spent.get(entityId)
    if (!known) {
      known = { day: '', today: 0, inAll: 0 }
      this.#spent.set(entityId, known)
    }
    return known
  }
}
