import { asShare, hash, hashText } from '../../process/hash.ts'
import { armOf } from '../ab-tests/arms.ts'
import { localDay } from '../kit/local-time.ts'
import { InterestLists } from './audience/interest-lists.ts'
import type { TargetingIndex } from './audience/targeting-index.ts'
import { dollarsOf, priceOf, RESERVE } from './bids.ts'
import type { CappedSights } from './capped-sights.ts'
import { type Contender, leftFor } from './contender.ts'
import type { ServedCreative } from './inventory.ts'
import { type Look, SHOWN_PLACEMENTS } from './look.ts'
import { affinityOf, appeal, largestGain, predicted, type Sight } from './response-model.ts'
import type { SightCounts } from './sight-counts.ts'
import type { ValueBounds } from './value-bounds.ts'

/** What the auction of a look needs. */
export interface Floor {
  /** In the order of their values to a stranger, about. */
  contenders: readonly Contender[]
  index: TargetingIndex
  interests: InterestLists
  bounds: ValueBounds
  sights: SightCounts
  capped: CappedSights
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
 * The ads of a look, best first, each at the value of the next best. Items come in the order of what they are worth to a stranger, and
 * the search ends as soon as no further one can win; then come those that share interests with the viewer and may be worth more.
 */
export function chooseAds(floor: Floor, look: Look, terms: readonly ArrayLike<number>[]): Win[] {
  const { index, interests, contenders, bounds } = floor
  const draw = hash(hashText(look.id), look.viewer.number)
  const best = new BestOffers(look.slots + 1, draw)
  const hour = new Date(look.at).getUTCHours()
  const known = look.viewer.interests.length
  index.begin(...terms)
  for (let at = index.next(); at >= 0; at = index.next()) {
    if (bounds.from[at]! < best.least) break
    best.add(offerOf(floor, contenders[at]!, look, draw, hour))
  }
  // Further on, one interest in common is not enough to win.
  interests.find(look.viewer.interests, bounds.firstBelow(best.least / InterestLists.gainOfOne(known)))
  const mostGain = largestGain(1)
  for (let found = 0; found < interests.count; found++) {
    const at = interests.found[found]!
    const value = bounds.of[at]!
    if (value * mostGain < best.least || value * interests.gainOf(at) < best.least) continue
    if (index.fits(at)) best.add(offerOf(floor, contenders[at]!, look, draw, hour))
  }
  return best.offers.slice(0, look.slots).map((offer, slot) => winOf(offer, best.offers[slot + 1]?.value ?? 0, slot))
}

/** The best offers of different items. */
class BestOffers {
  readonly offers: Offer[] = []
  readonly #wanted: number
  readonly #draw: number
  /** What is worth less cannot be among the best. */
  least = 0

  constructor(wanted: number, draw: number) {
    this.#wanted = wanted
    this.#draw = draw
  }

  add(offer: Offer | undefined): void {
    const { offers } = this
    if (!offer || offers.some((other) => other.contender === offer.contender)) return
    let position = offers.length
    while (position > 0 && isBefore(offer, offers[position - 1]!, this.#draw)) position -= 1
    if (position >= this.#wanted) return
    offers.splice(position, 0, offer)
    if (offers.length > this.#wanted) offers.pop()
    if (offers.length === this.#wanted) this.least = offers.at(-1)!.value
  }
}

const isBefore = (one: Offer, other: Offer, draw: number): boolean =>
  one.value > other.value ||
  (one.value === other.value && hash(draw, one.contender.item.hash) < hash(draw, other.contender.item.hash))

/** What an item offers for a look; undefined when it does not take part. */
function offerOf(floor: Floor, contender: Contender, look: Look, draw: number, hour: number): Offer | undefined {
  const { item, pace, campaignPace } = contender
  if (look.at < item.startsAt || look.at >= item.endsAt) return undefined
  if ((item.placements & (1 << SHOWN_PLACEMENTS.indexOf(look.placement))) === 0) return undefined
  if (asShare(hash(draw, item.hash ^ 0x5bd1)) >= Math.min(pace.theta, campaignPace.theta)) return undefined
  if (leftFor(contender) <= 0) return undefined
  const viewer = look.viewer.number
  if (contender.arms.some(({ test, group }) => armOf(test, viewer) !== group)) return undefined
  if (item.cap && floor.capped.isReached(item.cap, viewer, item.id, look.at)) return undefined
  let found: Offer | undefined
  for (const creative of item.creatives) {
    if (creative.userId === look.viewer.userId) continue
    const sight = {
      affinity: affinityOf(look.viewer.interests, creative.interests),
      position: 0,
      seen: floor.sights.get(viewer, creative.sightNumber),
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
