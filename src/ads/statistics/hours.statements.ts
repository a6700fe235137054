import { type RowOf, type Statement, statement } from '../../storage/statement.ts'
import { CONVERSION_COUNTS } from '../measurement/count-conversions.ts'
import { COUNTED_GROUPS, COUNTED_METRICS, type CountedGroup } from './metrics.data.ts'

/** The records $3 of the kind $1 that the account $2 has, deleted ones too. */
const ENTITIES = `
  select id from ads_account where $1 = 'ACCOUNT' and id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_funding_instrument where $1 = 'FUNDING_INSTRUMENT' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_campaign where $1 = 'CAMPAIGN' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_line_item where $1 = 'LINE_ITEM' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_promoted_post where $1 = 'PROMOTED_POST' and account_id = $2::bigint and id = any($3::bigint[])
  union all select id from ads_promoted_account where $1 = 'PROMOTED_ACCOUNT' and account_id = $2::bigint and id = any($3::bigint[])`

/** Those that exist, to check what a job is asked for. */
export const entitiesFound = statement('ads_stats_entities', { id: 'int8' }, `select id from (${ENTITIES}) e`)

export const columnOf = (metric: string): string => (metric === 'billed_charge_local_micro' ? 'billed_charge' : metric)

/**
 * A record's series: text of arrays, which costs less than a list of texts. `slices` are the positions of the values. A record
 * without any has a null in each.
 */
const keyColumns = { id: 'int8', slices: 'text?' } as const
export type SeriesRow = RowOf<typeof keyColumns> & Record<string, string | null>

/** The metrics of a statement: those of some groups, in the order of the groups. */
export const metricsOf = (groups: readonly CountedGroup[]): string[] =>
  COUNTED_GROUPS.filter((group) => groups.includes(group)).flatMap((group): string[] => [...COUNTED_METRICS[group]])

const columnsOf = (...groups: CountedGroup[]) => ({
  ...keyColumns,
  ...Object.fromEntries(metricsOf(groups).map((metric) => [columnOf(metric), 'text?' as const])),
})

/**
 * The sums of hours from $4 until $5 on the placements $6, by the slices that begin at $7. One row for each record, because a row
 * for each value would take longer to read than to sum up.
 */
function sumsOf(...groups: CountedGroup[]): string {
  const columns = metricsOf(groups).map(columnOf)
  const sums = columns.map((name) => `sum(h.${name})${name === 'billed_charge' ? '::bigint' : ''} as ${name}`)
  const lists = columns.map((name) => `array_agg(s.${name} order by s.slice)::text as ${name}`)
  return `select e.id, array_agg(s.slice order by s.slice)::text as slices, ${lists.join(', ')}
     from (${ENTITIES}) e
     left join lateral (
       select width_bucket(h.hour, $7::timestamptz[]) - 1 as slice, ${sums.join(', ')}
         from ads_hour h
        where h.entity_id = e.id and h.hour >= $4::timestamptz and h.hour < $5::timestamptz and h.placement = any($6::smallint[])
        group by 1
     ) s on true
    group by e.id`
}

/** A statement for each combination of groups, in their order: columns that nobody asked for cost time. */
const COMBINATIONS = [
  statement('ads_stats_e', columnsOf('ENGAGEMENT'), sumsOf('ENGAGEMENT')),
  statement('ads_stats_b', columnsOf('BILLING'), sumsOf('BILLING')),
  statement('ads_stats_eb', columnsOf('ENGAGEMENT', 'BILLING'), sumsOf('ENGAGEMENT', 'BILLING')),
  statement('ads_stats_v', columnsOf('VIDEO'), sumsOf('VIDEO')),
  statement('ads_stats_ev', columnsOf('ENGAGEMENT', 'VIDEO'), sumsOf('ENGAGEMENT', 'VIDEO')),
  statement('ads_stats_bv', columnsOf('BILLING', 'VIDEO'), sumsOf('BILLING', 'VIDEO')),
  statement('ads_stats_ebv', columnsOf('ENGAGEMENT', 'BILLING', 'VIDEO'), sumsOf('ENGAGEMENT', 'BILLING', 'VIDEO')),
] as Statement<SeriesRow>[]

export const hoursOf = (groups: readonly CountedGroup[]): Statement<SeriesRow> =>
  COMBINATIONS[COUNTED_GROUPS.reduce((sum, group, bit) => sum + (groups.includes(group) ? 2 ** bit : 0), -1)]!

/** SQL of the lists of each stored series of conversions. */
export const CONVERSION_LISTS = CONVERSION_COUNTS.map(
  (name) => `array_agg(s.${name} order by s.slice)::text as ${name}`,
).join(', ')

export const conversionColumns = {
  id: 'int8',
  metric: 'text?',
  slices: 'text?',
  ...(Object.fromEntries(CONVERSION_COUNTS.map((name) => [name, 'text?'])) as Record<
    (typeof CONVERSION_COUNTS)[number],
    'text?'
  >),
} as const
export type ConversionRow = RowOf<typeof conversionColumns>

/** The same for the conversions $8: one row for each record and metric that has any. */
export const conversionHours = statement(
  'ads_stats_conversions',
  conversionColumns,
  `select e.id, s.metric, array_agg(s.slice order by s.slice)::text as slices, ${CONVERSION_LISTS}
     from (${ENTITIES}) e
     left join lateral (
       select h.metric, width_bucket(h.hour, $7::timestamptz[]) - 1 as slice,
              ${CONVERSION_COUNTS.map((name) => `sum(h.${name}) as ${name}`).join(', ')}
         from ads_conversion_hour h
        where h.entity_id = e.id and h.metric = any($8::text[]) and h.hour >= $4::timestamptz and h.hour < $5::timestamptz
          and h.placement = any($6::smallint[])
        group by 1, 2
     ) s on true
    group by e.id, s.metric`,
)
