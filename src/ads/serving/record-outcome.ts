import type { Runtime } from '../../api-kit/runtime.ts'
import { repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { adServer } from './ad-server.ts'
import { bidOf } from './bids.ts'
import { OUTCOME } from './outcomes.ts'
import { hasPaidEvent } from './response-model.ts'
import { type EventItem, storeTurn, type TurnEvent } from './store-turn.ts'

const impressionLock = statement(
  'ads_impression_lock',
  {
    promoted_id: 'int8',
    placement: 'int2',
    outcomes: 'int4',
    price: 'int8?',
    line_item_id: 'int8',
    campaign_id: 'int8',
    account_id: 'int8',
    funding_id: 'int8',
    credit_id: 'int8',
    timezone: 'text',
    currency: 'text',
    pay_by: 'text?',
    goal: 'text?',
    bid_strategy: 'text?',
    sandbox_id: 'int8?',
    later: 'int4',
  },
  `select e.promoted_id, e.placement, e.outcomes, e.price, e.line_item_id, e.campaign_id, l.account_id, c.funding_instrument_id as funding_id,
          coalesce(f.credit_line_id, f.id) as credit_id,
          a.timezone, f.currency, l.pay_by, l.goal, l.bid_strategy, case when a.sandbox then a.id end as sandbox_id,
          (select coalesce(bit_or(o.outcomes), 0) from ads_event o where o.viewer = e.viewer and o.impression_id = e.id and o.id > e.id) as later
     from ads_event e
     join ads_line_item l on l.id = e.line_item_id
     join ads_campaign c on c.id = e.campaign_id
     join ads_funding_instrument f on f.id = c.funding_instrument_id
     join ads_account a on a.id = l.account_id
    where e.viewer = $1 and e.id = $2 and e.impression_id is null
      for update of e`,
)
const pricePaid = statement('ads_price_paid', {}, 'update ads_event set price = null where viewer = $1 and id = $2')

/** Something that a viewer did with an ad after they saw it. */
export interface LateOutcome {
  viewer: number
  impressionId: string
  /** Bits of OUTCOME. */
  outcomes: number
}

/** The bits that make an engagement. */
const ENGAGING =
  OUTCOME.clicks | OUTCOME.likes | OUTCOME.reposts | OUTCOME.replies | OUTCOME.follows | OUTCOME.card_engagements

/**
 * Counts what a viewer did with an ad, each kind once for an impression, and charges the price that was kept with it. Returns the
 * bits that were new.
 */
export async function recordOutcome(runtime: Runtime, late: LateOutcome): Promise<number> {
  const recorded = await repeatingDeadlock(() => transaction(runtime.database, (tx) => record(tx, runtime, late)))
  if (!recorded) return 0
  runtime
    .singleton(adServer)
    .floor(recorded.dryAccountId ?? '')
    .settle(recorded.stored)
  return recorded.added
}

async function record(tx: Tx, runtime: Runtime, { viewer, impressionId, outcomes }: LateOutcome) {
  const row = await impressionLock.first(tx, viewer, impressionId)
  if (!row) return null
  const known = row.outcomes | row.later
  const all = (outcomes & ENGAGING) !== 0 ? outcomes | OUTCOME.engagements : outcomes
  const added = all & ~known & ~(OUTCOME.impressions | OUTCOME.billed_engagements)
  if (added === 0) return null
  const bid = bidOf({ ...row, bid_amount: 0 })
  const isPaid = row.price !== null && hasPaidEvent(bid.paid, added)
  const item: EventItem = {
    id: row.line_item_id,
    accountId: row.account_id,
    campaignId: row.campaign_id,
    fundingId: row.funding_id,
    creditId: row.credit_id,
    timezone: row.timezone,
    bid,
  }
  const event: TurnEvent = {
    id: runtime.ids.next(),
    at: runtime.clock.now(),
    viewer,
    item,
    promotedId: row.promoted_id,
    placement: row.placement,
    outcomes: added,
    charge: isPaid ? Number(row.price) : 0,
    price: null,
    impressionId,
  }
  const stored = await storeTurn(tx, [event], event.at, row.sandbox_id)
  if (isPaid) await pricePaid.count(tx, viewer, impressionId)
  return { added, stored, dryAccountId: row.sandbox_id }
}
