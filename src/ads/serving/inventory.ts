import { groupedBy } from '../../process/grouped-by.ts'
import { asShare, hash, hashText } from '../../process/hash.ts'
import { tokenize } from '../../search/tokenize.ts'
import type { Db } from '../../storage/database.ts'
import { ALL_PLACEMENTS } from '../campaigns/objectives.data.ts'
import { INTEREST_OPTIONS } from '../targeting-options/topics.ts'
import { compileTargeting, type StoredCriterion, type TargetingTerms } from './audience/compile-targeting.ts'
import type { Expansion } from './audience/look-alikes.ts'
import { type Bid, bidOf } from './bids.ts'
import type { Cap } from './capped-sights.ts'
import { servedCreatives, servedCriteria, servedItems } from './inventory.statements.ts'
import type { Payer } from './ledger.ts'
import { SHOWN_PLACEMENTS } from './look.ts'
import type { Creative } from './response-model.ts'

/** A promoted post or account. */
export interface ServedCreative extends Creative {
  promotedId: string
  postId: string | null
  userId: string
  /** For counting sights. */
  sightNumber: number
}

/** A line item that may serve. */
export interface ServedItem extends Payer {
  accountId: string
  hash: number
  bid: Bid
  isPaced: boolean
  startsAt: number
  endsAt: number
  cap: Cap | null
  /** Bits by number of SHOWN_PLACEMENTS. */
  placements: number
  creatives: ServedCreative[]
  targeting: TargetingTerms
}

const DEFAULT_CAP_DAYS = 7

/** Reads what may be shown, in no order. */
export async function readInventory(db: Db, now: number, dryAccountId: string | null): Promise<ServedItem[]> {
  const rows = await servedItems.all(db, new Date(now), dryAccountId)
  const ids = rows.map((row) => row.id)
  const [creatives, criteria] = [await servedCreatives.all(db, ids), await servedCriteria.all(db, ids)]
  const creativesOf = groupedBy(creatives, (row) => row.line_item_id)
  const criteriaOf = groupedBy(criteria, (row) => row.line_item_id)
  const items: ServedItem[] = []
  for (const row of rows) {
    const own = creativesOf.get(row.id)
    if (!own) continue
    const ownCriteria: StoredCriterion[] = criteriaOf.get(row.id) ?? []
    const wanted = ownCriteria
      .filter((item) => item.type === 'INTEREST' && item.operator === 'EQ')
      .map((item) => item.value)
    const shown = own
      .map((creative) => creativeOf(creative, wanted))
      .sort((one, other) => (one.promotedId < other.promotedId ? -1 : 1))
    const bid = bidOf({ ...row, bid_amount: micros(row.bid_amount) })
    const targeting = compileTargeting(ownCriteria, row.account_id, row.audience_expansion as Expansion | null)
    // People do not see ads of those whom they have blocked or muted.
    for (const author of new Set(shown.map((creative) => creative.userId))) targeting.excluded.push(`avoided:${author}`)
    items.push({
      id: row.id,
      accountId: row.account_id,
      campaignId: row.campaign_id,
      fundingId: row.funding_id,
      creditId: row.credit_id,
      timezone: row.timezone,
      hash: hashText(row.id),
      bid,
      isPaced: row.standard_delivery,
      startsAt: row.start_time.getTime(),
      endsAt: row.end_time?.getTime() ?? Number.POSITIVE_INFINITY,
      cap: capOf(row),
      placements: placementBits(row.placements),
      creatives: shown,
      targeting,
      limits: {
        itemDaily: micros(row.item_daily),
        itemTotal: micros(row.item_total),
        campaignDaily: micros(row.campaign_daily),
        campaignTotal: micros(row.campaign_total),
        funding: micros(row.funding_limit),
      },
    })
  }
  return items
}

export const capOf = (row: { frequency_cap: number | null; cap_days: number | null }): Cap | null =>
  row.frequency_cap === null ? null : { sights: row.frequency_cap, days: row.cap_days ?? DEFAULT_CAP_DAYS }

/** TARGET may bid this many times its target for a while. */
export const TARGET_ROOM = 1.5

const micros = (value: string | null): number | null => (value === null ? null : Number(value))

function placementBits(names: readonly string[]): number {
  let bits = 0
  for (const [at, name] of SHOWN_PLACEMENTS.entries())
    if (names.includes(name) || (names.includes(ALL_PLACEMENTS) && name !== 'PUBLISHER_NETWORK')) bits |= 1 << at
  return bits
}

type CreativeRow = Awaited<ReturnType<typeof servedCreatives.all>>[number]

/** What matters about a creative. A picture, a video or a card makes it better, too few or too many words worse. */
function creativeOf(row: CreativeRow, interests: readonly string[]): ServedCreative {
  const words = tokenize(row.text)
  const number = hashText(row.id)
  const isAccount = row.post_id === null
  const length = words.length < 4 ? -0.3 : words.length > 45 ? -0.2 : 0.1
  const looks = (row.video_ms ? 0.5 : row.has_media ? 0.35 : -0.1) + (row.card === null ? 0 : 0.25)
  return {
    promotedId: row.id,
    postId: row.post_id,
    userId: row.user_id,
    sightNumber: 0,
    hash: number,
    quality: isAccount ? 0 : length + looks + 0.6 * (asShare(hash(number, 0x0a11)) - 0.5),
    interests: [...new Set([...interests, ...interestsOf(words)])],
    isAccount,
    hasLink: row.has_link,
    hasCard: row.card !== null,
    hasAppCard: row.card?.includes('"APP"') ?? false,
    hasCarousel: row.card?.includes('SWIPEABLE_MEDIA') ?? false,
    videoSeconds: (row.video_ms ?? 0) / 1000,
  }
}

let interestWords: Map<string, string[]> | undefined

/** Interests whose names have a word of a text. */
function interestsOf(words: readonly string[]): string[] {
  if (!interestWords) {
    interestWords = new Map()
    for (const { value, name } of INTEREST_OPTIONS)
      for (const word of tokenize(name))
        if (word.length > 3) interestWords.set(word, [...(interestWords.get(word) ?? []), value])
  }
  return words.flatMap((word) => interestWords!.get(word) ?? []).slice(0, 8)
}
