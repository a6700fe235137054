import type { Runtime } from '../../api-kit/runtime.ts'
import { idAt } from '../../process/ids.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { localDay, localHour } from '../kit/local-time.ts'
import { IN_ALL, Ledger, leftOf } from '../serving/ledger.ts'
import { ALL_PLACEMENTS } from './placements.data.ts'
import { reachOfCampaigns } from './reach-operations.ts'
import { readStats } from './read-stats.ts'
import type { Metrics } from './series.ts'
import type { StatsQuestion } from './stats-question.ts'
import { DAY_MS, HOUR_MS, slicesOf, type TimeRange } from './time-range.ts'

const payerColumns = {
  campaign_id: 'int8',
  line_item_id: 'int8?',
  /** The funding instrument, or the credit line that it shares. */
  credit_id: 'int8',
  currency: 'text',
  item_daily: 'int8?',
  item_total: 'int8?',
  campaign_daily: 'int8?',
  campaign_total: 'int8?',
  funding_limit: 'int8?',
} as const
export type PayerRow = RowOf<typeof payerColumns>

/** The budgets of the line item $3, or of the campaign $2, of the account $1. */
export const payerOf = statement(
  'ads_overview_payer',
  payerColumns,
  `select c.id as campaign_id, l.id as line_item_id, coalesce(f.credit_line_id, f.id) as credit_id, f.currency,
          l.daily_budget_amount_local_micro as item_daily, l.total_budget_amount_local_micro as item_total,
          c.daily_budget_amount_local_micro as campaign_daily, c.total_budget_amount_local_micro as campaign_total,
          coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro) as funding_limit
     from ads_campaign c
     join ads_funding_instrument f on f.id = c.funding_instrument_id
     left join ads_line_item l on l.id = $3::bigint
    where c.account_id = $1::bigint
      and c.id = coalesce($2::bigint, (select i.campaign_id from ads_line_item i where i.id = $3::bigint and i.account_id = $1::bigint))`,
)

const spentNow = statement(
  'ads_overview_spent',
  { entity_id: 'int8', day: 'text', spent: 'int8' },
  `select entity_id, day::text as day, spent from ads_spend where entity_id = any($1::bigint[]) and day = any($2::date[])`,
)

const currenciesOf = statement(
  'ads_overview_currencies',
  { currency: 'text' },
  'select distinct currency from ads_funding_instrument where account_id = $1::bigint',
)

/** What an overview is about: a campaign or line item with its budgets, or all of the account. */
export interface OverviewQuestion {
  account: { id: string; timezone: string }
  payer: PayerRow | undefined
  by: 'hour' | 'day'
  days: number
}

/** The last days where the account is, until the end of this hour or day. */
function rangeOf({ account, by, days }: OverviewQuestion, now: number): TimeRange {
  let from = localDay(now, account.timezone)
  const end = by === 'day' ? from.to : localHour(now, account.timezone) + HOUR_MS
  if (by === 'hour') return { start: new Date(end - days * DAY_MS), end: new Date(end) }
  for (let day = 1; day < days; day++) from = localDay(from.from - 1, account.timezone)
  return { start: new Date(from.from), end: new Date(end) }
}

const METRICS = ['impressions', 'engagements', 'billed_engagements', 'billed_charge_local_micro'] as const
type Counts = Record<(typeof METRICS)[number], number>

const countsAt = (all: readonly Metrics[], at: number): Counts =>
  Object.fromEntries(
    METRICS.map((name) => [
      name,
      all.reduce((sum, metrics) => sum + ((metrics[name] as number[] | null)?.[at] ?? 0), 0),
    ]),
  ) as Counts

/** What was shown, what followed and what it cost, hour by hour or day by day, by the code of the analytics operations. */
export async function readOverview(runtime: Runtime, asked: OverviewQuestion) {
  const { database } = runtime
  const { account, payer } = asked
  const now = runtime.clock.now()
  const range = rangeOf(asked, now)
  const id = payer?.line_item_id ?? payer?.campaign_id ?? account.id
  const entity = payer === undefined ? 'ACCOUNT' : payer.line_item_id === null ? 'CAMPAIGN' : 'LINE_ITEM'
  const granularity = asked.by === 'hour' ? 'HOUR' : 'DAY'
  const slices = slicesOf(range, granularity, { name: account.timezone, now })
  const question = { ...range, entity, entityIds: [id], granularity, metricGroups: ['ENGAGEMENT', 'BILLING'] } as const
  const on = (placement: StatsQuestion['placement']) =>
    readStats(
      database,
      account.id,
      { ...question, entityIds: [id], metricGroups: [...question.metricGroups], placement },
      slices,
    )
  const [platform, network, reach, left, currencies] = await Promise.all([
    on(ALL_PLACEMENTS),
    on('PUBLISHER_NETWORK'),
    entity === 'CAMPAIGN' ? reachOf(runtime, account.id, id, range) : undefined,
    payer && leftToday(runtime, payer, localDay(now, account.timezone).date),
    payer ? [{ currency: payer.currency }] : currenciesOf.all(database, account.id),
  ])
  const metrics = [platform[0]!.id_data[0]!.metrics, network[0]!.id_data[0]!.metrics]
  const series = slices.map((slice, at) => ({ at: slice.toISOString(), ...countsAt(metrics, at) }))
  const sum = (name: keyof Counts) => series.reduce((total, item) => total + item[name], 0)
  const totals = Object.fromEntries(METRICS.map((name) => [name, sum(name)])) as Counts
  const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  return {
    entity,
    from: range.start.toISOString(),
    to: range.end.toISOString(),
    timezone: account.timezone,
    // Amounts of different currencies cannot be added up.
    currency: currencies.length === 1 ? currencies[0]!.currency : null,
    series,
    totals: {
      ...totals,
      engagement_rate: rate(totals.engagements, totals.impressions),
      cost_per_result_local_micro: rate(totals.billed_charge_local_micro, totals.billed_engagements),
      ...(reach === undefined ? {} : { reach }),
    },
    ...(left === undefined ? {} : { budget_left_today_local_micro: left }),
  }
}

/** How many people saw something of a campaign. */
async function reachOf({ database }: Runtime, account: string, id: string, { start, end }: TimeRange): Promise<number> {
  const [row] = await reachOfCampaigns.all(database, account, [id], idAt(start.getTime()), idAt(end.getTime()))
  return Number(row?.people ?? 0)
}

/** What may still be spent today, by the rule of the ad server; null where nothing limits it. */
async function leftToday({ database }: Runtime, payer: PayerRow, day: string): Promise<number | null> {
  const ledger = new Ledger()
  const ids = [payer.campaign_id, payer.credit_id, ...(payer.line_item_id === null ? [] : [payer.line_item_id])]
  for (const row of await spentNow.all(database, ids, [day, IN_ALL]))
    ledger.set(row.entity_id, row.day, Number(row.spent))
  const limit = (value: string | null) => (value === null ? null : Number(value))
  const limits = {
    itemDaily: limit(payer.item_daily),
    itemTotal: limit(payer.item_total),
    campaignDaily: limit(payer.campaign_daily),
    campaignTotal: limit(payer.campaign_total),
    funding: limit(payer.funding_limit),
  }
  const of = (id: string) => ledger.of(id)
  const left = leftOf(limits, of(payer.line_item_id ?? ''), of(payer.campaign_id), of(payer.credit_id), day)
  return Number.isFinite(left) ? left : null
}
