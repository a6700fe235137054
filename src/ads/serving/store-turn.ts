import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { localDay } from '../kit/local-time.ts'
import { CappedSights } from './capped-sights.ts'
import { compareIds, HourCounts } from './hour-counts.ts'
import { stillServed } from './inventory.statements.ts'
import { capOf, type ServedItem } from './inventory.ts'
import { IN_ALL, type Limits } from './ledger.ts'
import { OUTCOME } from './outcomes.ts'

const DAY_MS = 24 * 3_600_000

/** What an event must know about its line item. */
export type EventItem = Pick<
  ServedItem,
  'id' | 'accountId' | 'campaignId' | 'fundingId' | 'creditId' | 'timezone' | 'bid'
>

/** Something that is about to be shown, with what followed at once. */
export interface TurnEvent {
  id: string
  at: number
  viewer: number
  item: EventItem
  promotedId: string
  placement: number
  outcomes: number
  /** What was to be paid; it is cut to what is left. */
  charge: number
  /** What the paid event will cost when it happens later. */
  price: number | null
  /** The impression that it followed. */
  impressionId: string | null
}

const spendRowsMake = statement(
  'ads_spend_rows_make',
  {},
  `insert into ads_spend (entity_id, day) select * from unnest($1::bigint[], $2::date[]) on conflict do nothing`,
)
// In one order, so that two processes never wait for each other.
const spendLock = statement(
  'ads_spend_lock',
  { entity_id: 'int8', day: 'text', spent: 'int8' },
  `select s.entity_id, s.day::text as day, s.spent from ads_spend s join unnest($1::bigint[], $2::date[]) k (entity_id, day)
       on s.entity_id = k.entity_id and s.day = k.day
    order by s.entity_id, s.day for update of s`,
)
const spendAdd = statement(
  'ads_spend_add',
  {},
  `update ads_spend s set spent = s.spent + k.charge from unnest($1::bigint[], $2::date[], $3::bigint[]) k (entity_id, day, charge)
    where s.entity_id = k.entity_id and s.day = k.day`,
)
const eventsAdd = statement(
  'ads_events_add',
  {},
  `insert into ads_event (viewer, id, campaign_id, line_item_id, promoted_id, impression_id, outcomes, placement, price, charge)
   select * from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::int2[], $9::bigint[], $10::bigint[])`,
)
const sightingsAdd = statement(
  'ads_sightings_add',
  {},
  `insert into ads_sighting as s (viewer, line_item_id, day, count) select * from unnest($1::int[], $2::bigint[], $3::int[], $4::int[])
   on conflict (viewer, line_item_id, day) do update set count = s.count + excluded.count`,
)

/** What a record had spent, with this turn. */
export interface SpentRow {
  entityId: string
  day: string
  spent: number
}

/** What became of a turn: the events that were stored, with their charges, and what was spent. */
export interface StoredTurn {
  events: TurnEvent[]
  spent: SpentRow[]
  /** Some events were not stored, because an item must not serve any more or its money is gone. */
  isStale: boolean
}

/**
 * Stores events with their charges and counts. Budgets are locked and read again here: whatever other processes did meanwhile, no
 * budget is exceeded, and nothing is shown that was paused.
 */
export async function storeTurn(
  tx: Tx,
  events: readonly TurnEvent[],
  now: number,
  dryAccountId: string | null,
): Promise<StoredTurn> {
  if (events.length === 0) return { events: [], spent: [], isStale: false }
  const money = await lockMoney(tx, events)
  const served = await readServed(tx, events, now, dryAccountId)
  const isNew = (event: TurnEvent) => event.impressionId === null
  const capped = events.filter((event) => isNew(event) && served.get(event.item.id)?.cap)
  const sights = await CappedSights.read(tx, capped)
  const kept: TurnEvent[] = []
  for (const event of events) {
    const { item, viewer, at } = event
    const current = served.get(item.id)
    const isCurrent = current?.creditId === item.creditId
    const left = isCurrent ? money.left(item, current.limits, at) : 0
    // What follows an impression is counted though the item was paused meanwhile; it costs nothing more then.
    if (isNew(event)) {
      if (!isCurrent || left <= 0 || at < current.startsAt || !current.creatives.has(event.promotedId)) continue
      if (current.cap) {
        if (sights.isReached(current.cap, viewer, item.id, at)) continue
        sights.add(viewer, item.id, at)
      }
    }
    const charge = Math.min(event.charge, left)
    const isBilled = charge > 0 && item.bid.paid !== 'impression'
    const outcomes = isBilled ? event.outcomes | OUTCOME.billed_engagements : event.outcomes
    if (charge > 0) money.spend(item, at, charge)
    kept.push({ ...event, charge, outcomes })
  }
  if (kept.length > 0) await storeEvents(tx, kept, (itemId) => served.get(itemId)?.cap != null)
  await money.store(tx)
  return { events: kept, spent: money.rows(), isStale: kept.length < events.length }
}

/** What items may do now, however long ago this process read its inventory. */
async function readServed(tx: Tx, events: readonly TurnEvent[], now: number, dryAccountId: string | null) {
  const ids = [...new Set(events.map((event) => event.item.id))]
  const rows = await stillServed.all(tx, new Date(now), dryAccountId, ids)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        creatives: new Set(row.creatives),
        limits: limitsOf(row),
        creditId: row.credit_id,
        startsAt: row.start_time.getTime(),
        cap: capOf(row),
      },
    ]),
  )
}

function limitsOf(row: {
  item_daily: string | null
  item_total: string | null
  campaign_daily: string | null
  campaign_total: string | null
  funding_limit: string | null
}): Limits {
  const micros = (value: string | null) => (value === null ? null : Number(value))
  return {
    itemDaily: micros(row.item_daily),
    itemTotal: micros(row.item_total),
    campaignDaily: micros(row.campaign_daily),
    campaignTotal: micros(row.campaign_total),
    funding: micros(row.funding_limit),
  }
}

/** The money that some events may use, locked until the transaction ends. */
class LockedMoney {
  readonly #spent: Map<string, number>
  readonly #added = new Map<string, number>()

  constructor(rows: readonly { entity_id: string; day: string; spent: string }[]) {
    this.#spent = new Map(rows.map((row) => [`${row.entity_id} ${row.day}`, Number(row.spent)]))
  }

  left(item: EventItem, limits: Limits, at: number): number {
    const { date } = localDay(at, item.timezone)
    const bounds: [number | null, string, string][] = [
      [limits.itemDaily, item.id, date],
      [limits.itemTotal, item.id, IN_ALL],
      [limits.campaignDaily, item.campaignId, date],
      [limits.campaignTotal, item.campaignId, IN_ALL],
      [limits.funding, item.creditId, IN_ALL],
    ]
    let left = Number.POSITIVE_INFINITY
    for (const [limit, id, day] of bounds) if (limit !== null) left = Math.min(left, limit - this.#now(`${id} ${day}`))
    return Math.max(0, left)
  }

  spend(item: EventItem, at: number, charge: number): void {
    for (const key of keysOf(item, at)) this.#added.set(key, (this.#added.get(key) ?? 0) + charge)
  }

  async store(tx: Tx): Promise<void> {
    if (this.#added.size === 0) return
    const rows = [...this.#added].map(([key, charge]) => [...key.split(' '), charge] as [string, string, number])
    await spendAdd.count(
      tx,
      rows.map(([id]) => id),
      rows.map(([, day]) => day),
      rows.map(([, , charge]) => charge),
    )
  }

  rows(): SpentRow[] {
    return [...this.#spent.keys()].map((key) => {
      const [entityId, day] = key.split(' ') as [string, string]
      return { entityId, day, spent: this.#now(key) }
    })
  }

  #now(key: string): number {
    return (this.#spent.get(key) ?? 0) + (this.#added.get(key) ?? 0)
  }
}

function keysOf(item: EventItem, at: number): string[] {
  const { date } = localDay(at, item.timezone)
  const keys = [item.id, item.campaignId, item.fundingId].flatMap((id) => [`${id} ${date}`, `${id} ${IN_ALL}`])
  return item.creditId === item.fundingId ? keys : [...keys, `${item.creditId} ${IN_ALL}`]
}

async function lockMoney(tx: Tx, events: readonly TurnEvent[]): Promise<LockedMoney> {
  const keys = new Set<string>()
  for (const event of events) for (const key of keysOf(event.item, event.at)) keys.add(key)
  const rows = [...keys]
    .map((key) => key.split(' ') as [string, string])
    .sort((one, other) => compareIds(one[0], other[0]) || (one[1] < other[1] ? -1 : 1))
  const ids = rows.map(([id]) => id)
  const days = rows.map(([, day]) => day)
  await spendRowsMake.count(tx, ids, days)
  return new LockedMoney(await spendLock.all(tx, ids, days))
}

async function storeEvents(tx: Tx, events: readonly TurnEvent[], isCapped: (itemId: string) => boolean): Promise<void> {
  await eventsAdd.count(
    tx,
    events.map((event) => event.viewer),
    events.map((event) => event.id),
    events.map((event) => event.item.campaignId),
    events.map((event) => event.item.id),
    events.map((event) => event.promotedId),
    events.map((event) => event.impressionId),
    events.map((event) => event.outcomes),
    events.map((event) => event.placement),
    events.map((event) => event.price),
    events.map((event) => (event.charge > 0 ? event.charge : null)),
  )
  const counts = new HourCounts()
  const sightings = new Map<string, number>()
  for (const { item, promotedId, placement, at, outcomes, charge, viewer } of events) {
    const records = {
      promotedId,
      lineItemId: item.id,
      campaignId: item.campaignId,
      fundingId: item.fundingId,
      accountId: item.accountId,
      timezone: item.timezone,
    }
    counts.add(records, placement, at, outcomes, charge)
    if (outcomes & OUTCOME.impressions && isCapped(item.id)) {
      const key = `${viewer} ${item.id} ${Math.floor(at / DAY_MS)}`
      sightings.set(key, (sightings.get(key) ?? 0) + 1)
    }
  }
  await counts.store(tx)
  if (sightings.size === 0) return
  const rows = [...sightings].map(([key, count]) => [...key.split(' '), count] as [string, string, string, number])
  await sightingsAdd.count(
    tx,
    rows.map(([viewer]) => Number(viewer)),
    rows.map(([, item]) => item),
    rows.map(([, , day]) => Number(day)),
    rows.map(([, , , count]) => count),
  )
}
