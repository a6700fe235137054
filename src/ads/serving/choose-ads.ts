import { armOf, type RunningTest } from '../ab-tests/arms.ts'
import { localDay } from '../kit/local-time.ts'
import { dollarsOf, priceOf, RESERVE } from './bids.ts'
import { asShare, hashText, mix } from './hash.ts'
import type { ServedCreative, ServedItem } from './inventory.ts'
import type { Ledger } from './ledger.ts'
import { type Look, SHOWN_PLACEMENTS } from './look.ts'
import type { Pace } from './pacing.ts'
import { affinityOf, appeal, predicted, type Sight } from './response-model.ts'
import type { SightCounts } from './sight-counts.ts'
import type { TargetingIndex } from './targeting-index.ts'

/** An item with its state in the ad server. */
export interface Contender {
  item: ServedItem
  pace: Pace
  campaignPace: Pace
  /** What TARGET multiplies its bid by. */
  kappa: number
  /** Tests in which only some viewers see it, and which groups those are. */
  arms: { test: RunningTest; group: number }[]
}

/** What the auction of a look needs. */
export interface Floor {
  contenders: readonly Contender[]
  index: TargetingIndex
  ledger: Ledger
  sights: SightCounts
  /** How often a viewer saw an item within the days of its cap. */
  cappedSights(viewer: number, item: ServedItem, at: number): number
}

/** An ad that won a slot. */
export interface Win {
  contender: Contender
  creative: ServedCreative
  sight: Sight
  /** The chance of the paid event, as predicted. */
  probability: number
  /** What the paid event costs. */
  price: number
}

interface Offer {
  contender: Contender
  creative: ServedCreative
  base: number
  sight: Sight
  value: number
}

/**
 * The ads of a look, best first, each at the value of the next best. Items come in the order of what they could be worth at most, so
 * the search ends as soon as no further one can win.
 */
export function chooseAds(floor: Floor, look: Look, terms: readonly ArrayLike<number>[]): Win[] {
  const { index, contenders } = floor
  const best: Offer[] = []
  const wanted = look.slots + 1
  const draw = mix(hashText(look.id), look.viewer.number)
  const hour = new Date(look.at).getUTCHours()
  index.begin(...terms)
  for (let at = index.next(); at >= 0; at = index.next()) {
    const contender = contenders[at]!
    if (best.length === wanted && contender.item.mostValue < best[wanted - 1]!.value) break
    const offer = offerOf(floor, contender, look, draw, hour)
    if (!offer) continue
    let position = best.length
    while (position > 0 && isBefore(offer, best[position - 1]!, draw)) position -= 1
    if (position >= wanted) continue
    best.splice(position, 0, offer)
    if (best.length > wanted) best.pop()
  }
  return best.slice(0, look.slots).map((offer, slot) => winOf(offer, best[slot + 1]?.value ?? 0, slot))
}

const isBefore = (one: Offer, other: Offer, draw: number): boolean =>
  one.value > other.value ||
  (one.value === other.value && mix(draw, one.contender.item.hash) < mix(draw, other.contender.item.hash))

/** What an item offers for a look; undefined when it does not take part. */
function offerOf(floor: Floor, contender: Contender, look: Look, draw: number, hour: number): Offer | undefined {
  const { item, pace, campaignPace } = contender
  if (look.at < item.startsAt || look.at >= item.endsAt) return undefined
  if ((item.placements & (1 << SHOWN_PLACEMENTS.indexOf(look.placement))) === 0) return undefined
  if (asShare(mix(draw, item.hash ^ 0x5bd1)) >= Math.min(pace.theta, campaignPace.theta)) return undefined
  if (floor.ledger.left(item, look.at) <= 0) return undefined
  const viewer = look.viewer.number
  if (contender.arms.some(({ test, group }) => armOf(test, viewer) !== group)) return undefined
  if (item.cap && floor.cappedSights(viewer, item, look.at) >= item.cap.sights) return undefined
  let found: Offer | undefined
  for (const creative of item.creatives) {
    if (creative.userId === look.viewer.userId) continue
    const sight = {
      affinity: affinityOf(look.viewer.interests, creative.interests),
      position: 0,
      seen: floor.sights.get(viewer, floor.sights.numberOf(creative.promotedId)),
      hour,
    }
    const base = appeal(creative, sight)
    const value = bidDollars(contender) * predicted(item.bid.valued, creative, base)
    if (value >= RESERVE && (!found || value > found.value)) found = { contender, creative, base, sight, value }
  }
  return found
}

/** What one valued event is worth to an item now, in millionths of a dollar. */
const bidDollars = ({ item: { bid }, pace, kappa }: Contender): number =>
  bid.amount * bid.share * pace.lambda * kappa * dollarsOf(bid.currency)

function winOf({ contender, creative, base, sight }: Offer, nextValue: number, slot: number): Win {
  const { bid } = contender.item
  const probability = predicted(bid.paid, creative, base)
  const most =
    bid.paid === 'impression' && bid.valued !== 'impression'
      ? bid.amount * bid.share * predicted(bid.valued, creative, base)
      : bid.amount * bid.share
  const price = priceOf(bid, most * contender.kappa * Math.max(1, contender.pace.lambda), nextValue, probability)
  return { contender, creative, sight: { ...sight, position: slot }, probability, price }
}

/** The budget of a day that pacing spreads; undefined where nothing limits it. */
export function budgetOfDay(
  limits: { daily: number | null; total: number | null },
  spent: { today: number; inAll: number },
  endsAt: number,
  at: number,
  timezone: string,
): number | undefined {
  const { daily, total } = limits
  const bounds: number[] = []
  if (daily !== null) bounds.push(daily)
  if (total !== null) {
    const leftAtDawn = total - (spent.inAll - spent.today)
    const { from } = localDay(at, timezone)
    const days = Number.isFinite(endsAt) ? Math.max(1, Math.ceil((endsAt - from) / DAY_MS)) : 1
    // Without an end there is nothing to spread a total budget over.
    if (Number.isFinite(endsAt)) bounds.push(leftAtDawn / days)
    else if (daily !== null) bounds.push(leftAtDawn)
  }
  return bounds.length === 0 ? undefined : Math.max(0, Math.min(...bounds))
}

const DAY_MS = 24 * 3_600_000
