import type { RunningTest } from '../ab-tests/arms.ts'
import type { ServedItem } from './inventory.ts'
import { leftOf, type Spent } from './ledger.ts'
import type { Pace } from './pacing.ts'

/** An item with its state in the ad server. */
export interface Contender {
  item: ServedItem
  pace: Pace
  campaignPace: Pace
  /** What TARGET multiplies its bid by. */
  kappa: number
  /** Tests in which only some viewers see it, and which groups those are. */
  arms: { test: RunningTest; group: number }[]
  spent: { item: Spent; campaign: Spent; funding: Spent }
  /** The present day of its account. */
  day: string
}

/** What an item may still spend today. */
export const leftFor = ({ item: { limits }, spent, day }: Contender): number =>
  leftOf(limits, spent.item, spent.campaign, spent.funding, day)
