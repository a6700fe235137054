import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { SHOWN_PLACEMENTS } from '../serving/look.ts'

/** All placements on the platform itself. */
export const ALL_PLACEMENTS = ADS_KEPT_NAMES.allPlacements

/** Placements that statistics are asked for. */
export const STATS_PLACEMENTS = [ALL_PLACEMENTS, 'SPOTLIGHT', 'TREND', 'PUBLISHER_NETWORK'] as const
export type StatsPlacement = (typeof STATS_PLACEMENTS)[number]

const numbersOf = (isIncluded: (name: string) => boolean): number[] =>
  SHOWN_PLACEMENTS.flatMap((name, number) => (isIncluded(name) ? [number] : []))

/** The numbers of the shown placements that each of them has together. Nothing is shown on SPOTLIGHT and TREND here. */
export const PLACEMENT_NUMBERS: Record<StatsPlacement, readonly number[]> = {
  [ALL_PLACEMENTS]: numbersOf((name) => name.startsWith('PLATFORM_')),
  SPOTLIGHT: [],
  TREND: [],
  PUBLISHER_NETWORK: numbersOf((name) => name === 'PUBLISHER_NETWORK'),
}
