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
 * A record's series. A text has one number for each value that is not zero: the value with the position of its slice above
 * `POSITION`, joined by commas, in any order. Values of one position are added up. Zeros would cost as much as other values, and most
 * are zero. Money does not fit under a position, so its positions are a list of their own.
 */
export const POSITION = 2 ** 38
export type SeriesRow = RowOf<{ id: 'int8' }> & Record<string, string | null>

const MONEY = 'billed_charge'
const CHARGED = 'charged_slices'
const joined = (value: string, column: string) =>
  `array_to_string(array_agg(${value}) filter (where s.${column} <> 0), ',')`

/** SQL of the series of columns, from rows (`s`) that have a slice. */
export const seriesOfColumns = (columns: readonly string[]): string =>
  columns
    .map((name) =>
      name === MONEY
        ? `${joined('s.slice', name)} as ${CHARGED}, ${joined(`s.${name}`, name)} as ${name}`
        : `${joined(`s.slice::bigint * ${POSITION} + s.${name}`, name)} as ${name}`,
    )
    .join(', ')

/** The metrics of a statement: those of some groups, in the order of the groups. */
export const metricsOf = (groups: readonly CountedGroup[]): string[] =>
  COUNTED_GROUPS.filter((group) => groups.includes(group)).flatMap((group): string[] => [...COUNTED_METRICS[group]])

const columnsOf = (...groups: CountedGroup[]) => {
  const columns = metricsOf(groups).flatMap((metric) =>
    columnOf(metric) === MONEY ? [CHARGED, MONEY] : [columnOf(metric)],
  )
  return { id: 'int8' as const, ...Object.fromEntries(columns.map((name) => [name, 'text?' as const])) }
}

const IN_RANGE =
  'h.entity_id = e.id and h.hour >= $4::timestamptz and h.hour < $5::timestamptz and h.placement = any($6::smallint[])'
const SLICE = 'width_bucket(h.hour, $7::timestamptz[]) - 1 as slice'

/**
 * The counts of hours from $4 until $5 on the placements $6, by the slices that begin at $7. One row for each record, because a row
 * for each value would take longer to read. Hours are not summed up here: there is one for each slice and placement, and groups of
 * two rows cost more than to add them up later. The offset keeps slices from being computed for each column.
 */
const hoursSql = (...groups: CountedGroup[]): string => {
  const columns = metricsOf(groups).map(columnOf)
  return `select e.id, r.* from (${ENTITIES}) e
     cross join lateral (
       select ${seriesOfColumns(columns)}
         from (select ${SLICE}, ${columns.map((name) => `h.${name}`).join(', ')} from ads_hour h where ${IN_RANGE} offset 0) s
     ) r`
}

/** The same for slices of many hours, which are summed up. */
const sumsSql = (...groups: CountedGroup[]): string => {
  const columns = metricsOf(groups).map(columnOf)
  const sums = columns.map((name) => `sum(h.${name})::bigint as ${name}`)
  return `select e.id, r.* from (${ENTITIES}) e
     cross join lateral (
       select ${seriesOfColumns(columns)}
         from (select ${SLICE}, ${sums.join(', ')} from ads_hour h where ${IN_RANGE} group by 1) s
     ) r`
}

/** A statement for each combination of groups, in their order: columns that nobody asked for cost time. */
const STATEMENTS = {
  hours: [
    statement('ads_stats_hours_e', columnsOf('ENGAGEMENT'), hoursSql('ENGAGEMENT')),
    statement('ads_stats_hours_b', columnsOf('BILLING'), hoursSql('BILLING')),
    statement('ads_stats_hours_eb', columnsOf('ENGAGEMENT', 'BILLING'), hoursSql('ENGAGEMENT', 'BILLING')),
    statement('ads_stats_hours_v', columnsOf('VIDEO'), hoursSql('VIDEO')),
    statement('ads_stats_hours_ev', columnsOf('ENGAGEMENT', 'VIDEO'), hoursSql('ENGAGEMENT', 'VIDEO')),
    statement('ads_stats_hours_bv', columnsOf('BILLING', 'VIDEO'), hoursSql('BILLING', 'VIDEO')),
    statement(
      'ads_stats_hours_ebv',
      columnsOf('ENGAGEMENT', 'BILLING', 'VIDEO'),
      hoursSql('ENGAGEMENT', 'BILLING', 'VIDEO'),
    ),
  ] as Statement<SeriesRow>[],
  sums: [
    statement('ads_stats_sums_e', columnsOf('ENGAGEMENT'), sumsSql('ENGAGEMENT')),
    statement('ads_stats_sums_b', columnsOf('BILLING'), sumsSql('BILLING')),
    statement('ads_stats_sums_eb', columnsOf('ENGAGEMENT', 'BILLING'), sumsSql('ENGAGEMENT', 'BILLING')),
    statement('ads_stats_sums_v', columnsOf('VIDEO'), sumsSql('VIDEO')),
    statement('ads_stats_sums_ev', columnsOf('ENGAGEMENT', 'VIDEO'), sumsSql('ENGAGEMENT', 'VIDEO')),
    statement('ads_stats_sums_bv', columnsOf('BILLING', 'VIDEO'), sumsSql('BILLING', 'VIDEO')),
    statement(
      'ads_stats_sums_ebv',
      columnsOf('ENGAGEMENT', 'BILLING', 'VIDEO'),
      sumsSql('ENGAGEMENT', 'BILLING', 'VIDEO'),
    ),
  ] as Statement<SeriesRow>[],
}

/** The statement for some groups, with slices of an hour or of more. */
export const hoursOf = (groups: readonly CountedGroup[], by: 'hours' | 'sums'): Statement<SeriesRow> =>
  STATEMENTS[by][COUNTED_GROUPS.reduce((sum, group, bit) => sum + (groups.includes(group) ? 2 ** bit : 0), -1)]!

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
